package io.kubevirt.ferry.admission;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A document with one of its nodes replaced by another. */
public final class Mutants {
    /** One of each type that JSON has, and the ends of some. */
    public static final List<JsonNode> VALUES = Stream.of(
                    "null",
                    "true",
                    "0",
                    "-1.5e300",
                    "123456789012345678901234567890",
                    "''",
                    "'text'",
                    "\"two\\nlines\"",
                    "[]",
                    "[[]]",
                    "[null]",
                    "['']",
                    "[{}]",
                    "{}",
                    "{'': null}",
                    "{'a': {'a': {}}}")
            .map(text -> text.replace('\'', '"'))
            .map(Mutants::json)
            .toList();

    private Mutants() {}

    private static JsonNode json(String text) {
        try {
            return Reviews.JSON.readTree(text);
        } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** Where every node of a document is, the document itself included. */
    public static List<JsonPointer> pointers(JsonNode document) {
        List<JsonPointer> found = new ArrayList<>();
        collect(JsonPointer.empty(), document, found);
        return found;
    }

    private static void collect(JsonPointer at, JsonNode node, List<JsonPointer> found) {
        found.add(at);
        node.properties().forEach(member -> collect(at.appendProperty(member.getKey()), member.getValue(), found));
        for (int i = 0; node.isArray() && i < node.size(); i++) {
            collect(at.appendIndex(i), node.get(i), found);
        }
    }

    /** The document with another node there. */
    public static JsonNode with(JsonNode document, JsonPointer at, JsonNode value) {
        if (at.matches()) {
            return value;
        }
        JsonNode copy = document.deepCopy();
        switch (copy.at(at.head())) {
            case ObjectNode parent -> parent.set(at.last().getMatchingProperty(), value);
            case ArrayNode parent -> parent.set(at.last().getMatchingIndex(), value);
            default -> throw new IllegalArgumentException("there is nothing at " + at);
        }
        return copy;
    }

    /** The document without the node there; it cannot be the document itself. */
    static JsonNode without(JsonNode document, JsonPointer at) {
        JsonNode copy = document.deepCopy();
        switch (copy.at(at.head())) {
            case ObjectNode parent -> parent.remove(at.last().getMatchingProperty());
            case ArrayNode parent -> parent.remove(at.last().getMatchingIndex());
            default -> throw new IllegalArgumentException("there is nothing at " + at);
        }
        return copy;
    }
}
