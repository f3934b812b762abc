package io.kubevirt.ferry.admission;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.kubevirt.ferry.patch.JsonPatch;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * The field {@value DirectedMigration#FIELD} in KubeVirt's CustomResourceDefinition of migrations: the patches that put it
 * there and take it out again.
 *
 * <p>Ours is known by a word in its description. A field of that name without it is KubeVirt's own and left alone.
 */
public final class TypedField {
    /** The name of the definition. */
    public static final String DEFINITION = "virtualmachineinstancemigrations.kubevirt.io";

    private static final String MARK = "kubevirt-ferry";
    private static final JsonNode SCHEMA = schema();

    /** What a definition says of the field. */
    public enum Presence {
        /** Each served version has it, from us. */
        OURS,
        /** A served version lacks it. */
        MISSING,
        /** KubeVirt has a field of that name itself. */
        KUBEVIRTS
    }

    private TypedField() {}

    public static Presence in(JsonNode definition) {
        boolean missing = false;
        for (JsonNode version : definition.at("/spec/versions")) {
            JsonNode field = field(version);
            if (isOfOthers(field)) {
                return Presence.KUBEVIRTS;
            }
            missing |= takes(version) && field.isMissingNode();
        }
        return missing ? Presence.MISSING : Presence.OURS;
    }

    /** What adds the field to each served version that lacks it; nothing where KubeVirt has it itself. */
    public static JsonPatch addition(JsonNode definition) {
        return in(definition) == Presence.KUBEVIRTS
                ? JsonPatch.start()
                : patch(definition, version -> takes(version) && field(version).isMissingNode(), true);
    }

    /** What takes our field out of each version that has it. */
    public static JsonPatch removal(JsonNode definition) {
        return patch(definition, version -> isOurs(field(version)), false);
    }

    private static JsonPatch patch(JsonNode definition, Predicate<JsonNode> wanted, boolean add) {
        JsonPatch patch = JsonPatch.start();
        JsonNode versions = definition.at("/spec/versions");
        for (int i = 0; i < versions.size(); i++) {
            // One without a name is refused by the API server: nothing is to be done for it.
            if (versions.path(i).path("name").isTextual() && wanted.test(versions.path(i))) {
                String version = "/spec/versions/" + i;
                String pointer =
                        version + "/schema/openAPIV3Schema/properties/spec/properties/" + DirectedMigration.FIELD;
                patch.test(version + "/name", versions.path(i).path("name"));
                if (add) {
                    patch.add(pointer, SCHEMA);
                } else {
                    patch.remove(pointer);
                }
            }
        }
        return patch;
    }

    /** Whether a version is served and has a structural spec, into which a field can be put. */
    private static boolean takes(JsonNode version) {
        return version.path("served").asBoolean()
                && version.at("/schema/openAPIV3Schema/properties/spec/properties")
                        .isObject();
    }

    private static JsonNode field(JsonNode version) {
        return version.at("/schema/openAPIV3Schema/properties/spec/properties/" + DirectedMigration.FIELD);
    }

    private static boolean isOurs(JsonNode field) {
        return field.path("description").asText().contains(MARK);
    }

    private static boolean isOfOthers(JsonNode field) {
        return !field.isMissingNode() && !isOurs(field);
    }

    private static JsonNode schema() {
        try (InputStream text = TypedField.class.getResourceAsStream("added-node-selector-term.yaml")) {
            return new ObjectMapper(new YAMLFactory()).readTree(Objects.requireNonNull(text));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
