package io.kubevirt.ferry.placement;

import io.fabric8.kubernetes.api.model.Affinity;
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

    private static NodeMatcher of(List<NodeSelectorTerm> terms) {
        return new NodeMatcher(Optional.of(
                terms.stream().map(TermMatcher::of).flatMap(Optional::stream).toList()));
    }

    /** Whether a pod with this affinity may go to the node, as far as affinity is concerned. */
    public boolean matches(String nodeName, Map<String, String> labels) {
        return terms.isEmpty() || terms.get().stream().anyMatch(term -> term.matches(nodeName, labels));
    }
}
