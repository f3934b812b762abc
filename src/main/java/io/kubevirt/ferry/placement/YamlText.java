package io.kubevirt.ferry.placement;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
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

    private static final LoadSettings SETTINGS = LoadSettings.builder()
            .setParseComments(false)
            .setCodePointLimit(TermReader.LONGEST_TEXT + 1)
            .build();

    private static final Set<String> NULLS = Set.of("", "~", "null", "Null", "NULL");
    private static final Set<String> BOOLEANS = Set.of(
            "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON", //
            "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF");
    private static final Set<String> NOT_FINITE = Set.of(
            ".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF");
    private static final Pattern NUMBER = Pattern.compile(
            "[-+]?(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|[0-9]+|(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]+)?)");

    private final Iterator<Event> events;

    private YamlText(Iterator<Event> events) {
        this.events = events;
    }

    static Tree parse(String text) throws UnreadableException {
        try {
            return new YamlText(new Parse(SETTINGS).parseString(text).iterator()).document();
        } catch (MarkedYamlEngineException e) {
            String where = e.getProblemMark()
                    .map(mark -> " (line " + (mark.getLine() + 1) + ", column " + (mark.getColumn() + 1) + ")")
                    .orElse("");
            throw new UnreadableException("is not YAML: " + e.getProblem() + where);
        } catch (YamlEngineException e) {
            throw new UnreadableException("is not YAML: " + e.getMessage());
        }
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
        UnreadableException.ifDeeperThan(Tree.DEEPEST, depth);
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
            members.add(new Tree.Member(scalar.written(), node(events.next(), depth + 1)));
        }
        return new Tree.Obj(members);
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
