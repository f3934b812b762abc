package io.kubevirt.ferry.standin;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Questions about pods. */
final class Pods {

    private Pods() {}

    static boolean ready(Item pod) {
        return !down(pod) && pod.text("status", "phase").equals("Running") && pod.conditionIs("Ready", "True");
    }

    /** Whether it has ended, or is about to. */
    static boolean down(Item pod) {
        return pod.deleting() || ended(pod);
    }

    static boolean ended(Item pod) {
        String phase = pod.text("status", "phase");
        return phase.equals("Succeeded") || phase.equals("Failed");
    }

    static boolean pending(Item pod) {
        return pod.text("status", "phase").equals("Pending") && !pod.deleting();
    }

    static boolean unschedulable(Item pod) {
        return pending(pod)
                && pod.condition("PodScheduled")
                        .map(each -> each.path("status").asText().equals("False")
                                && each.path("reason").asText().equals("Unschedulable"))
                        .orElse(false);
    }

    static String node(Item pod) {
        return pod.text("spec", "nodeName");
    }

    /** The pod in which the VMI runs or starts: of those on its node the newest, targets of migrations left out before it has one. */
    static Optional<Item> current(Item vmi, List<Item> launchers) {
        String node = vmi.text("status", "nodeName");
        return launchers.stream()
                .filter(pod -> node.isEmpty()
                        ? pod.label(Names.MIGRATION_UID).isEmpty()
                        : node(pod).equals(node))
                .max(Comparator.comparing((Item pod) -> !ended(pod)).thenComparingLong(Item::version));
    }
}
