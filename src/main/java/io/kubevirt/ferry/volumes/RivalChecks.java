package io.kubevirt.ferry.volumes;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.kubevirt.ferry.api.Names;
import io.kubevirt.ferry.api.VolumeMigration;
import java.util.Comparator;
import java.util.Set;
import java.util.stream.Stream;

/** Nobody else is at work on the VM: no other VolumeMigration, nothing that one has left, and no migration. */
final class RivalChecks {
    private static final Comparator<VolumeMigration> ORDER = Comparator.<VolumeMigration, String>comparing(
                    migration -> migration.getMetadata().getCreationTimestamp())
            .thenComparing(migration -> migration.getMetadata().getName());

    private RivalChecks() {}

    /** Of those that want the same VM or claim the one that has started goes on, else the older, else the first by name. */
    static Stream<Finding> noOtherVolumeMigration(Subject subject) {
        return subject.usage().volumeMigrations().stream()
                .filter(other -> !other.getMetadata().getUid().equals(subject.uid()))
                .filter(other -> meets(other, subject))
                .filter(other -> started(other) || (mayStart(other) && ORDER.compare(other, subject.migration()) < 0))
                .sorted(ORDER)
                .limit(1)
                .flatMap(other -> one(
                        Reason.AnotherVolumeMigrationActive,
                        "VolumeMigration " + name(other)
                                + (started(other)
                                        ? " is under way with the same VM or claim: this goes on when it has ended"
                                        : " is older and wants the same VM or claim: wait for it, or delete it")));
    }

    static boolean ended(VolumeMigration migration) {
        return migration.status().endTimestamp() != null && !started(migration);
    }

    private static boolean mayStart(VolumeMigration migration) {
        return !ended(migration) && migration.getMetadata().getDeletionTimestamp() == null;
    }

    private static boolean started(VolumeMigration migration) {
        return migration.status().run().filter(run -> run.progress().open()).isPresent();
    }

    private static boolean meets(VolumeMigration other, Subject subject) {
        var claims = subject.claims();
        return other.getSpec().migratedVolume().stream()
                        .anyMatch(volume -> claims.contains(volume.sourcePvc())
                                || claims.contains(volume.destinationPvc())
                                || !subject.volumesOn(volume.sourcePvc()).isEmpty()
                                // its user may have changed the VM for it already
                                || (other.getSpec().manual()
                                        && !subject.volumesOn(volume.destinationPvc())
                                                .isEmpty()))
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

    private static String name(HasMetadata object) {
        return object.getMetadata().getName();
    }

    private static Stream<Finding> one(Reason reason, String message) {
        return Stream.of(new Finding(reason, Set.of(), message));
    }
}
