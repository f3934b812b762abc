package io.kubevirt.ferry.volumes.simulation;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/**
 * JSON patches as the API server applies them: all or nothing, and a {@code test} for null holds where there is nothing at
 * the path in something that is there.
 */
final class StoredPatch {
    private StoredPatch() {}

    /** The object as it would be stored; empty where a test fails or a path leads nowhere. */
    static Optional<ObjectNode> apply(ArrayNode patch, ObjectNode stored) {
        var result = stored.deepCopy();
        for (var operation : patch) {
            if (!apply(operation, result)) {
                return Optional.empty();
            }
        }
        return Optional.of(result);
    }

    private static boolean apply(JsonNode operation, ObjectNode root) {
        var path = JsonPointer.compile(operation.path("path").asText());
        var parent = root.at(path.head());
        var key = path.last().getMatchingProperty();
        var value = operation.path("value");
        return switch (operation.path("op").asText()) {
            case "test" -> parent.isContainerNode() && same(root.at(path), value);
            case "add" -> add(parent, key, value.deepCopy());
            case "replace" -> !root.at(path).isMissingNode() && replace(parent, key, value.deepCopy());
            case "remove" -> !root.at(path).isMissingNode() && remove(parent, key);
            default -> throw new IllegalArgumentException("no such operation: " + operation);
        };
    }

    private static boolean same(JsonNode found, JsonNode value) {
        return value.isNull() ? found.isNull() || found.isMissingNode() : numbers(found, value) || found.equals(value);
    }

    private static boolean numbers(JsonNode found, JsonNode value) {
        return found.isNumber() && value.isNumber() && found.longValue() == value.longValue();
    }

    private static boolean add(JsonNode parent, String key, JsonNode value) {
        if (parent instanceof ObjectNode object) {
            object.set(key, value);
            return true;
        }
        if (parent instanceof ArrayNode array) {
            int index = key.equals("-") ? array.size() : Integer.parseInt(key);
            if (index <= array.size()) {
                array.insert(index, value);
                return true;
            }
        }
        return false;
    }

    private static boolean replace(JsonNode parent, String key, JsonNode value) {
        if (parent instanceof ObjectNode object) {
            object.set(key, value);
        } else {
            ((ArrayNode) parent).set(Integer.parseInt(key), value);
        }
        return true;
    }

    private static boolean remove(JsonNode parent, String key) {
        if (parent instanceof ObjectNode object) {
            object.remove(key);
        } else {
            ((ArrayNode) parent).remove(Integer.parseInt(key));
        }
        return true;
    }
}
