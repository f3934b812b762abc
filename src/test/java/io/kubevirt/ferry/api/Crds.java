package io.kubevirt.ferry.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.fabric8.crdv2.generator.CRDGenerator;
import io.fabric8.crdv2.generator.CRDPostProcessor;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceColumnDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The CRD of VolumeMigration, generated from its Java types and finished by hand where the generator has no words for it. */
public final class Crds {
    static final Path FILE = Path.of("crds/volumemigrations.storage.kubevirt.io.yaml");

    private static final List<String> COLUMNS = List.of("VM", "Status", "Attempts", "From", "To", "Age", "Message");
    private static final List<String> TIMESTAMPS = List.of("startTimestamp", "endTimestamp");

    private Crds() {}

    /** Writes the file. */
    public static void main(String[] args) throws IOException {
        Files.createDirectories(FILE.getParent());
        Files.writeString(FILE, yaml());
    }

    static String yaml() {
        return Serialization.asYaml(volumeMigration());
    }

    public static CustomResourceDefinition volumeMigration() {
        var output = new OneFile();
        new CRDGenerator()
                .customResourceClasses(VolumeMigration.class)
                .forCRDVersions("v1")
                .withParallelGenerationEnabled(false)
                .withPostProcessor(new CRDPostProcessor() {
                    @Override
                    public HasMetadata process(HasMetadata crd, String version) {
                        return finished((CustomResourceDefinition) crd);
                    }
                })
                .withOutput(output)
                .generate();
        return Serialization.unmarshal(output.text(), CustomResourceDefinition.class);
    }

    private static HasMetadata finished(CustomResourceDefinition crd) {
        var version = crd.getSpec().getVersions().getFirst();
        version.getAdditionalPrinterColumns()
                .sort(Comparator.comparing(
                        CustomResourceColumnDefinition::getName, Comparator.comparing(COLUMNS::indexOf)));
        var root = version.getSchema().getOpenAPIV3Schema();
        root.setDescription(
                "Moves volumes of one running VM to other claims, and puts everything back where that fails.");
        root.setRequired(List.of("spec"));
        spec(root.getProperties().get("spec"));
        status(root.getProperties().get("status"));
        return crd;
    }

    private static void spec(JSONSchemaProps spec) {
        spec.setDescription("What is asked for. Immutable, but for ttlSecondsAfterFinished.");
        listMap(spec.getProperties().get("migratedVolume"), "sourcePvc");
        var term = spec.getProperties().get("addedNodeSelectorTerm");
        spec.getProperties().put("addedNodeSelectorTerm", NodeSelectorTermSchema.describedAs(term.getDescription()));
    }

    private static void status(JSONSchemaProps status) {
        status.setDescription("What became of it.");
        TIMESTAMPS.forEach(name -> status.getProperties().get(name).setFormat("date-time"));
        listMap(status.getProperties().get("volumeMigrationStates"), "sourcePvc");
        var conditions = status.getProperties().get("conditions");
        listMap(conditions, "type");
        var condition = conditions.getItems().getSchema().getProperties();
        condition.get("lastTransitionTime").setFormat("date-time");
        condition
                .get("status")
                .setEnum(Stream.of("True", "False", "Unknown")
                        .<JsonNode>map(TextNode::valueOf)
                        .toList());
    }

    private static void listMap(JSONSchemaProps list, String key) {
        list.setXKubernetesListType("map");
        list.setXKubernetesListMapKeys(List.of(key));
    }

    /** Takes the one file that is written. */
    private static final class OneFile implements CRDGenerator.CRDOutput<ByteArrayOutputStream> {
        private final ByteArrayOutputStream written = new ByteArrayOutputStream();

        @Override
        public ByteArrayOutputStream outputFor(String name) {
            return written;
        }

        @Override
        public void close() {}

        String text() {
            return written.toString(StandardCharsets.UTF_8);
        }
    }
}
