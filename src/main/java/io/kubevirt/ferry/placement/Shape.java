package io.kubevirt.ferry.placement;

import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;

/**
 * The strict decoding of one tree into a term: which fields there are and of which type. What cannot be read is complained
 * about and left empty, so that the rest can still be checked.
 */
final class Shape {

    static final String EXAMPLE = "write for instance {\"matchExpressions\": [{\"key\": \"kubernetes.io/hostname\", "
            + "\"operator\": \"In\", \"values\": [\"node-1\"]}]}";

    private static final List<String> TERM_FIELDS = List.of("matchExpressions", "matchFields");
    private static final List<String> REQUIREMENT_FIELDS = List.of("key", "operator", "values");

    private final List<FieldError> errors = new ArrayList<>();
    private final Set<String> complaints = new HashSet<>();

    List<FieldError> errors() {
        return errors;
    }

    /** Whether the field has an error here already, or is missing because it was misspelt. */
    boolean complainedAbout(String path) {
        return complaints.contains(path);
    }

    NodeSelectorTerm term(FieldPath at, Tree tree) {
        var term = new NodeSelectorTerm();
        for (Tree.Member member : members(at, tree, TERM_FIELDS, "an object with matchExpressions and matchFields")) {
            FieldPath memberAt = at.child(member.name());
            List<NodeSelectorRequirement> requirements =
                    items(memberAt, member.value(), "requirements, each with key and operator", this::requirement);
            switch (member.name()) {
                case "matchExpressions" -> term.setMatchExpressions(requirements);
                default -> term.setMatchFields(requirements);
            }
        }
        return term;
    }

    private NodeSelectorRequirement requirement(FieldPath at, Tree tree) {
        var requirement = new NodeSelectorRequirement();
        for (Tree.Member member : members(at, tree, REQUIREMENT_FIELDS, "an object with key, operator and values")) {
            FieldPath memberAt = at.child(member.name());
            switch (member.name()) {
                case "key" -> requirement.setKey(text(memberAt, member.value()));
                case "operator" -> requirement.setOperator(text(memberAt, member.value()));
                default -> requirement.setValues(items(memberAt, member.value(), "texts", this::value));
            }
        }
        return requirement;
    }

    /** The known members of an object, each once; complains about all others. */
    private List<Tree.Member> members(FieldPath at, Tree tree, List<String> known, String wanted) {
        if (!(tree instanceof Tree.Obj(var members))) {
            if (!(tree instanceof Tree.Null)) {
                complain(at, "must be " + wanted + ", not " + tree.kind());
            }
            return List.of();
        }
        var seen = new HashSet<String>();
        var right = new ArrayList<Tree.Member>();
        for (Tree.Member member : members) {
            FieldPath memberAt = at.child(member.name());
            if (!seen.add(member.name())) {
                complain(memberAt, "is given more than once");
            } else if (known.contains(member.name())) {
                right.add(member);
            } else {
                unknown(at, member.name(), known);
            }
        }
        return right;
    }

    private void unknown(FieldPath at, String name, List<String> known) {
        Optional<String> meant = Spelling.meant(name, known);
        meant.ifPresent(word -> complaints.add(at.child(word).text()));
        complain(
                at.child(name),
                "is not a known field"
                        + meant.map(word -> " (did you mean " + word + "?)").orElse("") + ": use "
                        + String.join(", ", known));
    }

    private <T> List<T> items(FieldPath at, Tree tree, String wanted, BiFunction<FieldPath, Tree, T> reader) {
        if (!(tree instanceof Tree.Arr(var items))) {
            if (!(tree instanceof Tree.Null)) {
                complain(at, "must be a list of " + wanted + ", not " + tree.kind());
            }
            return new ArrayList<>();
        }
        var read = new ArrayList<T>(items.size());
        for (int i = 0; i < items.size(); i++) {
            read.add(reader.apply(at.index(i), items.get(i)));
        }
        return read;
    }

    private String value(FieldPath at, Tree tree) {
        if (tree instanceof Tree.Null) {
            complain(at, "must be a text, not null; for the empty text write \"\"");
        }
        return text(at, tree);
    }

    private String text(FieldPath at, Tree tree) {
        return switch (tree) {
            case Tree.Text(var written) -> written;
            case Tree.Null _ -> "";
            case Tree.Unquoted(var kind, var written) -> {
                complain(
                        at,
                        "must be a text, not " + kind + ": quote it, \""
                                + Quoted.of(written).substring(1));
                yield "";
            }
            case Tree.Obj _, Tree.Arr _ -> {
                complain(at, "must be a text, not " + tree.kind());
                yield "";
            }
        };
    }

    private void complain(FieldPath at, String message) {
        complaints.add(at.text());
        errors.add(at.error(message));
    }
}
