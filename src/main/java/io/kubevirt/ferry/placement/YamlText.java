package io.kubevirt.ferry.placement;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.DocumentStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * Reads one YAML document without anchors, aliases and tags. What is not quoted is read as kubectl and the API server do,
 * by the rules of YAML 1.1: {@code yes}, {@code off}, {@code 0x1F} are not texts.
 */
final class YamlText {

    private static final Set<String> NULLS = Set.of("", "~", "null", "Null", "NULL");
    private static final Set<String> BOOLEANS = Set.of(
            "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON", //
            "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF");
    private static final Set<String> NOT_FINITE = Set.of(
            ".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF");
    private static final Pattern NUMBER = Pattern.compile(
            "[-+]?(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|[0-9]+|(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]+)?)");

    private final Iterator<Event> events;
    private final Bounds bounds = new Bounds();

    private YamlText(Iterator<Event> events) {
        this.events = events;
    }

    static Tree parse(String text) throws UnreadableException {
        if (text.chars().anyMatch(c -> c == '\u0085' || c == '\u2028' || c == '\u2029')) {
            // In YAML 1.1 they end a line, and so a comment; in YAML 1.2 they do not.
            throw new UnreadableException("is not YAML: it has a Unicode line separator, which is read in two ways");
        }
        try {
            return new YamlText(new Parse(settings(text)).parseString(text).iterator()).document();
        } catch (MarkedYamlEngineException e) {
            String where = e.getProblemMark()
                    .map(mark -> " (line " + (mark.getLine() + 1) + ", column " + (mark.getColumn() + 1) + ")")
                    .orElse("");
            throw new UnreadableException("is not YAML: " + e.getProblem() + where);
        } catch (YamlEngineException e) {
            throw new UnreadableException("is not YAML: " + e.getMessage());
        } catch (IndexOutOfBoundsException | IllegalStateException | NoSuchElementException e) {
            // The text may be anybody's, and the parser is not ours.
            throw new UnreadableException("is not YAML that can be read");
        }
    }

    private static LoadSettings settings(String text) {
        return LoadSettings.builder()
                .setParseComments(false)
                // Read at one go: at the end of a buffer the parser may split a character of two chars, and fail.
                .setBufferSize(text.length() + 1)
                .build();
    }

    private Tree document() throws UnreadableException {
        events.next();
        Event start = events.next();
        if (!(start instanceof DocumentStartEvent)) {
            return new Tree.Null();
        }
        Tree tree = node(events.next(), 0);
        events.next();
        if (events.next() instanceof DocumentStartEvent) {
            throw new UnreadableException("has more than one YAML document");
        }
        return tree;
    }

    private Tree node(Event event, int depth) throws UnreadableException {
        bounds.enter(depth);
        if (event instanceof AliasEvent) {
            throw new UnreadableException("has a YAML alias" + at(event) + ": write the value out");
        }
        if (event instanceof NodeEvent node && node.getAnchor().isPresent()) {
            throw new UnreadableException("has a YAML anchor" + at(event) + ": leave it out");
        }
        return switch (event.getEventId()) {
            case Scalar -> scalar((ScalarEvent) event);
            case SequenceStart -> sequence(event, depth);
            case MappingStart -> mapping(event, depth);
            default -> throw new UnreadableException("is not YAML" + at(event));
        };
    }

    private Tree mapping(Event start, int depth) throws UnreadableException {
        refuseTag(((CollectionStartEvent) start).getTag(), start);
        List<Tree.Member> members = new ArrayList<>();
        for (Event event = events.next(); event.getEventId() != Event.ID.MappingEnd; event = events.next()) {
            Tree name = node(event, depth + 1);
            if (!(name instanceof Tree.Scalar scalar)) {
                throw new UnreadableException("has " + name.kind() + " for a field name" + at(event));
            }
            Event value = events.next();
            refuseGlued(event, value);
            members.add(new Tree.Member(scalar.written(), node(value, depth + 1)));
        }
        return new Tree.Obj(members);
    }

    /** {@code values:[r7]}, which YAML 1.2 allows within braces and Kubernetes' parser does not. */
    private static void refuseGlued(Event name, Event value) throws UnreadableException {
        boolean plainName = name instanceof ScalarEvent scalar && scalar.isPlain();
        boolean emptyValue =
                value instanceof ScalarEvent scalar && scalar.getValue().isEmpty() && scalar.isPlain();
        int nameEnd = name.getEndMark().orElseThrow().getIndex();
        if (plainName && !emptyValue && value.getStartMark().orElseThrow().getIndex() == nameEnd + 1) {
            throw new UnreadableException("is not YAML: there must be a space after ':'" + at(value));
        }
    }

    private Tree sequence(Event start, int depth) throws UnreadableException {
        refuseTag(((CollectionStartEvent) start).getTag(), start);
        List<Tree> items = new ArrayList<>();
        for (Event event = events.next(); event.getEventId() != Event.ID.SequenceEnd; event = events.next()) {
            items.add(node(event, depth + 1));
        }
        return new Tree.Arr(items);
    }

    private static Tree scalar(ScalarEvent event) throws UnreadableException {
        refuseTag(event.getTag(), event);
        String value = event.getValue();
        if (!event.isPlain()) {
            return new Tree.Text(value);
        }
        if (NULLS.contains(value)) {
            return new Tree.Null();
        }
        if (BOOLEANS.contains(value)) {
            return new Tree.Unquoted("a boolean", value);
        }
        return isNumber(value) ? new Tree.Unquoted("a number", value) : new Tree.Text(value);
    }

    /** Whether the word must be quoted to be a text. */
    static boolean isNotText(String word) {
        return NULLS.contains(word) || BOOLEANS.contains(word) || isNumber(word);
    }

    private static boolean isNumber(String plain) {
        if (NOT_FINITE.contains(plain)) {
            return true;
        }
        boolean digits = plain.charAt(0) != '_' && plain.charAt(0) != '.';
        return NUMBER.matcher(digits ? plain.replace("_", "") : plain).matches();
    }

    private static void refuseTag(Optional<String> tag, Event event) throws UnreadableException {
        if (tag.isPresent()) {
            throw new UnreadableException("has a YAML tag" + at(event) + ": leave it out");
        }
    }

    private static String at(Event event) {
        return event.getStartMark()
                .map(mark -> " at line " + (mark.getLine() + 1) + ", column " + (mark.getColumn() + 1))
                .orElse("");
    }
}
