package io.kubevirt.ferry.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class NodeSelectorTermSchemaTest {
    /** What makes a schema refuse terms: no webhook does it for a VolumeMigration. */
    private static final List<String> STRICT = List.of(
            "minLength",
            "maxLength",
            "pattern",
            "enum",
            "maxItems",
            "x-kubernetes-list-type",
            "x-kubernetes-validations");

    private static JsonNode ofMigrations() throws IOException {
        try (InputStream text = NodeSelectorTermSchemaTest.class.getResourceAsStream(
                "/io/kubevirt/ferry/admission/added-node-selector-term.yaml")) {
            ObjectNode schema = (ObjectNode) new ObjectMapper(new YAMLFactory()).readTree(Objects.requireNonNull(text));
            return schema.without(List.of("description", "nullable"));
        }
    }

    private static JsonNode ofVolumeMigrations() {
        ObjectNode schema = new ObjectMapper().valueToTree(NodeSelectorTermSchema.describedAs("…"));
        return relaxed(schema.without("description"));
    }

    private static JsonNode relaxed(JsonNode schema) {
        if (schema instanceof ObjectNode object) {
            object.remove(STRICT);
        }
        schema.forEach(NodeSelectorTermSchemaTest::relaxed);
        return schema;
    }

    @Test
    void theTermOfAVolumeMigrationHasTheWordsAndFieldsOfTheTermOfAMigration() throws IOException {
        assertThat(ofVolumeMigrations()).isEqualTo(ofMigrations());
    }
}
