package io.kubevirt.ferry.standin;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What the status of a VM says of its VMI. Each method changes the VM that it is given. */
final class VmStatus {

    /** Conditions that are the VM's own: they neither come from the VMI nor go with it. */
    private static final Set<String> OWN = Set.of("Ready", "Failure", "RestartRequired");

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(10);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

    private VmStatus() {}

    /**
     * All of it.
     *
     * @param started whether the VMI was made in this very look, and is not seen yet
     */
    static void tell(Item vm, Optional<Item> vmi, boolean started) {
        vm.set(vmi.isPresent() ? true : null, "status", "created");
        vm.set(vmi.filter(each -> each.conditionIs("Ready", "True")).isPresent() ? true : null, "status", "ready");
        if (vmi.isPresent() || vm.has("status", "runStrategy")) {
            vm.set(vm.text("spec", "runStrategy"), "status", "runStrategy");
        }
        vmi.ifPresent(each -> generations(vm, each));
        failure(vm, vmi);
        volumes(vm, vmi);
        conditions(vm, vmi);
        vm.set(printable(vm, vmi, started), "status", "printableStatus");
    }

    private static void generations(Item vm, Item vmi) {
        vm.set(vm.generation(), "status", "desiredGeneration");
        String generation = vmi.annotation(Names.VM_GENERATION);
        vm.set(generation.isEmpty() ? null : Long.valueOf(generation), "status", "observedGeneration");
    }

    /** Counts VMIs that ended by failing, and spreads the next starts: 10 s, 20 s and so on up to 5 min. */
    private static void failure(Item vm, Optional<Item> vmi) {
        if (vmi.isEmpty()
                || !vmi.get().text("status", "phase").equals("Failed")
                || !vm.text("spec", "runStrategy").equals("Always")
                || vm.text("status", "startFailure", "lastFailedVMIUID")
                        .equals(vmi.get().uid())) {
            return;
        }
        int count = vm.node("status", "startFailure", "consecutiveFailCount").asInt(0) + 1;
        Duration pause = FIRST_PAUSE.multipliedBy(1L << Math.min(count - 1, 5));
        Instant until = Instant.parse(Item.now()).plus(pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE);
        vm.set(count, "status", "startFailure", "consecutiveFailCount");
        vm.set(vmi.get().uid(), "status", "startFailure", "lastFailedVMIUID");
        vm.set(until.toString(), "status", "startFailure", "retryAfterTimestamp");
    }

    /** The record of a volume migration: gone when the sources are back or the strategy is away; else, with the VMI ended in the middle, a call for help. */
    private static void volumes(Item vm, Optional<Item> vmi) {
        List<ObjectNode> migrated = vm.list("status", "volumeUpdateState", "volumeMigrationState", "migratedVolumes");
        if (!vm.has("status", "volumeUpdateState", "volumeMigrationState")) {
            return;
        }
        Map<String, String> sources = new HashMap<>();
        migrated.forEach(each -> sources.put(
                each.path("volumeName").asText(),
                each.path("sourcePVCInfo").path("claimName").asText()));
        boolean back = Volumes.claims(vm).entrySet().stream()
                .allMatch(volume ->
                        sources.getOrDefault(volume.getKey(), volume.getValue()).equals(volume.getValue()));
        if (back || !Volumes.migrates(vm)) {
            vm.remove("status", "volumeUpdateState", "volumeMigrationState");
            vm.dropCondition("ManualRecoveryRequired");
            vm.dropCondition("VolumesChange");
        } else if (vmi.filter(each -> !Vmis.ended(each)).isEmpty() && Volumes.changing(vm)) {
            ObjectNode condition =
                    Item.object().put("type", "ManualRecoveryRequired").put("status", "True");
            condition.put("reason", "VMI was removed or was final during the volume migration");
            vm.copyCondition(condition.putNull("lastProbeTime").putNull("lastTransitionTime"));
        }
    }

    private static void conditions(Item vm, Optional<Item> vmi) {
        if (vmi.isEmpty()) {
            vm.setCondition("Ready", "False", "VMINotExists", "VMI does not exist");
            return;
        }
        vmi.get()
                .condition("Ready")
                .ifPresentOrElse(
                        vm::copyCondition,
                        () -> vm.setCondition(
                                "Ready", "False", "VMIConditionMissing", "VMI is missing the Ready condition"));
        for (ObjectNode each : vm.list("status", "conditions")) {
            String type = each.path("type").asText();
            if (!OWN.contains(type) && vmi.get().condition(type).isEmpty()) {
                vm.dropCondition(type);
            }
        }
        for (ObjectNode each : vmi.get().list("status", "conditions")) {
            if (!OWN.contains(each.path("type").asText())) {
                vm.copyCondition(each);
            }
        }
    }

    private static String printable(Item vm, Optional<Item> vmi, boolean started) {
        if (vm.deleting()) {
            return "Terminating";
        }
        if (vmi.isEmpty()) {
            if (started) {
                return "Starting";
            }
            return crashed(vm) ? "CrashLoopBackOff" : "Stopped";
        }
        Item each = vmi.get();
        if (each.deleting() && !Vmis.ended(each)) {
            return "Stopping";
        }
        if (Vmis.migrating(each)) {
            return "Migrating";
        }
        if (each.condition("PodScheduled")
                .filter(pod -> pod.path("reason").asText().equals("Unschedulable"))
                .isPresent()) {
            return "ErrorUnschedulable";
        }
        return switch (each.text("status", "phase")) {
            case "Running" -> "Running";
            case "Succeeded", "Failed" -> crashed(vm) ? "CrashLoopBackOff" : "Stopped";
            default -> "Starting";
        };
    }

    private static boolean crashed(Item vm) {
        return vm.has("status", "startFailure")
                && Set.of("Always", "RerunOnFailure", "Once").contains(vm.text("spec", "runStrategy"));
    }
}
