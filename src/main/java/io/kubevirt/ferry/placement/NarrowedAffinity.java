package io.kubevirt.ferry.placement;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.NodeAffinity;
import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A pod's affinity after a term was ANDed into it: the nodes it accepts are those it accepted before that match the term.
 *
 * @param affinity the affinity; where nothing changed, the very one that was given
 * @param changed whether it differs from the one that was given
 */
public record NarrowedAffinity(Affinity affinity, boolean changed) {

    /**
     * The AND of a pod's affinity and a term. Each required term gets the requirements of {@code added} that it lacks;
     * without required terms the added one becomes the only one. What matches nothing stays as it is: an empty term, and
     * a selector without terms, which Kubernetes refuses. An {@code added} term that is empty, and so matches nothing,
     * empties every term.
     *
     * <p>Changes neither argument; the result shares with them what it leaves as it was. Doing it twice changes nothing.
     *
     * @param existing the pod's affinity, null if it has none
     */
    public static NarrowedAffinity and(@Nullable Affinity existing, NodeSelectorTerm added) {
        NodeAffinity node = existing == null ? null : existing.getNodeAffinity();
        NodeSelector required = node == null ? null : node.getRequiredDuringSchedulingIgnoredDuringExecution();
        if (existing != null && required != null) {
            return narrowed(required, added)
                    .map(selector -> new NarrowedAffinity(with(existing, with(node, selector)), true))
                    .orElseGet(() -> new NarrowedAffinity(existing, false));
        }
        var selector = new NodeSelector(new ArrayList<>(List.of(copy(added))));
        return new NarrowedAffinity(with(existing, with(node, selector)), true);
    }

    /** The selector with each of its terms narrowed; empty if none of them changes. */
    private static Optional<NodeSelector> narrowed(NodeSelector required, NodeSelectorTerm added) {
        var terms = new ArrayList<NodeSelectorTerm>();
        boolean changed = false;
        for (NodeSelectorTerm term : Requirements.terms(required)) {
            Optional<NodeSelectorTerm> narrowed = narrowed(term, added);
            changed |= narrowed.isPresent();
            terms.add(narrowed.orElse(term));
        }
        if (!changed) {
            return Optional.empty();
        }
        var selector = new NodeSelector(terms);
        selector.setAdditionalProperties(required.getAdditionalProperties());
        return Optional.of(selector);
    }

    /** The term with the requirements it lacks; empty if it lacks none. */
    private static Optional<NodeSelectorTerm> narrowed(NodeSelectorTerm term, NodeSelectorTerm added) {
        if (Requirements.none(term)) {
            return Optional.empty();
        }
        if (Requirements.none(added)) {
            return Optional.of(new NodeSelectorTerm());
        }
        List<NodeSelectorRequirement> expressions = Requirements.expressions(term);
        List<NodeSelectorRequirement> fields = Requirements.fields(term);
        List<NodeSelectorRequirement> moreExpressions = lacking(expressions, Requirements.expressions(added));
        List<NodeSelectorRequirement> moreFields = lacking(fields, Requirements.fields(added));
        if (moreExpressions.isEmpty() && moreFields.isEmpty()) {
            return Optional.empty();
        }
        var narrowed = new NodeSelectorTerm(appended(expressions, moreExpressions), appended(fields, moreFields));
        narrowed.setAdditionalProperties(term.getAdditionalProperties());
        return Optional.of(narrowed);
    }

    private static List<NodeSelectorRequirement> lacking(
            List<NodeSelectorRequirement> present, List<NodeSelectorRequirement> added) {
        var seen = new HashSet<>(copies(present));
        return copies(added).stream().filter(seen::add).toList();
    }

    private static List<NodeSelectorRequirement> appended(
            List<NodeSelectorRequirement> present, List<NodeSelectorRequirement> more) {
        var all = new ArrayList<NodeSelectorRequirement>(present.size() + more.size());
        all.addAll(present);
        all.addAll(more);
        return all;
    }

    private static Affinity with(@Nullable Affinity existing, NodeAffinity node) {
        if (existing == null) {
            return new Affinity(node, null, null);
        }
        var affinity = new Affinity(node, existing.getPodAffinity(), existing.getPodAntiAffinity());
        affinity.setAdditionalProperties(existing.getAdditionalProperties());
        return affinity;
    }

    private static NodeAffinity with(@Nullable NodeAffinity existing, NodeSelector required) {
        if (existing == null) {
            return new NodeAffinity(new ArrayList<>(), required);
        }
        var affinity = new NodeAffinity(existing.getPreferredDuringSchedulingIgnoredDuringExecution(), required);
        affinity.setAdditionalProperties(existing.getAdditionalProperties());
        return affinity;
    }

    private static NodeSelectorTerm copy(NodeSelectorTerm term) {
        return new NodeSelectorTerm(copies(Requirements.expressions(term)), copies(Requirements.fields(term)));
    }

    private static List<NodeSelectorRequirement> copies(List<NodeSelectorRequirement> requirements) {
        return requirements.stream().map(NarrowedAffinity::copy).collect(Collectors.toCollection(ArrayList::new));
    }

    private static NodeSelectorRequirement copy(NodeSelectorRequirement requirement) {
        var copy = new NodeSelectorRequirement(
                Requirements.key(requirement),
                Requirements.operator(requirement),
                new ArrayList<>(Requirements.values(requirement)));
        copy.setAdditionalProperties(requirement.getAdditionalProperties());
        return copy;
    }
}
