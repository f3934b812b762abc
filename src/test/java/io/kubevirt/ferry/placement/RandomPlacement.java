package io.kubevirt.ferry.placement;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A random case for those who ask the whole of admission.
 *
 * @param text to read as a term, right or wrong
 * @param term right or wrong too, not that of the text
 * @param affinity of a pod
 */
public record RandomPlacement(
        String text,
        NodeSelectorTerm term,
        Optional<Affinity> affinity,
        Map<String, String> nodeSelector,
        List<NodeView> nodes) {
    /** The case that follows from the two numbers. */
    public static RandomPlacement of(long seed, int number) {
        RandomCase random = RandomCase.of(seed, number);
        List<NodeView> nodes = random.nodes().stream()
                .map(node -> new NodeView(node.name(), node.labels(), node.taints(), node.unschedulable(), true))
                .toList();
        return new RandomPlacement(
                random.text(), random.term(), Optional.ofNullable(random.existing()), random.nodeSelector(), nodes);
    }
}
