package io.kubevirt.ferry.placement;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.Taint;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What of a node decides whether a pod may go there.
 *
 * @param unschedulable whether it is cordoned ({@code spec.unschedulable})
 * @param ready whether its condition {@code Ready} is true; a node without the condition is not ready
 */
public record NodeView(
        String name, Map<String, String> labels, List<Taint> taints, boolean unschedulable, boolean ready) {

    public static NodeView of(Node node) {
        return new NodeView(
                node.getMetadata().getName(),
                Optional.ofNullable(node.getMetadata().getLabels()).orElse(Map.of()),
                Optional.ofNullable(node.getSpec()).stream()
                        .flatMap(spec -> stream(spec.getTaints()))
                        .toList(),
                node.getSpec() != null && Boolean.TRUE.equals(node.getSpec().getUnschedulable()),
                node.getStatus() != null
                        && stream(node.getStatus().getConditions()).anyMatch(NodeView::saysReady));
    }

    private static boolean saysReady(NodeCondition condition) {
        return "Ready".equals(condition.getType()) && "True".equals(condition.getStatus());
    }

    private static <T> Stream<T> stream(@Nullable List<T> list) {
        return list == null ? Stream.of() : list.stream();
    }
}
