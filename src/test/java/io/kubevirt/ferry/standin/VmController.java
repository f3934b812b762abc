package io.kubevirt.ferry.standin;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** virt-controller's part that makes VMIs of VMs, brings changes of the VM to them, and tells the VM how its VMI is. */
final class VmController {

    private final Cluster cluster;
    private final Events events;
    private final LiveUpdates updates;
    private final WorkQueue queue = new WorkQueue("vm", this::handle);

    VmController(Cluster cluster, Events events) {
        this.cluster = cluster;
        this.events = events;
        this.updates = new LiveUpdates(cluster);
        cluster.on(Kind.VM, vm -> queue.add(vm.key()));
        cluster.on(Kind.VMI, vmi -> queue.add(vmi.key()));
        cluster.on(
                Kind.CLAIM,
                claim -> cluster.list(Kind.VM, claim.namespace()).stream()
                        .filter(vm -> Volumes.claims(vm).containsValue(claim.name()))
                        .forEach(vm -> queue.addAfter(vm.key(), Volumes.AFTER_A_CLAIM)));
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
        if (!vm.has("status", "printableStatus")) {
            // Written by who looks after snapshots, which brings the VM here again.
            return;
        }
        Optional<Item> vmi = cluster.find(Kind.VMI, key).filter(each -> each.isControlledBy(vm));
        if (vm.deleting()) {
            end(vm, vmi);
        } else if (!vm.finalizers().contains(Names.VM_FINALIZER)) {
            vm.addFinalizer(Names.VM_FINALIZER);
            cluster.update(vm);
        } else {
            keep(vm, vmi);
        }
    }

    private void end(Item vm, Optional<Item> vmi) {
        if (vmi.isPresent()) {
            if (!vmi.get().deleting()) {
                cluster.delete(vmi.get());
            }
            write(vm, vm.copy(), vmi, false);
        } else if (vm.finalizers().contains(Names.VM_FINALIZER)) {
            vm.removeFinalizer(Names.VM_FINALIZER);
            cluster.update(vm);
        }
    }

    private void keep(Item vm, Optional<Item> vmi) {
        Item after = vm.copy();
        boolean started = move(after, vmi);
        RuntimeException failure = null;
        if (vmi.isPresent()) {
            try {
                updates.handle(after, vmi.get());
                after.dropCondition("Failure");
            } catch (VolumeUpdates.Unfit unfit) {
                after.mark(
                        "Failure",
                        "True",
                        "VolumesUpdateError",
                        "error encountered while handling volumes update requests: " + unfit.getMessage());
                failure = unfit;
            }
        }
        write(vm, after, vmi, started);
        if (failure != null) {
            throw failure;
        }
    }

    private void write(Item before, Item after, Optional<Item> vmi, boolean started) {
        VmStatus.tell(after, vmi, started);
        if (!after.sameAs(before, "status")) {
            cluster.updateStatus(after);
        }
        vmi.filter(Vmis::ended).ifPresent(this::release);
    }

    /** The VM has taken note of the VMI's end: its own hold on it goes. */
    private void release(Item vmi) {
        if (vmi.finalizers().contains(Names.VM_FINALIZER)) {
            vmi.removeFinalizer(Names.VM_FINALIZER);
            cluster.update(vmi);
        }
    }

    /** Starts or stops the VMI as the run strategy says; true if it was started just now. */
    private boolean move(Item vm, Optional<Item> vmi) {
        boolean wanted = wanted(vm, vmi);
        if (vmi.isPresent()) {
            Item running = vmi.get();
            if (!running.deleting() && (!wanted || Vmis.ended(running))) {
                cluster.delete(running);
                events.normal(
                        vm,
                        "SuccessfulDelete",
                        "Stopped the virtual machine by deleting the virtual machine instance " + running.uid());
            }
            return false;
        }
        if (!wanted || vm.conditionIs("ManualRecoveryRequired", "True")) {
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

    private static boolean wanted(Item vm, Optional<Item> vmi) {
        return switch (vm.text("spec", "runStrategy")) {
            case "Always" -> true;
            case "RerunOnFailure" ->
                vmi.map(each -> !each.text("status", "phase").equals("Succeeded"))
                        .orElse(!vm.has("status", "runStrategy") || vm.has("status", "startFailure"));
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
        vm.dropCondition("RestartRequired");
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
        ObjectNode spec = vm.node("spec", "template", "spec").deepCopy();
        return vmi.set(spec, "spec").set(revision.name(), "status", "virtualMachineRevisionName");
    }
}
