package io.kubevirt.ferry.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.kubevirt.ferry.kubevirt.LauncherPod;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;

/** Target pods, shaped and sized as virt-controller makes them of a VM with two disks and a node affinity of its owner. */
final class TargetPods {
    /** A term in JSON. */
    static final String JSON_TERM =
            "{\"matchExpressions\": [{\"key\": \"rack\", \"operator\": \"In\", \"values\": [\"r7\", \"r8\"]}],"
                    + " \"matchFields\": [{\"key\": \"metadata.name\", \"operator\": \"NotIn\", \"values\": [\"node-17\"]}]}";

    /** The same in YAML. */
    static final String YAML_TERM = """
            matchExpressions:
            - {key: rack, operator: In, values: [r7, r8]}
            matchFields:
            - {key: metadata.name, operator: NotIn, values: [node-17]}
            """;

    private static final JsonNode POD = pod();

    private TargetPods() {}

    /**
     * A pod as JSON. No scheduler takes it, so that creating it costs nothing but that.
     *
     * @param migration the name of its migration
     */
    static String of(String namespace, String migration, String migrationUid) {
        JsonNode pod = POD.deepCopy();
        ((ObjectNode) pod.at("/metadata")).put("namespace", namespace);
        ((ObjectNode) pod.at("/metadata/labels")).put(LauncherPod.MIGRATION_UID_LABEL, migrationUid);
        ((ObjectNode) pod.at("/metadata/annotations")).put(LauncherPod.MIGRATION_NAME_ANNOTATION, migration);
        return pod.toString();
    }

    private static JsonNode pod() {
        try (InputStream text =
                Objects.requireNonNull(TargetPods.class.getResourceAsStream("target-pod.yaml"), "target-pod.yaml")) {
            return new ObjectMapper(new YAMLFactory()).readTree(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
