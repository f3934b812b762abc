package io.kubevirt.ferry.standin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** A JSON patch that tests what it changes: writes that care about some fields only, and fail if those have changed. */
final class TestedPatch {

    private final ArrayNode operations = Item.object().putArray("operations");

    /** Replaces what was read at a path, if it is still so; adds it where there was nothing; without a new value, removes it. */
    TestedPatch change(String path, JsonNode read, JsonNode value) {
        if (read.equals(value)) {
            return this;
        }
        if (read.isMissingNode()) {
            operations.addObject().put("op", "add").put("path", path).set("value", value);
            return this;
        }
        operations.addObject().put("op", "test").put("path", path).set("value", read);
        ObjectNode operation = operations.addObject().put("path", path);
        if (value.isMissingNode()) {
            operation.put("op", "remove");
        } else {
            operation.put("op", "replace").set("value", value);
        }
        return this;
    }

    boolean isEmpty() {
        return operations.isEmpty();
    }

    @Override
    public String toString() {
        return operations.toString();
    }
}
