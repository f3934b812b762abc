package io.kubevirt.ferry.placement;

import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** One term that can match: every requirement parsed, at least one of them. */
record TermMatcher(List<Expression> expressions, List<FieldExpression> fields) {

    /** The runtime form of a term; empty if no node can match it: it has no requirement, or one that is not valid. */
    static Optional<TermMatcher> of(NodeSelectorTerm term) {
        var expressions = new ArrayList<Expression>();
        for (NodeSelectorRequirement requirement : Requirements.expressions(term)) {
            Optional<Expression> parsed = expression(requirement);
            if (parsed.isEmpty()) {
                return Optional.empty();
            }
            expressions.add(parsed.get());
        }
        var fields = new ArrayList<FieldExpression>();
        for (NodeSelectorRequirement requirement : Requirements.fields(term)) {
            Optional<FieldExpression> parsed = fieldExpression(requirement);
            if (parsed.isEmpty()) {
                return Optional.empty();
            }
            fields.add(parsed.get());
        }
        return expressions.isEmpty() && fields.isEmpty()
                ? Optional.empty()
                : Optional.of(new TermMatcher(expressions, fields));
    }

    boolean matches(String nodeName, Map<String, String> labels) {
        return expressions.stream().allMatch(expression -> expression.matches(labels))
                // Kubernetes looks at no field of a node without a name.
                && (nodeName.isEmpty() || fields.stream().allMatch(field -> field.matches(nodeName)));
    }

    private static Optional<Expression> expression(NodeSelectorRequirement requirement) {
        String key = Requirements.key(requirement);
        List<String> values = Requirements.values(requirement);
        boolean wellFormed = LabelSyntax.keyProblem(key).isEmpty()
                && values.stream()
                        .allMatch(value -> LabelSyntax.valueProblem(value).isEmpty());
        if (!wellFormed) {
            return Optional.empty();
        }
        return switch (Requirements.operator(requirement)) {
            case "In" -> values.isEmpty() ? Optional.empty() : Optional.of(new In(key, Set.copyOf(values)));
            case "NotIn" -> values.isEmpty() ? Optional.empty() : Optional.of(new NotIn(key, Set.copyOf(values)));
            case "Exists" -> values.isEmpty() ? Optional.of(new Exists(key)) : Optional.empty();
            case "DoesNotExist" -> values.isEmpty() ? Optional.of(new DoesNotExist(key)) : Optional.empty();
            case "Gt" -> integer(values).map(bound -> new Gt(key, bound));
            case "Lt" -> integer(values).map(bound -> new Lt(key, bound));
            default -> Optional.empty();
        };
    }

    private static Optional<Long> integer(List<String> values) {
        OptionalLong integer = values.size() == 1 ? LabelSyntax.integer(values.getFirst()) : OptionalLong.empty();
        return integer.isPresent() ? Optional.of(integer.getAsLong()) : Optional.empty();
    }

    private static Optional<FieldExpression> fieldExpression(NodeSelectorRequirement requirement) {
        String operator = Requirements.operator(requirement);
        List<String> values = Requirements.values(requirement);
        if (values.size() != 1 || !(operator.equals("In") || operator.equals("NotIn"))) {
            return Optional.empty();
        }
        return Optional.of(
                new FieldExpression(Requirements.key(requirement), operator.equals("In"), values.getFirst()));
    }

    /** A requirement on the labels of a node. */
    sealed interface Expression {

        String key();

        default boolean matches(Map<String, String> labels) {
            String label = labels.get(key());
            boolean present = label != null;
            return switch (this) {
                case In in -> present && in.values().contains(label);
                case NotIn notIn -> !present || !notIn.values().contains(label);
                case Exists _ -> present;
                case DoesNotExist _ -> !present;
                case Gt gt -> present && compare(label, gt.bound()) > 0;
                case Lt lt -> present && compare(label, lt.bound()) < 0;
            };
        }

        /** 0, which is neither more nor less, for a label that is not an integer of 64 bits. */
        private static int compare(String label, long bound) {
            OptionalLong value = LabelSyntax.integer(label);
            return value.isPresent() ? Long.compare(value.getAsLong(), bound) : 0;
        }
    }

    record In(String key, Set<String> values) implements Expression {}

    record NotIn(String key, Set<String> values) implements Expression {}

    record Exists(String key) implements Expression {}

    record DoesNotExist(String key) implements Expression {}

    record Gt(String key, long bound) implements Expression {}

    record Lt(String key, long bound) implements Expression {}

    /** A requirement on a field of a node; of a field other than the name Kubernetes takes the value to be empty. */
    record FieldExpression(String key, boolean equal, String value) {

        boolean matches(String nodeName) {
            String actual = key.equals("metadata.name") ? nodeName : "";
            return actual.equals(value) == equal;
        }
    }
}
