package io.kubevirt.ferry.volumes.simulation;

import org.jspecify.annotations.Nullable;

/** {@code status.migrationState} of a VMI: it keeps the last migration's values until the next one prepares its target. */
final class MigrationState {
    final String migrationUid;
    final String sourcePod;
    final String targetPod;
    final String targetNode;
    /** Milliseconds at which the guest was seen on the target, or -1. */
    long targetReady = -1;

    boolean abortRequested;
    boolean completed;
    boolean failed;

    @Nullable String failureReason;

    MigrationState(String migrationUid, String sourcePod, String targetPod, String targetNode) {
        this.migrationUid = migrationUid;
        this.sourcePod = sourcePod;
        this.targetPod = targetPod;
        this.targetNode = targetNode;
    }

    MigrationState copy() {
        var copy = new MigrationState(migrationUid, sourcePod, targetPod, targetNode);
        copy.targetReady = targetReady;
        copy.abortRequested = abortRequested;
        copy.completed = completed;
        copy.failed = failed;
        copy.failureReason = failureReason;
        return copy;
    }

    void fail(String reason) {
        completed = true;
        failed = true;
        failureReason = reason;
    }

    @Override
    public String toString() {
        return migrationUid + "/" + targetPod + (targetReady >= 0 ? " ready" : "") + (abortRequested ? " abort" : "")
                + (completed ? failed ? " failed(" + failureReason + ")" : " completed" : "");
    }
}
