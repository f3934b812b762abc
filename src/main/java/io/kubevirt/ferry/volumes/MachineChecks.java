package io.kubevirt.ferry.volumes;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.kubevirt.ferry.api.Names;
import io.kubevirt.ferry.api.Progress.Guest;
import io.kubevirt.ferry.kubevirt.Condition;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstance;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** What must hold of the VM and its guest: it runs, nothing is left open, and KubeVirt listens. */
final class MachineChecks {
    private MachineChecks() {}

    static Stream<Finding> machineRuns(Subject subject) {
        if (subject.machine().isEmpty()) {
            return Stream.empty();
        }
        var vm = subject.machine().get();
        if (vm.getMetadata().getDeletionTimestamp() != null || subject.seen().namespaceTerminating()) {
            return one(Reason.VirtualMachineNotRunning, "VM " + name(vm) + " is being deleted");
        }
        return subject.running().isPresent()
                ? Stream.empty()
                : one(
                        Reason.VirtualMachineNotRunning,
                        "VM " + name(vm) + " does not run: start it; volumes of a VM that is off can simply be copied");
    }

    /** Neither a volume migration that somebody else began, nor what one of ours left to settle. */
    static Stream<Finding> settled(Subject subject) {
        return subject.running().stream()
                .flatMap(vmi -> unsettled(subject.machine().orElseThrow(), vmi).stream())
                .flatMap(why -> one(Reason.VirtualMachineNotSettled, why));
    }

    /** A VM that was changed in the middle of a migration can name claims that its guest has left. */
    static Stream<Finding> guestIsWhereItIsSaidToBe(Subject subject) {
        return subject.running().stream()
                .filter(vmi -> new GuestPods(vmi, subject.seen().pods(), subject.moves())
                        .running()
                        .filter(Guest.Sources::equals)
                        .isEmpty())
                .flatMap(
                        vmi -> one(
                                Reason.VirtualMachineNotSettled,
                                "The pod in which the guest runs does not have these volumes on the claims that the VM names: wait"
                                        + " if one was plugged in or the VM migrated just now; if that stays, look which claims the"
                                        + " pod mounts, since they hold the newest data, let the VM name them, and restart it"));
    }

    private static Optional<String> unsettled(VirtualMachine vm, VirtualMachineInstance vmi) {
        if (!vmi.status().migratedVolumes().isEmpty() || vmi.is(VirtualMachineInstance.VOLUMES_CHANGE)) {
            return Optional.of(
                    "KubeVirt is migrating volumes of the VM already: wait until it is done, or put them back");
        }
        var difference = Differences.of(vm, vmi);
        if (difference.isPresent()) {
            return difference;
        }
        if (vm.is(VirtualMachine.MANUAL_RECOVERY_REQUIRED)) {
            return Optional.of("The VM has to be recovered from an earlier volume migration: put its volumes back");
        }
        return View.annotation(vm.getMetadata(), Names.RESTORE_STRATEGY)
                .filter(text -> Marks.Restore.parse(text)
                        .filter(restore ->
                                restore.instance().equals(vmi.getMetadata().getUid()))
                        .isEmpty())
                .map(text ->
                        "The VM's updateVolumesStrategy is about to be put back after an earlier volume migration");
    }

    static Stream<Finding> listensToChanges(Subject subject) {
        return subject.machine().stream()
                .filter(vm -> vm.is(VirtualMachine.RESTART_REQUIRED))
                .map(vm -> new Finding(
                        Reason.RestartRequired,
                        subject.sources(),
                        subject.running()
                                        .flatMap(vmi -> Differences.toPutBack(vm, vmi))
                                        .orElse(
                                                "The VM has changes that want a restart, and until then KubeVirt moves none of"
                                                        + " its volumes: restart it, or undo them")
                                + words(vm.condition(VirtualMachine.RESTART_REQUIRED))));
    }

    static Stream<Finding> storageLiveMigratable(Subject subject) {
        return subject.running().stream()
                .flatMap(vmi -> vmi.condition(VirtualMachineInstance.STORAGE_LIVE_MIGRATABLE).stream())
                .filter(Condition::denied)
                .map(condition -> new Finding(
                        Reason.StorageNotLiveMigratable,
                        subject.sources(),
                        "KubeVirt says that the VM's storage cannot be migrated live: change the VM"
                                + words(Optional.of(condition))));
    }

    private static String words(Optional<Condition> condition) {
        return condition
                .map(Condition::text)
                .filter(text -> !text.isEmpty())
                .map(text -> " (" + text + ")")
                .orElse("");
    }

    private static String name(HasMetadata object) {
        return object.getMetadata().getName();
    }

    private static Stream<Finding> one(Reason reason, String message) {
        return Stream.of(new Finding(reason, Set.of(), message));
    }
}
