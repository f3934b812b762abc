package io.kubevirt.ferry.controller;

import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.kubevirt.ferry.kubevirt.LauncherPod;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import io.kubevirt.ferry.placement.Demands;
import io.kubevirt.ferry.placement.Explanation;
import io.kubevirt.ferry.placement.NarrowedAffinity;
import io.kubevirt.ferry.placement.NodeMatcher;
import io.kubevirt.ferry.placement.NodeView;
import java.util.List;
import java.util.Optional;

/**
 * All that is looked at to judge the target pod of one directed migration.
 *
 * @param term of the migration
 * @param pod its target pod
 * @param nodes of the cluster
 * @param sourceNode where the VM was when the migration began; empty if that cannot be seen
 */
record Sighting(
        VirtualMachineInstanceMigration migration,
        NodeSelectorTerm term,
        LauncherPod pod,
        List<NodeView> nodes,
        Optional<String> sourceNode) {

    /** Whether each required term of the pod says what the added term says: then the scheduler cannot have erred. */
    boolean isNarrowed() {
        return !NarrowedAffinity.and(pod.spec().affinity(), term).changed();
    }

    /** Whether the node that the pod is on satisfies the term. */
    boolean isWhereItShould() {
        return pod.node()
                .flatMap(name ->
                        nodes.stream().filter(node -> node.name().equals(name)).findFirst())
                .filter(node -> NodeMatcher.of(term).matches(node.name(), node.labels()))
                .isPresent();
    }

    boolean nodeIsUnknown() {
        return pod.node()
                .filter(name -> nodes.stream().noneMatch(node -> node.name().equals(name)))
                .isPresent();
    }

    /** Whether the migration says already that the term is applied to this pod. */
    boolean wasApplied() {
        return migration.status().conditions().stream()
                .filter(condition -> condition.path("type").asText().equals(Placement.TYPE))
                .anyMatch(condition -> condition.path("status").asText().equals("True")
                        && PodOnNode.isOf(condition.path("message").asText(), pod));
    }

    Explanation explanation() {
        return Explanation.of(
                new Demands(
                        term,
                        pod.spec().nodeSelector(),
                        Optional.ofNullable(pod.spec().affinity()),
                        pod.spec().tolerations(),
                        sourceNode),
                nodes);
    }
}
