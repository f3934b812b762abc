package io.kubevirt.ferry.volumes;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * What must hold before a VM is touched, and must still hold at every step until it is. All are looked at, so that a user
 * sees everything at once; the first in the list gives the reason.
 */
final class Checks {
    private Checks() {}

    /** A thing to look at: empty if it is in order. */
    @FunctionalInterface
    interface Check extends Function<Subject, Stream<Finding>> {}

    /** Before a VM is changed. */
    static final List<Check> BEFORE_CHANGE = List.of(
            // without KubeVirt, or with one that would refuse or evict, a changed VM boots from an empty disk
            ClusterChecks::kubeVirtIsThere,
            ClusterChecks::updatesLive,
            ClusterChecks::neverEvicts,
            // one VM at a time, whose guest runs: else nobody copies
            MachineChecks::sourcesBelongToOneMachine,
            MachineChecks::machineRuns,
            // nobody else is at work on it
            MachineChecks::noOtherVolumeMigration,
            MachineChecks::notLocked,
            MachineChecks::noMigrationInFlight,
            MachineChecks::settled,
            // KubeVirt would refuse these, and leave the VM naming an empty disk
            MachineChecks::listensToChanges,
            MachineChecks::storageLiveMigratable,
            VolumeChecks::plainDisks,
            VolumeChecks::inOneVolumeOnly,
            // a claim left out: refused, or KubeVirt may lock up
            VolumeChecks::noClaimLeftOut,
            // the destination is there, empty for all we know, big enough, and nobody else's
            VolumeChecks::destinationReady,
            VolumeChecks::destinationBigEnough,
            VolumeChecks::destinationUnused,
            // Kubernetes would match no node, or refuse the pod
            ClusterChecks::termValid);

    /** Before a VM that its user has changed already is taken over. */
    static final List<Check> BEFORE_TAKING_OVER = List.of(
            ClusterChecks::kubeVirtIsThere,
            MachineChecks::machineRuns,
            MachineChecks::noOtherVolumeMigration,
            MachineChecks::notLocked,
            ClusterChecks::termValid);

    static List<Finding> findings(List<Check> checks, Subject subject) {
        return checks.stream().flatMap(check -> check.apply(subject)).toList();
    }
}
