package io.kubevirt.ferry.placement;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.NodeAffinity;
import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Required node affinity made ready for matching: terms are ORed, the requirements of a term are ANDed.
 *
 * <p>The meaning is that of the scheduler: an empty term matches no node, nor does one with a requirement that cannot be
 * parsed, while the other terms go on matching; a selector without terms matches no node.
 */
public final class NodeMatcher {

    private static final NodeMatcher EVERY_NODE = new NodeMatcher(Optional.empty());

    /** Empty: no affinity is required, every node will do. */
    private final Optional<List<TermMatcher>> terms;

    private NodeMatcher(Optional<List<TermMatcher>> terms) {
        this.terms = terms;
    }

    public static NodeMatcher of(NodeSelectorTerm term) {
        return of(List.of(term));
    }

    public static NodeMatcher of(NodeSelector selector) {
        return of(Requirements.terms(selector));
    }

    /** What the pod's affinity requires of its node; every node matches where it requires nothing. */
    public static NodeMatcher ofRequired(@Nullable Affinity affinity) {
        if (affinity == null
                || affinity.getNodeAffinity() == null
                || affinity.getNodeAffinity().getRequiredDuringSchedulingIgnoredDuringExecution() == null) {
            return EVERY_NODE;
        }
        return of(affinity.getNodeAffinity().getRequiredDuringSchedulingIgnoredDuringExecution());
    }

    /**
     * What the affinity requires beside an added term, that is to say without the requirements that are in the term. Of the
     * nodes that match the term this matches just those that {@link #ofRequired} matches.
     */
    static NodeMatcher ofRequiredBeyond(NodeSelectorTerm added, Optional<Affinity> affinity) {
        return affinity.map(Affinity::getNodeAffinity)
                .map(NodeAffinity::getRequiredDuringSchedulingIgnoredDuringExecution)
                .map(required -> beyond(added, Requirements.terms(required)))
                .orElse(EVERY_NODE);
    }

    private static NodeMatcher beyond(NodeSelectorTerm added, List<NodeSelectorTerm> terms) {
        List<NodeSelectorTerm> rest =
                terms.stream().map(term -> Requirements.without(term, added)).toList();
        for (int i = 0; i < rest.size(); i++) {
            if (Requirements.none(rest.get(i)) && !Requirements.none(terms.get(i))) {
                return EVERY_NODE;
            }
        }
        return of(rest);
    }

    private static NodeMatcher of(List<NodeSelectorTerm> terms) {
        return new NodeMatcher(Optional.of(
                terms.stream().map(TermMatcher::of).flatMap(Optional::stream).toList()));
    }

    /** Whether a pod with this affinity may go to the node, as far as affinity is concerned. */
    public boolean matches(String nodeName, Map<String, String> labels) {
        return terms.isEmpty() || terms.get().stream().anyMatch(term -> term.matches(nodeName, labels));
    }
}
