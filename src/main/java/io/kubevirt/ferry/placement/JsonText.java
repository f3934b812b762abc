package io.kubevirt.ferry.placement;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads JSON as Go's decoder does: one value, nothing after it, no leniency. */
final class JsonText {

    // The names in hostile texts must not stay in tables.
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNameLength(TermReader.LONGEST_TEXT)
                    .maxStringLength(TermReader.LONGEST_TEXT)
                    .maxNumberLength(TermReader.LONGEST_TEXT)
                    .build())
            .build();

    private final JsonParser parser;
    private final Bounds bounds = new Bounds();

    private JsonText(JsonParser parser) {
        this.parser = parser;
    }

    static Tree parse(String text) throws UnreadableException {
        try (JsonParser parser = FACTORY.createParser(text)) {
            return new JsonText(parser).whole();
        } catch (JsonProcessingException e) {
            throw new UnreadableException("is not JSON: " + e.getOriginalMessage() + position(e.getLocation()));
        } catch (IOException e) {
            throw new UnreadableException("is not JSON: " + e.getMessage());
        }
    }

    private static String position(@Nullable JsonLocation at) {
        return at == null ? "" : " (line " + at.getLineNr() + ", column " + at.getColumnNr() + ")";
    }

    private Tree whole() throws IOException, UnreadableException {
        parser.nextToken();
        Tree tree = value(0);
        if (parser.nextToken() != null) {
            throw new UnreadableException("is not JSON: there is something after its end");
        }
        return tree;
    }

    private Tree value(int depth) throws IOException, UnreadableException {
        bounds.enter(depth);
        return switch (parser.currentToken()) {
            case START_OBJECT -> object(depth);
            case START_ARRAY -> array(depth);
            case VALUE_STRING -> new Tree.Text(parser.getText());
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> new Tree.Unquoted("a number", parser.getText());
            case VALUE_TRUE, VALUE_FALSE -> new Tree.Unquoted("a boolean", parser.getText());
            case VALUE_NULL -> new Tree.Null();
            case null, default -> throw new UnreadableException("is not JSON: it ends too early");
        };
    }

    private Tree object(int depth) throws IOException, UnreadableException {
        List<Tree.Member> members = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            parser.nextToken();
            members.add(new Tree.Member(name, value(depth + 1)));
        }
        return new Tree.Obj(members);
    }

    private Tree array(int depth) throws IOException, UnreadableException {
        List<Tree> items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            items.add(value(depth + 1));
        }
        return new Tree.Arr(items);
    }
}
