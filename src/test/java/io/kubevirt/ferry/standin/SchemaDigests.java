package io.kubevirt.ferry.standin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Makes the digests of the schemas of KubeVirt's own definitions, against which those of the stand-in and the read models
 * are held: each field and its type, in the notation of {@link Fields}.
 */
final class SchemaDigests {

    /** Which KubeVirt the digests are of. */
    static final String OF = "KubeVirt main of August 2026";

    static final List<Kind> KINDS = List.of(Kind.VM, Kind.VMI, Kind.VMIM, Kind.KUBEVIRT);

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String INSTANCE = "instancespec";

    private SchemaDigests() {}

    /** Arguments: the folder of the definitions as JSON, and the folder for the digests. */
    public static void main(String[] args) throws IOException {
        Files.createDirectories(Path.of(args[1]));
        for (Map.Entry<String, String> digest : digests(Path.of(args[0])).entrySet()) {
            Files.writeString(Path.of(args[1]).resolve(digest.getKey() + ".fields"), digest.getValue());
        }
    }

    /** The digests as they are in the test resources, the part that VMs and VMIs share apart. */
    static Map<String, String> digests(Path definitions) {
        Map<String, String> digests = new TreeMap<>();
        Map<String, String> spec = under("spec.", fields(definitions, Kind.VMI));
        digests.put(INSTANCE, print(spec));
        for (Kind kind : KINDS) {
            Map<String, String> fields = fields(definitions, kind);
            String prefix = kind == Kind.VM ? "spec.template.spec." : "spec.";
            if (under(prefix, fields).equals(spec)) {
                fields.keySet().removeIf(path -> path.startsWith(prefix));
                fields.put(prefix.substring(0, prefix.length() - 1), "@" + INSTANCE);
            }
            digests.put(kind.plural, print(fields));
        }
        return digests;
    }

    private static String print(Map<String, String> fields) {
        return "# " + OF + "\n"
                + fields.entrySet().stream()
                        .map(field -> field.getKey() + " " + field.getValue() + "\n")
                        .collect(Collectors.joining());
    }

    private static Map<String, String> under(String prefix, Map<String, String> fields) {
        Map<String, String> below = new TreeMap<>();
        fields.forEach((path, type) -> {
            if (path.startsWith(prefix)) {
                below.put(path.substring(prefix.length()), type);
            }
        });
        return below;
    }

    private static Map<String, String> fields(Path definitions, Kind kind) {
        try {
            JsonNode definition = JSON.readTree(definitions
                    .resolve(kind.plural + "." + kind.group + ".json")
                    .toFile());
            Map<String, String> fields = new TreeMap<>();
            for (JsonNode version : definition.path("spec").path("versions")) {
                walk("", version.path("schema").path("openAPIV3Schema"), fields);
            }
            fields.keySet().removeAll(List.of("apiVersion", "kind", "metadata"));
            return fields;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void walk(String path, JsonNode schema, Map<String, String> fields) {
        if (schema.has("items")) {
            walk(path + "[]", schema.path("items"), fields);
        } else if (schema.path("additionalProperties").isObject()) {
            walk(path + "{}", schema.path("additionalProperties"), fields);
        } else if (schema.path("properties").isEmpty()) {
            fields.put(path, type(schema).text() + (schema.path("nullable").asBoolean() ? "?" : ""));
        } else {
            String prefix = path.isEmpty() ? "" : path + ".";
            schema.path("properties")
                    .properties()
                    .forEach(property -> walk(prefix + property.getKey(), property.getValue(), fields));
        }
    }

    private static Fields.Type type(JsonNode schema) {
        if (schema.path("x-kubernetes-int-or-string").asBoolean()) {
            return Fields.Type.QUANTITY;
        }
        if (schema.path("x-kubernetes-preserve-unknown-fields").asBoolean()) {
            return Fields.Type.ANY;
        }
        return switch (schema.path("type").asText()) {
            case "string" ->
                schema.path("format").asText().equals("date-time") ? Fields.Type.DATE_TIME : Fields.Type.STRING;
            case "boolean" -> Fields.Type.BOOLEAN;
            case "integer" -> Fields.Type.INTEGER;
            case "number" -> Fields.Type.NUMBER;
            case "object" -> Fields.Type.OBJECT;
            default -> throw new IllegalArgumentException("no type for " + schema);
        };
    }
}
