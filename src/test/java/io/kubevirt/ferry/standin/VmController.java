package io.kubevirt.ferry.standin;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** virt-controller's part that makes VMIs of VMs and tells the VM how its VMI is. */
final class VmController {

    private static final Set<String> OWN_CONDITIONS =
            Set.of("Ready", "Failure", "RestartRequired", "ManualRecoveryRequired", "Initialized", "Synchronized");
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(10);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

    private final Cluster cluster;
    private final Events events;
    private final WorkQueue queue = new WorkQueue("vm", this::handle);

    VmController(Cluster cluster, Events events) {
        this.cluster = cluster;
        this.events = events;
        cluster.on(Kind.VM, vm -> queue.add(vm.key()));
        cluster.on(Kind.VMI, vmi -> queue.add(vmi.key()));
    }

    WorkQueue queue() {
        return queue;
    }

    private void handle(String key) {
        Optional<Item> found = cluster.find(Kind.VM, key);
        if (found.isEmpty()) {
            return;
        }
        Item vm = found.get();
        if (!Names.observed(vm)) {
            Names.observe(vm);
            cluster.update(vm);
            return;
        }
        Optional<Item> vmi = cluster.find(Kind.VMI, key).filter(each -> each.isControlledBy(vm));
        if (!vm.has("status", "printableStatus")) {
            Item fresh = vm.copy();
            fresh.set("Stopped", "status", "printableStatus");
            snapshotStatuses(fresh);
            cluster.updateStatus(fresh);
            return;
        }
        if (vm.deleting()) {
            end(vm, vmi);
            return;
        }
        if (!vm.finalizers().contains(Names.VM_FINALIZER)) {
            vm.addFinalizer(Names.VM_FINALIZER);
            cluster.update(vm);
            return;
        }
        boolean started = move(vm, vmi);
        tell(vm, vmi, started);
    }

    private void end(Item vm, Optional<Item> vmi) {
        if (vmi.isPresent()) {
            if (!vmi.get().deleting()) {
                cluster.delete(vmi.get());
            }
            release(vmi.get());
            tell(vm, vmi, false);
        } else if (vm.finalizers().contains(Names.VM_FINALIZER)) {
            vm.removeFinalizer(Names.VM_FINALIZER);
            cluster.update(vm);
        }
    }

    /** Starts or stops the VMI as the run strategy says; true if it was started just now. */
    private boolean move(Item vm, Optional<Item> vmi) {
        boolean wanted = wanted(vm, vmi);
        if (vmi.isEmpty()) {
            if (!wanted || vm.condition("ManualRecoveryRequired").isPresent()) {
                return false;
            }
            Duration pause = pause(vm);
            if (pause.isPositive()) {
                queue.addAfter(vm.key(), pause);
                return false;
            }
            start(vm);
            return true;
        }
        Item running = vmi.get();
        release(running);
        if (!running.deleting() && (!wanted || Vmis.ended(running))) {
            cluster.delete(running);
            events.normal(
                    vm,
                    "SuccessfulDelete",
                    "Stopped the virtual machine by deleting the virtual machine instance " + running.uid());
        }
        return false;
    }

    private static boolean wanted(Item vm, Optional<Item> vmi) {
        String strategy = vm.text("spec", "runStrategy");
        return switch (strategy) {
            case "Always" -> true;
            case "RerunOnFailure" ->
                vmi.map(each -> !each.text("status", "phase").equals("Succeeded"))
                        .orElse(!vm.flag("status", "created"));
            case "Once" -> vmi.isPresent() || !vm.has("status", "observedGeneration");
            case "Manual" -> vmi.isPresent();
            default -> vm.flag("spec", "running");
        };
    }

    private static Duration pause(Item vm) {
        String until = vm.text("status", "startFailure", "retryAfterTimestamp");
        return until.isEmpty() ? Duration.ZERO : Duration.between(Instant.now(), Instant.parse(until));
    }

    private void start(Item vm) {
        Item revision =
                Item.of(Kind.REVISION, vm.namespace(), "revision-start-vm-%s-%d".formatted(vm.uid(), vm.generation()));
        revision.set(Map.of("spec", vm.node("spec")), "data").set(1, "revision");
        revision.setController(vm);
        if (cluster.get(Kind.REVISION, revision.namespace(), revision.name()).isEmpty()) {
            cluster.create(revision);
        }
        cluster.create(instance(vm, revision));
        events.normal(
                vm,
                "SuccessfulCreate",
                "Started the virtual machine by creating the new virtual machine instance " + vm.name());
    }

    private static Item instance(Item vm, Item revision) {
        Item vmi = Item.of(Kind.VMI, vm.namespace(), vm.name());
        vmi.set(LauncherPods.labels(vm.node("spec", "template", "metadata", "labels")), "metadata", "labels");
        vmi.set(LauncherPods.labels(vm.node("spec", "template", "metadata", "annotations")), "metadata", "annotations");
        vmi.set(Long.toString(vm.generation()), "metadata", "annotations", Names.VM_GENERATION);
        vmi.addFinalizer(Names.VM_FINALIZER);
        vmi.setController(vm);
        vmi.set(vm.node("spec", "template", "spec").deepCopy(), "spec");
        vmi.set(revision.name(), "status", "virtualMachineRevisionName");
        return vmi;
    }

    /** The VM's claim on a VMI that has ended: taken off when nothing else is left to do for it. */
    private void release(Item vmi) {
        if (vmi.deleting() && Vmis.ended(vmi) && vmi.finalizers().equals(List.of(Names.VM_FINALIZER))) {
            vmi.removeFinalizer(Names.VM_FINALIZER);
            cluster.update(vmi);
        }
    }

    private void tell(Item vm, Optional<Item> vmi, boolean started) {
        Item after = vm.copy();
        after.set(vmi.isPresent() ? true : null, "status", "created");
        after.set(vmi.filter(each -> each.conditionIs("Ready", "True")).isPresent() ? true : null, "status", "ready");
        if (!started) {
            after.set(vm.text("spec", "runStrategy"), "status", "runStrategy");
        }
        vmi.ifPresent(each -> {
            after.set(vm.generation(), "status", "desiredGeneration");
            String generation = each.annotation(Names.VM_GENERATION);
            after.set(generation.isEmpty() ? null : Long.valueOf(generation), "status", "observedGeneration");
        });
        conditions(after, vmi);
        failure(after, vmi);
        snapshotStatuses(after);
        after.set(printable(after, vmi), "status", "printableStatus");
        if (!after.sameAs(vm, "status")) {
            cluster.updateStatus(after);
        }
    }

    private static void conditions(Item vm, Optional<Item> vmi) {
        if (vmi.isEmpty()) {
            vm.setCondition("Ready", "False", "VMINotExists", "VMI does not exist");
            return;
        }
        Optional<ObjectNode> ready = vmi.get().condition("Ready");
        if (ready.isEmpty()) {
            vm.setCondition("Ready", "False", "VMIConditionMissing", "VMI is missing the Ready condition");
        } else {
            vm.copyCondition(ready.get());
        }
        for (ObjectNode each : vm.list("status", "conditions")) {
            String type = each.path("type").asText();
            if (!OWN_CONDITIONS.contains(type) && vmi.get().condition(type).isEmpty()) {
                vm.dropCondition(type);
            }
        }
        for (ObjectNode each : vmi.get().list("status", "conditions")) {
            if (!OWN_CONDITIONS.contains(each.path("type").asText())) {
                vm.copyCondition(each);
            }
        }
    }

    /** Counts VMIs that ended by failing, and spreads the next starts: 10 s, 20 s and so on up to 5 min. */
    private static void failure(Item vm, Optional<Item> vmi) {
        if (vmi.isEmpty() || !vmi.get().text("status", "phase").equals("Failed")) {
            if (vmi.filter(each -> each.text("status", "phase").equals("Running"))
                    .isPresent()) {
                vm.remove("status", "startFailure");
            }
            return;
        }
        if (!vm.text("spec", "runStrategy").equals("Always")
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

    private static String printable(Item vm, Optional<Item> vmi) {
        if (vm.deleting()) {
            return "Terminating";
        }
        if (vmi.isEmpty()) {
            boolean wanted = wanted(vm, vmi);
            if (wanted && vm.has("status", "startFailure")) {
                return "CrashLoopBackOff";
            }
            return wanted ? "Starting" : "Stopped";
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
            case "Succeeded", "Failed" -> "Stopped";
            default -> "Starting";
        };
    }

    private void snapshotStatuses(Item vm) {
        ArrayNode statuses = Item.object().putArray("statuses");
        for (ObjectNode volume : vm.list("spec", "template", "spec", "volumes")) {
            String name = volume.path("name").asText();
            String claim = LauncherPods.claimOf(volume);
            ObjectNode status = statuses.addObject().put("enabled", false).put("name", name);
            if (claim.isEmpty()) {
                status.put("reason", "Snapshot is not supported for this volumeSource type [%s]".formatted(name));
            } else {
                String storageClass = cluster.find(Kind.CLAIM, vm.namespace(), claim)
                        .map(found -> found.text("spec", "storageClassName"))
                        .orElse("");
                status.put(
                        "reason",
                        "No VolumeSnapshotClass: Volume snapshots are not configured for this StorageClass [%s] [%s]"
                                .formatted(storageClass, name));
            }
        }
        vm.set(statuses.isEmpty() ? null : statuses, "status", "volumeSnapshotStatuses");
    }
}
