package io.kubevirt.ferry.placement;

import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The rules of Kubernetes for a required node affinity term of a new pod, and one of its scheduler: the value of
 * {@code Gt} and {@code Lt} is a 64-bit integer, without which the term would be accepted and never match.
 */
public final class TermValidation {

    static final List<String> OPERATORS = List.of("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt");

    private static final String NODE_NAME = "metadata.name";
    private static final List<String> FIELD_OPERATORS = List.of("In", "NotIn");

    private TermValidation() {}

    /**
     * Everything wrong with {@code term}, in the order of its fields; empty if it is right. A term without requirements
     * is right here, as it is for Kubernetes: it matches nothing.
     */
    public static List<FieldError> validate(String rootPath, NodeSelectorTerm term) {
        var root = new FieldPath(rootPath);
        var errors = new ArrayList<FieldError>();
        List<NodeSelectorRequirement> expressions = Requirements.expressions(term);
        for (int i = 0; i < expressions.size(); i++) {
            expression(root.child("matchExpressions").index(i), expressions.get(i), errors);
        }
        List<NodeSelectorRequirement> fields = Requirements.fields(term);
        for (int i = 0; i < fields.size(); i++) {
            field(root.child("matchFields").index(i), fields.get(i), errors);
        }
        return List.copyOf(errors);
    }

    private static void expression(FieldPath at, NodeSelectorRequirement requirement, List<FieldError> errors) {
        String key = Requirements.key(requirement);
        String operator = Requirements.operator(requirement);
        List<String> values = Requirements.values(requirement);
        LabelSyntax.keyProblem(key)
                .ifPresent(problem -> errors.add(at.child("key")
                        .error(
                                key.isEmpty()
                                        ? "must name a label"
                                        : Quoted.of(key) + " is not a label key: " + problem)));
        FieldPath valuesAt = at.child("values");
        boolean wantsInteger = false;
        switch (operator) {
            case "In", "NotIn" -> {
                if (values.isEmpty()) {
                    errors.add(valuesAt.error("must have at least one value with the operator " + operator));
                }
            }
            case "Exists", "DoesNotExist" -> {
                if (!values.isEmpty()) {
                    errors.add(valuesAt.error("must be left out with the operator " + operator
                            + "; to compare with values use In or NotIn"));
                }
            }
            case "Gt", "Lt" -> {
                if (values.size() != 1) {
                    errors.add(valuesAt.error("must have exactly one value, an integer, with the operator " + operator
                            + ", not " + values.size()));
                }
                wantsInteger = values.size() == 1;
            }
            default -> errors.add(at.child("operator").error(wrongOperator(operator, OPERATORS)));
        }
        for (int i = 0; i < values.size(); i++) {
            Optional<String> problem = valueProblem(values.get(i), operator, wantsInteger);
            if (problem.isPresent()) {
                errors.add(valuesAt.index(i).error(Quoted.of(values.get(i)) + problem.get()));
            }
        }
    }

    private static Optional<String> valueProblem(String value, String operator, boolean wantsInteger) {
        Optional<String> problem = LabelSyntax.valueProblem(value);
        if (wantsInteger && LabelSyntax.integer(value).isEmpty()) {
            return Optional.of(" is not an integer of 64 bits, which the operator " + operator
                    + " compares with; no node would match");
        }
        if (wantsInteger && problem.isPresent()) {
            return Optional.of(" is not a label value: a sign is not allowed, only digits");
        }
        return problem.map(what -> " is not a label value: " + what);
    }

    private static void field(FieldPath at, NodeSelectorRequirement requirement, List<FieldError> errors) {
        String key = Requirements.key(requirement);
        String operator = Requirements.operator(requirement);
        List<String> values = Requirements.values(requirement);
        boolean nodeName = key.equals(NODE_NAME);
        if (!nodeName) {
            errors.add(at.child("key")
                    .error(
                            key.isEmpty()
                                    ? "must be " + NODE_NAME + ", the only field to match"
                                    : Quoted.of(key) + " is not a field to match: the only one is " + NODE_NAME
                                            + "; labels go into matchExpressions"));
        }
        if (!FIELD_OPERATORS.contains(operator)) {
            errors.add(at.child("operator").error(wrongOperator(operator, FIELD_OPERATORS)));
        } else if (values.size() != 1) {
            errors.add(at.child("values")
                    .error("must have exactly one value in matchFields, not " + values.size()
                            + "; for several nodes use matchExpressions with the label kubernetes.io/hostname"));
        }
        for (int i = 0; nodeName && i < values.size(); i++) {
            String value = values.get(i);
            FieldPath valueAt = at.child("values").index(i);
            LabelSyntax.subdomainProblem(value)
                    .ifPresent(
                            problem -> errors.add(valueAt.error(Quoted.of(value) + " is not a node name: " + problem)));
        }
    }

    private static String wrongOperator(String operator, List<String> right) {
        String uses = "use one of " + String.join(", ", right);
        if (operator.isEmpty()) {
            return "must be given: " + uses;
        }
        String meant = Spelling.meant(operator, right)
                .map(word -> " (did you mean " + word + "?)")
                .orElse("");
        return Quoted.of(operator) + " is not a valid operator" + meant + ": " + uses;
    }
}
