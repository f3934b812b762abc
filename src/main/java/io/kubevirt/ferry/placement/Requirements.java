package io.kubevirt.ferry.placement;

import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The parts of a term without nulls, which Kubernetes takes for empty. */
final class Requirements {

    private Requirements() {}

    static List<NodeSelectorTerm> terms(NodeSelector selector) {
        return present(selector.getNodeSelectorTerms(), new NodeSelectorTerm());
    }

    static List<NodeSelectorRequirement> expressions(NodeSelectorTerm term) {
        return present(term.getMatchExpressions(), new NodeSelectorRequirement());
    }

    static List<NodeSelectorRequirement> fields(NodeSelectorTerm term) {
        return present(term.getMatchFields(), new NodeSelectorRequirement());
    }

    /** Whether the term has no requirement at all, with which it matches nothing. */
    static boolean none(NodeSelectorTerm term) {
        return expressions(term).isEmpty() && fields(term).isEmpty();
    }

    /** The term without the requirements that the other one has too. */
    static NodeSelectorTerm without(NodeSelectorTerm term, NodeSelectorTerm other) {
        return new NodeSelectorTerm(
                without(expressions(term), expressions(other)), without(fields(term), fields(other)));
    }

    private static List<NodeSelectorRequirement> without(
            List<NodeSelectorRequirement> list, List<NodeSelectorRequirement> others) {
        return list.stream()
                .filter(requirement -> others.stream().noneMatch(other -> same(requirement, other)))
                .toList();
    }

    private static boolean same(NodeSelectorRequirement one, NodeSelectorRequirement other) {
        return key(one).equals(key(other))
                && operator(one).equals(operator(other))
                && values(one).equals(values(other));
    }

    static String key(NodeSelectorRequirement requirement) {
        return present(requirement.getKey());
    }

    static String operator(NodeSelectorRequirement requirement) {
        return present(requirement.getOperator());
    }

    static List<String> values(NodeSelectorRequirement requirement) {
        return present(requirement.getValues(), "");
    }

    private static <T> List<T> present(@Nullable List<@Nullable T> list, T instead) {
        if (list == null) {
            return List.of();
        }
        var present = new ArrayList<T>(list.size());
        for (T item : list) {
            present.add(item == null ? instead : item);
        }
        return present;
    }

    private static String present(@Nullable String text) {
        return text == null ? "" : text;
    }
}
