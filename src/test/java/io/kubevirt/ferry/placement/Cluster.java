package io.kubevirt.ferry.placement;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Nodes and VMs for tables: a node that takes any VM, a VM that takes any node, and what makes them otherwise. */
final class Cluster {

    private Cluster() {}

    /** A node in rack r7, ready for VMs. */
    static NodeView node(String name) {
        return new NodeView(name, Map.of("rack", "r7", NodeRules.FOR_MACHINES, "true"), List.of(), false, true);
    }

    static NodeView labelled(NodeView node, String label, String value) {
        var labels = new HashMap<>(node.labels());
        labels.put(label, value);
        return new NodeView(node.name(), labels, node.taints(), node.unschedulable(), node.ready());
    }

    static NodeView tainted(NodeView node, String key, String value, String effect) {
        var taints = Stream.concat(node.taints().stream(), Stream.of(new Taint(effect, key, null, value)))
                .toList();
        return new NodeView(node.name(), node.labels(), taints, node.unschedulable(), node.ready());
    }

    /** As {@code kubectl cordon} and the node controller leave it. */
    static NodeView cordoned(NodeView node) {
        NodeView tainted = tainted(node, "node.kubernetes.io/unschedulable", "", "NoSchedule");
        return new NodeView(node.name(), node.labels(), tainted.taints(), true, node.ready());
    }

    /** As the node controller leaves a node that it hears nothing from. */
    static NodeView unreachable(NodeView node) {
        NodeView tainted = tainted(
                tainted(node, "node.kubernetes.io/unreachable", "", "NoSchedule"),
                "node.kubernetes.io/unreachable",
                "",
                "NoExecute");
        return new NodeView(node.name(), node.labels(), tainted.taints(), node.unschedulable(), false);
    }

    static NodeSelectorTerm term(String yaml) {
        return Serialization.unmarshal("---\n" + yaml, NodeSelectorTerm.class);
    }

    static Affinity affinity(String... terms) {
        String selector = "{nodeSelectorTerms: [" + String.join(", ", terms) + "]}";
        return Serialization.unmarshal(
                "nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: " + selector + "}", Affinity.class);
    }

    /** A VM on {@code node-0} that asks for nothing, and a migration to rack r7. */
    static Demands rackR7() {
        return new Demands(
                term("{matchExpressions: [{key: rack, operator: In, values: [r7]}]}"),
                Map.of(),
                Optional.empty(),
                List.of(),
                Optional.of("node-0"));
    }

    static Demands selecting(Demands demands, Map<String, String> nodeSelector) {
        return new Demands(
                demands.term(), nodeSelector, demands.affinity(), demands.tolerations(), demands.currentNode());
    }

    static Demands requiring(Demands demands, Affinity affinity) {
        return new Demands(
                demands.term(),
                demands.nodeSelector(),
                Optional.of(affinity),
                demands.tolerations(),
                demands.currentNode());
    }

    static Demands tolerating(Demands demands, Toleration... tolerations) {
        return new Demands(
                demands.term(),
                demands.nodeSelector(),
                demands.affinity(),
                List.of(tolerations),
                demands.currentNode());
    }
}
