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
            HomeChecks::sourcesBelongToOneMachine,
            MachineChecks::machineRuns,
            // nobody else is at work on it
            RivalChecks::noOtherVolumeMigration,
            RivalChecks::notLocked,
            RivalChecks::noMigrationInFlight,
            MachineChecks::settled,
            MachineChecks::guestIsWhereItIsSaidToBe,
            // KubeVirt would refuse these, and leave the VM naming an empty disk
            MachineChecks::listensToChanges,
            MachineChecks::storageLiveMigratable,
            VolumeChecks::plainDisks,
            VolumeChecks::inOneVolumeOnly,
            // a claim left out: refused, or KubeVirt may lock up
            LeftOut::nothingThatMatters,
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
            RivalChecks::noOtherVolumeMigration,
            RivalChecks::notLocked,
            // KubeVirt moves what is asked for, and from where
            TakenOver::fromItsSources,
            ClusterChecks::termValid);

    /** Where its user has changed a VM in a way that makes KubeVirt move less than all, or nothing. */
    private static final List<Check> CHANGED_IN_PART = List.of(TakenOver::changedInPart);

    /** What has to hold before this one starts. */
    static List<Check> wanted(Subject subject) {
        if (TakenOver.changed(subject)) {
            return BEFORE_TAKING_OVER;
        }
        return TakenOver.begun(subject) ? CHANGED_IN_PART : BEFORE_CHANGE;
    }

    static List<Finding> findings(List<Check> checks, Subject subject) {
        return checks.stream().flatMap(check -> check.apply(subject)).toList();
    }
}
