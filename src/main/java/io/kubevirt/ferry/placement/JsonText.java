package io.kubevirt.ferry.placement;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Reads JSON as Go's decoder does: one value, nothing after it, no leniency. */
final class JsonText {

    // The names in hostile texts must not stay in tables.
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .build();

    private JsonText() {}

    static Tree parse(String text) throws UnreadableException {
        try (JsonParser parser = FACTORY.createParser(text)) {
            parser.nextToken();
            Tree tree = value(parser, 0);
            if (parser.nextToken() != null) {
                throw new UnreadableException("has something after the end of the JSON value");
            }
            return tree;
        } catch (JsonProcessingException e) {
            throw new UnreadableException("is not JSON: " + e.getOriginalMessage()
                    + position(e.getLocation().getLineNr(), e.getLocation().getColumnNr()));
        } catch (IOException e) {
            throw new UnreadableException("is not JSON: " + e.getMessage());
        }
    }

    private static String position(int line, int column) {
        return " (line " + line + ", column " + column + ")";
    }

    private static Tree value(JsonParser parser, int depth) throws IOException, UnreadableException {
        UnreadableException.ifDeeperThan(Tree.DEEPEST, depth);
        return switch (parser.currentToken()) {
            case START_OBJECT -> object(parser, depth);
            case START_ARRAY -> array(parser, depth);
            case VALUE_STRING -> new Tree.Text(parser.getText());
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> new Tree.Unquoted("a number", parser.getText());
            case VALUE_TRUE, VALUE_FALSE -> new Tree.Unquoted("a boolean", parser.getText());
            case VALUE_NULL -> new Tree.Null();
            case null, default -> throw new UnreadableException("is not JSON: it ends too early");
        };
    }

    private static Tree object(JsonParser parser, int depth) throws IOException, UnreadableException {
        List<Tree.Member> members = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            parser.nextToken();
            members.add(new Tree.Member(name, value(parser, depth + 1)));
        }
        return new Tree.Obj(members);
    }

    private static Tree array(JsonParser parser, int depth) throws IOException, UnreadableException {
        List<Tree> items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            items.add(value(parser, depth + 1));
        }
        return new Tree.Arr(items);
    }
}
