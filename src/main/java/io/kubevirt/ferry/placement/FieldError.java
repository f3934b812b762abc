package io.kubevirt.ferry.placement;

import java.util.List;
import java.util.stream.Collectors;

/**
 * One thing that is wrong with a term, and the way out.
 *
 * @param field where, as Kubernetes writes paths: {@code spec.addedNodeSelectorTerm.matchExpressions[0].values[1]}
 * @param message what is wrong, with the value, and what would be right; one line
 */
public record FieldError(String field, String message) {

    /** All of them, in one line. */
    public static String inOneLine(List<FieldError> errors) {
        return errors.stream().map(FieldError::toString).collect(Collectors.joining("; "));
    }

    @Override
    public String toString() {
        return field + ": " + message;
    }
}
