package io.kubevirt.ferry.placement;

import io.fabric8.kubernetes.api.model.Taint;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The demands of a target pod made ready for judging one node after the other. */
final class NodeRules {

    /** KubeVirt's label of nodes that can run VMs. */
    static final String FOR_MACHINES = "kubevirt.io/schedulable";

    private static final Taint CORDON = new Taint("NoSchedule", "node.kubernetes.io/unschedulable", null, null);

    /** What Kubernetes puts on a node that is not ready, beside its condition. */
    private static final Set<String> UNREADY = Set.of("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable");

    /** One check: what it finds on the node, mostly nothing. */
    private interface Rule {
        Stream<Obstacle> obstacles(NodeView node);
    }

    private final List<Rule> rules;

    private NodeRules(List<Rule> rules) {
        this.rules = rules;
    }

    static NodeRules of(Demands demands) {
        var tolerance = new Tolerance(demands.tolerations());
        return new NodeRules(List.of(
                addedTerm(NodeMatcher.of(demands.term())),
                currentNode(demands.currentNode()),
                notReady(),
                cordoned(tolerance),
                notForMachines(),
                tainted(tolerance),
                nodeSelector(demands.nodeSelector()),
                nodeAffinity(NodeMatcher.ofRequiredBeyond(demands.term(), demands.affinity()))));
    }

    /** Everything that keeps the pod off the node; empty if nothing does. */
    List<Obstacle> obstacles(NodeView node) {
        return rules.stream().flatMap(rule -> rule.obstacles(node)).toList();
    }

    private static Rule addedTerm(NodeMatcher term) {
        return node -> when(!term.matches(node.name(), node.labels()), new Obstacle.AddedTerm());
    }

    private static Rule currentNode(Optional<String> current) {
        return node -> when(current.equals(Optional.of(node.name())), new Obstacle.CurrentNode());
    }

    private static Rule notReady() {
        return node -> when(!node.ready(), new Obstacle.NotReady());
    }

    private static Rule cordoned(Tolerance tolerance) {
        return node -> when(isKeptOffByCordon(node, tolerance), new Obstacle.Cordoned());
    }

    private static boolean isKeptOffByCordon(NodeView node, Tolerance tolerance) {
        return node.unschedulable() && !tolerance.tolerates(CORDON);
    }

    private static Rule notForMachines() {
        return node -> when(!"true".equals(node.labels().get(FOR_MACHINES)), new Obstacle.NotForMachines());
    }

    private static Rule tainted(Tolerance tolerance) {
        return node -> node.taints().stream()
                .filter(tolerance::isKeptOffBy)
                .filter(taint -> !(CORDON.getKey().equals(taint.getKey()) && isKeptOffByCordon(node, tolerance)))
                .filter(taint -> !(UNREADY.contains(taint.getKey()) && goesWithoutSaying(taint, node)))
                .map(Obstacle.Tainted::new);
    }

    /** Every pod tolerates NoExecute for some minutes, by what Kubernetes adds; the rest says that the node is not ready. */
    private static boolean goesWithoutSaying(Taint unready, NodeView node) {
        return !node.ready() || "NoExecute".equals(unready.getEffect());
    }

    private static Rule nodeSelector(Map<String, String> selector) {
        var wanted = new TreeMap<>(selector);
        // Has a rule of its own.
        wanted.remove(FOR_MACHINES, "true");
        return node -> wanted.entrySet().stream()
                .filter(label -> !label.getValue().equals(node.labels().get(label.getKey())))
                .map(label -> new Obstacle.NodeSelector(
                        label.getKey(),
                        label.getValue(),
                        Optional.ofNullable(node.labels().get(label.getKey()))));
    }

    private static Rule nodeAffinity(NodeMatcher affinity) {
        return node -> when(!affinity.matches(node.name(), node.labels()), new Obstacle.NodeAffinity());
    }

    private static Stream<Obstacle> when(boolean ruledOut, Obstacle obstacle) {
        return ruledOut ? Stream.of(obstacle) : Stream.of();
    }
}
