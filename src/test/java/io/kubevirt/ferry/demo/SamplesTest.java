package io.kubevirt.ferry.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
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
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

    static List<Path> samples() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.sorted().toList();
        }
    }

    @Test
    void thereAreSamplesOfEachKind() throws IOException {
        assertThat(samples())
                .extracting(sample -> sample.getFileName().toString())
                .containsExactly("by-label.yaml", "impossible.yaml", "to-a-node.yaml", "typed-field.yaml");
    }

    @ParameterizedTest
    @MethodSource("samples")
    void aSampleIsAMigrationWithAValidTerm(Path sample) throws IOException {
        JsonNode migration = YAML.readTree(sample.toFile());

        assertThat(migration.path("apiVersion").asText()).isEqualTo("kubevirt.io/v1");
        assertThat(migration.path("kind").asText()).isEqualTo("VirtualMachineInstanceMigration");
        assertThat(term(migration)).isInstanceOf(TermReading.Valid.class);
    }

    private static TermReading term(JsonNode migration) {
        JsonNode field = migration.at("/spec/" + DirectedMigration.FIELD);
        JsonNode annotation = migration.path("metadata").path("annotations").path(DirectedMigration.ANNOTATION);
        return field.isMissingNode()
                ? TermReader.read(DirectedMigration.ANNOTATION_PATH, annotation.asText())
                : TermReader.read(DirectedMigration.FIELD_PATH, field);
    }
}
