package io.kubevirt.ferry.volumes;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.kubevirt.ferry.api.Names;
import io.kubevirt.ferry.api.VolumeMigration;
import io.kubevirt.ferry.kubevirt.Condition;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstance;
import io.kubevirt.ferry.kubevirt.Volume;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** What must hold of the VM and its guest: there is one, it runs, KubeVirt listens, and nobody else is at work on it. */
final class MachineChecks {
    private MachineChecks() {}

    static Stream<Finding> sourcesBelongToOneMachine(Subject subject) {
        return subject.sources().stream()
                .filter(source -> subject.volumesOn(source).isEmpty())
                .map(source -> homeless(subject, source));
    }

    private static Finding homeless(Subject subject, String source) {
        var others = named(subject.usage().machines(), vm -> vm.volumes(), source);
        if (!others.isEmpty() && subject.machine().isPresent()) {
            return new Finding(
                    Reason.SeveralVirtualMachines,
                    Set.of(source),
                    source + " is a volume of " + String.join(", ", others) + ", not of "
                            + name(subject.machine().get()) + ": make one VolumeMigration for each VM");
        }
        var instances = named(subject.usage().instances(), vmi -> vmi.volumes(), source);
        if (!instances.isEmpty() && others.isEmpty() && subject.machine().isEmpty()) {
            return new Finding(
                    Reason.NoVirtualMachine,
                    Set.of(source),
                    source + " is a volume of the VirtualMachineInstance " + String.join(", ", instances)
                            + ", which has no VirtualMachine: KubeVirt moves volumes of VirtualMachines only");
        }
        return new Finding(
                Reason.VolumesPending,
                Set.of(source),
                "No VM has a volume on " + source
                        + " now: correct spec.migratedVolume in a new VolumeMigration, or let the" + " VM name it");
    }

    private static <T extends HasMetadata> Set<String> named(
            Collection<T> all, java.util.function.Function<T, List<Volume>> volumes, String claim) {
        var names = new TreeSet<String>();
        for (T one : all) {
            if (volumes.apply(one).stream().anyMatch(volume -> volume.claims().contains(claim))) {
                names.add(name(one));
            }
        }
        return names;
    }

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

    static Stream<Finding> noOtherVolumeMigration(Subject subject) {
        return subject.usage().volumeMigrations().stream()
                .filter(other -> !other.getMetadata().getUid().equals(subject.uid()))
                .filter(other -> !ended(other))
                .filter(other -> meets(other, subject))
                .filter(other -> started(other) || ORDER.compare(other, subject.migration()) < 0)
                .sorted(ORDER)
                .limit(1)
                .flatMap(other -> one(
                        Reason.AnotherVolumeMigrationActive,
                        "VolumeMigration " + name(other)
                                + " comes first, for the same VM or claim: wait for it, or delete" + " it"));
    }

    private static final Comparator<VolumeMigration> ORDER = Comparator.<VolumeMigration, String>comparing(
                    migration -> migration.getMetadata().getCreationTimestamp())
            .thenComparing(migration -> migration.getMetadata().getName());

    static boolean ended(VolumeMigration migration) {
        return migration.status().endTimestamp() != null && !started(migration);
    }

    private static boolean started(VolumeMigration migration) {
        return migration.status().run().filter(run -> run.progress().open()).isPresent();
    }

    private static boolean meets(VolumeMigration other, Subject subject) {
        var claims = subject.claims();
        return other.getSpec().migratedVolume().stream()
                        .anyMatch(volume -> claims.contains(volume.sourcePvc())
                                || claims.contains(volume.destinationPvc())
                                || !subject.volumesOn(volume.sourcePvc()).isEmpty())
                || (started(other)
                        && subject.machine()
                                .filter(vm -> name(vm).equals(other.status().virtualMachineName()))
                                .isPresent());
    }

    static Stream<Finding> notLocked(Subject subject) {
        var lock = subject.machine().flatMap(vm -> View.annotation(vm.getMetadata(), Names.VOLUME_MIGRATION));
        var fence = subject.seen().instance().flatMap(vmi -> View.label(vmi.getMetadata(), Names.VOLUME_MIGRATION));
        boolean free = lock.flatMap(Marks::ownerOfLock).map(subject::own).orElse(lock.isEmpty())
                && fence.flatMap(Marks::ownerOfMark).map(subject::own).orElse(fence.isEmpty());
        return free
                ? Stream.empty()
                : one(
                        Reason.AnotherVolumeMigrationActive,
                        "The VM is still locked or held by another run, "
                                + lock.or(() -> fence).orElse("") + ": it is taken off when that run is over");
    }

    static Stream<Finding> noMigrationInFlight(Subject subject) {
        return subject.seen().migrations().stream()
                .filter(vmim -> !vmim.finished())
                .limit(1)
                .flatMap(vmim -> one(
                        Reason.MigrationInFlight,
                        "The VM is being migrated by VirtualMachineInstanceMigration " + name(vmim)
                                + ": this goes on when it is over"));
    }

    /** Neither a volume migration that somebody else began, nor what one of ours left to settle. */
    static Stream<Finding> settled(Subject subject) {
        return subject.running().stream()
                .flatMap(vmi -> unsettled(subject.machine().orElseThrow(), vmi).stream())
                .flatMap(why -> one(Reason.VirtualMachineNotSettled, why));
    }

    private static Optional<String> unsettled(VirtualMachine vm, VirtualMachineInstance vmi) {
        if (!vmi.status().migratedVolumes().isEmpty() || vmi.is(VirtualMachineInstance.VOLUMES_CHANGE)) {
            return Optional.of(
                    "KubeVirt is migrating volumes of the VM already: wait until it is done, or put them back");
        }
        if (!vm.volumes().stream().allMatch(volume -> agrees(volume, vmi))) {
            return Optional.of("The VM names other volumes than its guest runs on: restart it, or put them back");
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

    private static boolean agrees(Volume volume, VirtualMachineInstance vmi) {
        return vmi.volumes().stream()
                .filter(other -> other.name().equals(volume.name()))
                .allMatch(other -> other.claim().equals(volume.claim()));
    }

    static Stream<Finding> listensToChanges(Subject subject) {
        return subject.machine().stream()
                .filter(vm -> vm.is(VirtualMachine.RESTART_REQUIRED))
                .map(vm -> new Finding(
                        Reason.RestartRequired,
                        subject.sources(),
                        "The VM has changes that want a restart, and until then KubeVirt moves none of its volumes: restart"
                                + " it, or undo them" + words(vm.condition(VirtualMachine.RESTART_REQUIRED))));
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
