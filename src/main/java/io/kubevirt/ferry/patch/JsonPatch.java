package io.kubevirt.ferry.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;

/** A JSON patch (RFC 6902) under construction. */
public final class JsonPatch {
    private final ArrayNode operations = JsonNodeFactory.instance.arrayNode();

    /** A patch that starts empty. */
    public static JsonPatch start() {
        return new JsonPatch();
    }

    private JsonPatch() {}

    public JsonPatch add(String pointer, JsonNode value) {
        return operation("add", pointer, value);
    }

    public JsonPatch replace(String pointer, JsonNode value) {
        return operation("replace", pointer, value);
    }

    /** Makes the whole patch fail unless the value is there, exactly so. */
    public JsonPatch test(String pointer, JsonNode value) {
        return operation("test", pointer, value);
    }

    public JsonPatch remove(String pointer) {
        operations.addObject().put("op", "remove").put("path", pointer);
        return this;
    }

    /** Continues with the operations of another patch. */
    public JsonPatch append(JsonPatch other) {
        operations.addAll(other.operations);
        return this;
    }

    public ArrayNode build() {
        return operations;
    }

    /** One step of a JSON pointer (RFC 6901) that stands for a key with {@code ~} or {@code /} in it. */
    public static String step(String key) {
        return key.replace("~", "~0").replace("/", "~1");
    }

    private JsonPatch operation(String op, String pointer, JsonNode value) {
        operations.addObject().put("op", op).put("path", pointer).set("value", value);
        return this;
    }
}
