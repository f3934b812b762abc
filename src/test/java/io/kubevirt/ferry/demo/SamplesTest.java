package io.kubevirt.ferry.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.kubevirt.ferry.admission.DirectedMigration;
import io.kubevirt.ferry.placement.TermReader;
import io.kubevirt.ferry.placement.TermReading;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What {@code deploy/samples} has is what an admin may copy. */
class SamplesTest {
    private static final Path FOLDER = Path.of("deploy/samples");

    static List<Path> samples() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.sorted().toList();
        }
    }

    @Test
    void thereAreSamplesByNameByLabelAndImpossible() throws IOException {
        assertThat(samples())
                .extracting(sample -> sample.getFileName().toString())
                .contains("to-a-node.yaml", "by-label.yaml", "impossible.yaml");
    }

    @ParameterizedTest
    @MethodSource("samples")
    void aSampleIsAMigrationWithAValidTerm(Path sample) throws IOException {
        GenericKubernetesResource migration =
                Serialization.unmarshal(Files.readString(sample), GenericKubernetesResource.class);

        assertThat(migration.getApiVersion()).isEqualTo("kubevirt.io/v1");
        assertThat(migration.getKind()).isEqualTo("VirtualMachineInstanceMigration");
        String term = migration.getMetadata().getAnnotations().get(DirectedMigration.ANNOTATION);
        assertThat(TermReader.read(DirectedMigration.ANNOTATION_PATH, term)).isInstanceOf(TermReading.Valid.class);
    }
}
