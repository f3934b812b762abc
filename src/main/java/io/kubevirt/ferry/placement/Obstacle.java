package io.kubevirt.ferry.placement;

import io.fabric8.kubernetes.api.model.Taint;
import java.util.Optional;

/** A rule that keeps the target pod of a directed migration off a node. */
public sealed interface Obstacle {

    /** The added term does not match the node. */
    record AddedTerm() implements Obstacle {}

    /** The VM is there already: KubeVirt's pod anti-affinity keeps the target pod off its source. */
    record CurrentNode() implements Obstacle {}

    /** The kubelet does not say that all is well. */
    record NotReady() implements Obstacle {}

    /** An admin took it out of scheduling. */
    record Cordoned() implements Obstacle {}

    /** KubeVirt's own word that it can run VMs, a label that every launcher pod asks for, is missing. */
    record NotForMachines() implements Obstacle {}

    /** A taint that the VM does not tolerate. */
    record Tainted(Taint taint) implements Obstacle {}

    /**
     * A label that the VM's node selector asks for.
     *
     * @param actual what the node has instead; empty if it lacks the label
     */
    record NodeSelector(String label, String wanted, Optional<String> actual) implements Obstacle {}

    /** The VM's required node affinity does not match the node. */
    record NodeAffinity() implements Obstacle {}

    /** What is the matter with a node, as the rest of a sentence that starts with its name; one line, no comma. */
    default String message() {
        return switch (this) {
            case AddedTerm _ -> "does not match the added term";
            case CurrentNode _ -> "is the node that the VM is on";
            case NotReady _ -> "is not ready";
            case Cordoned _ -> "is cordoned";
            case NotForMachines _ -> "is not ready for VMs (label " + NodeRules.FOR_MACHINES + " is not true)";
            case Tainted(var taint) -> "has the taint " + written(taint) + " that the VM does not tolerate";
            case NodeSelector(var label, var wanted, var actual) ->
                actual.map(value -> "has the label %s=%s where the VM's node selector wants %s"
                                .formatted(label, value, wanted))
                        .orElseGet(() ->
                                "lacks the label %s=%s that the VM's node selector wants".formatted(label, wanted));
            case NodeAffinity _ -> "does not match the VM's node affinity";
        };
    }

    /** What nodes with this obstacle are, as a heading for their names. */
    default String heading() {
        return switch (this) {
            case AddedTerm _ -> "not matched by the added term";
            case CurrentNode _ -> "where the VM is";
            case NotReady _ -> "not ready";
            case Cordoned _ -> "cordoned";
            case NotForMachines _ -> "not ready for VMs (label " + NodeRules.FOR_MACHINES + " is not true)";
            case Tainted(var taint) -> "tainted " + written(taint) + ", which the VM does not tolerate";
            case NodeSelector(var label, var wanted, var _) ->
                "without the label %s=%s, which the VM's node selector wants".formatted(label, wanted);
            case NodeAffinity _ -> "not matched by the VM's node affinity";
        };
    }

    private static String written(Taint taint) {
        boolean hasValue = taint.getValue() != null && !taint.getValue().isEmpty();
        return taint.getKey() + (hasValue ? "=" + taint.getValue() : "") + ":" + taint.getEffect();
    }
}
