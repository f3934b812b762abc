package io.kubevirt.ferry.placement;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** JSON or YAML as it was written: members in their order, repeated ones too. */
sealed interface Tree {

    record Obj(List<Member> members) implements Tree {}

    record Member(String name, Tree value) {}

    record Arr(List<Tree> items) implements Tree {}

    /** What may stand for a field name in YAML. */
    sealed interface Scalar extends Tree {

        String written();
    }

    record Text(String written) implements Scalar {}

    /** A number or a boolean. */
    record Unquoted(String kind, String written) implements Scalar {}

    record Null() implements Scalar {

        @Override
        public String written() {
            return "null";
        }
    }

    /** What it is, for a message: "a list". */
    default String kind() {
        return switch (this) {
            case Obj _ -> "an object";
            case Arr _ -> "a list";
            case Text _ -> "a text";
            case Unquoted unquoted -> unquoted.kind();
            case Null _ -> "null";
        };
    }

    static Tree of(JsonNode node) throws UnreadableException {
        return of(node, 0, new Bounds());
    }

    private static Tree of(JsonNode node, int depth, Bounds bounds) throws UnreadableException {
        bounds.enter(depth);
        return switch (node.getNodeType()) {
            case OBJECT -> {
                var members = new ArrayList<Member>();
                for (Map.Entry<String, JsonNode> member : node.properties()) {
                    members.add(new Member(member.getKey(), of(member.getValue(), depth + 1, bounds)));
                }
                yield new Obj(members);
            }
            case ARRAY -> {
                var items = new ArrayList<Tree>();
                for (JsonNode item : node) {
                    items.add(of(item, depth + 1, bounds));
                }
                yield new Arr(items);
            }
            case STRING -> new Text(node.textValue());
            case NUMBER -> new Unquoted("a number", node.asText());
            case BOOLEAN -> new Unquoted("a boolean", node.asText());
            case NULL, MISSING -> new Null();
            case BINARY, POJO -> throw new UnreadableException("is not JSON");
        };
    }
}
