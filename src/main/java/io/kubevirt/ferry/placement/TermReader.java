package io.kubevirt.ferry.placement;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads a term strictly, as Kubernetes decodes and validates one, and names everything that is wrong with it at once.
 *
 * <p>Beyond Kubernetes it refuses what could only be a mistake: an empty term, which would match no node; an item of
 * {@code values} that is null, which Kubernetes reads as the empty text; and in YAML anchors, aliases and tags. Never
 * throws, whatever the text, and gives up early on one that is too long or too deep.
 */
public final class TermReader {

    /** What Kubernetes allows for all annotations of an object together, in bytes. */
    static final int LONGEST_TEXT = 256 * 1024;

    private static final int MOST_ERRORS = 32;

    private static final String NO_REQUIREMENT =
            "has no requirement and would match no node: give at least one in matchExpressions or matchFields";

    private TermReader() {}

    /**
     * Reads JSON or one document of YAML.
     *
     * @param rootPath what the paths of the errors start with
     */
    public static TermReading read(String rootPath, String text) {
        var root = new FieldPath(rootPath);
        if (text.length() > LONGEST_TEXT) {
            return invalid(
                    root, "is longer than " + LONGEST_TEXT + " characters, which is all that annotations may have");
        }
        if (text.isBlank()) {
            return invalid(root, "is empty: " + Shape.EXAMPLE);
        }
        try {
            return read(root, parse(text));
        } catch (UnreadableException e) {
            return invalid(root, e.getMessage());
        }
    }

    /**
     * Reads what has been parsed before.
     *
     * @param rootPath what the paths of the errors start with
     */
    public static TermReading read(String rootPath, JsonNode tree) {
        var root = new FieldPath(rootPath);
        try {
            return read(root, Tree.of(tree));
        } catch (UnreadableException e) {
            return invalid(root, e.getMessage());
        }
    }

    private static Tree parse(String text) throws UnreadableException {
        String start = text.stripLeading();
        if (!start.startsWith("{")) {
            return YamlText.parse(text);
        }
        try {
            return JsonText.parse(text);
        } catch (UnreadableException notJson) {
            // A YAML mapping may start with a brace too.
            try {
                return YamlText.parse(text);
            } catch (UnreadableException notYaml) {
                boolean meantAsJson = start.substring(1).stripLeading().startsWith("\"");
                throw meantAsJson ? notJson : notYaml;
            }
        }
    }

    private static TermReading read(FieldPath root, Tree tree) {
        var shape = new Shape();
        NodeSelectorTerm term = shape.term(root, tree);
        List<FieldError> errors = new ArrayList<>(shape.errors());
        for (FieldError error : TermValidation.validate(root.text(), term)) {
            if (!shape.complainedAbout(error.field())) {
                errors.add(error);
            }
        }
        if (errors.isEmpty() && Requirements.none(term)) {
            errors.add(root.error(NO_REQUIREMENT));
        }
        return errors.isEmpty() ? new TermReading.Valid(term) : new TermReading.Invalid(atMost(root, errors));
    }

    private static List<FieldError> atMost(FieldPath root, List<FieldError> errors) {
        if (errors.size() <= MOST_ERRORS) {
            return errors;
        }
        var some = new ArrayList<>(errors.subList(0, MOST_ERRORS));
        some.add(root.error("has " + (errors.size() - MOST_ERRORS) + " more errors"));
        return some;
    }

    private static TermReading invalid(FieldPath root, String message) {
        return new TermReading.Invalid(List.of(root.error(message)));
    }
}
