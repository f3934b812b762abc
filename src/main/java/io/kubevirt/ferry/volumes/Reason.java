package io.kubevirt.ferry.volumes;

/**
 * Every reason that a condition or a volume of a VolumeMigration can have, once. The names are API. What each means and what
 * a user does about it is in docs/volume-migration.md.
 */
public enum Reason {
    /** Nothing stands in the way. */
    Valid(Shows.Accepted),

    VolumesPending(Shows.Pending),
    VirtualMachineNotRunning(Shows.Pending),
    VirtualMachineNotSettled(Shows.Pending),
    AnotherVolumeMigrationActive(Shows.Pending),
    MigrationInFlight(Shows.Pending),
    DestinationNotReady(Shows.Pending),
    KubeVirtNotReady(Shows.Pending),

    VolumesRejected(Shows.Rejected),
    NoVirtualMachine(Shows.RejectedVolume),
    SeveralVirtualMachines(Shows.RejectedVolume),
    UsedTwice(Shows.RejectedVolume),
    NotADisk(Shows.RejectedVolume),
    Shareable(Shows.RejectedVolume),
    Lun(Shows.RejectedVolume),
    Filesystem(Shows.RejectedVolume),
    DestinationTooSmall(Shows.RejectedVolume),
    DestinationInUse(Shows.RejectedVolume),
    ClaimLeftOut(Shows.RejectedVolume),
    StorageNotLiveMigratable(Shows.RejectedVolume),
    RestartRequired(Shows.RejectedVolume),
    RolloutStrategy(Shows.RejectedVolume),
    InvalidTerm(Shows.RejectedVolume),

    UpdatingVirtualMachine(Shows.Working),
    Migrating(Shows.Working),
    AttemptFailed(Shows.Working),
    WaitingForUser(Shows.Working),
    RollingBack(Shows.Working),

    ReclaimingSources(Shows.Reclaiming),
    SourceInUse(Shows.Reclaiming),
    Deleted(Shows.Reclaimed),
    Retained(Shows.Reclaimed),

    Migrated(Shows.Done),
    RolledForward(Shows.Done),

    RolledBack(Shows.Failed),
    BackoffLimitExceeded(Shows.Failed),
    Cancelled(Shows.Failed),
    VirtualMachineChanged(Shows.Failed),
    VirtualMachineDeleted(Shows.Failed),
    RestartNeeded(Shows.Failed),
    DataLocationUnknown(Shows.Failed);

    /** On which conditions a reason shows, and how. */
    enum Shows {
        /** {@code Accepted} is true. */
        Accepted,
        /** {@code Accepted} is false for now: {@code Reconciling}. */
        Pending,
        /** {@code Accepted} is false until somebody changes something: {@code Stalled}. */
        Rejected,
        /** On the volume that it concerns, while {@code Accepted} says {@code VolumesRejected}. */
        RejectedVolume,
        /** {@code Migrated} is false: {@code Reconciling}. */
        Working,
        /** {@code Migrated} is true, {@code SourcesReclaimed} is false: {@code Reconciling}. */
        Reclaiming,
        /** {@code SourcesReclaimed} is true. */
        Reclaimed,
        /** {@code Migrated} and {@code Ready} are true. */
        Done,
        /** {@code Migrated} is false: {@code Stalled}. */
        Failed
    }

    private final Shows shows;

    Reason(Shows shows) {
        this.shows = shows;
    }

    Shows shows() {
        return shows;
    }

    /** What {@code Migrated} says: after every roll back the same, whatever made it necessary. */
    Reason onMigrated() {
        return this == BackoffLimitExceeded || this == Cancelled ? RolledBack : this;
    }
}
