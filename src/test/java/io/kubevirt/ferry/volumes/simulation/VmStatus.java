package io.kubevirt.ferry.volumes.simulation;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What virt-controller writes on a VM. */
final class VmStatus {
    long desiredGeneration;
    /** The message of {@code RestartRequired=True}, or null. */
    @Nullable String restartRequired;

    boolean manualRecoveryRequired;
    /** Mirrored from the VMI, and kept when the VMI is gone. */
    VolumesChange volumesChange = VolumesChange.ABSENT;
    /** {@code volumeUpdateState.volumeMigrationState.migratedVolumes}; empty when there is none. */
    List<MigratedVolume> volumeMigrationState = List.of();

    int startFailures;
    /** Milliseconds before which a crashed VM is not started again. */
    long retryAfter;

    @Nullable String lastFailedVmi;

    VmStatus copy() {
        var copy = new VmStatus();
        copy.desiredGeneration = desiredGeneration;
        copy.restartRequired = restartRequired;
        copy.manualRecoveryRequired = manualRecoveryRequired;
        copy.volumesChange = volumesChange;
        copy.volumeMigrationState = volumeMigrationState;
        copy.startFailures = startFailures;
        copy.retryAfter = retryAfter;
        copy.lastFailedVmi = lastFailedVmi;
        return copy;
    }

    boolean same(VmStatus other) {
        return desiredGeneration == other.desiredGeneration
                && Objects.equals(restartRequired, other.restartRequired)
                && manualRecoveryRequired == other.manualRecoveryRequired
                && volumesChange == other.volumesChange
                && volumeMigrationState.equals(other.volumeMigrationState)
                && startFailures == other.startFailures
                && retryAfter == other.retryAfter
                && Objects.equals(lastFailedVmi, other.lastFailedVmi);
    }

    @Override
    public String toString() {
        return "[seen=" + desiredGeneration
                + (restartRequired == null ? "" : " RestartRequired(" + restartRequired + ")")
                + (manualRecoveryRequired ? " ManualRecoveryRequired" : "")
                + (volumesChange == VolumesChange.ABSENT ? "" : " VolumesChange=" + volumesChange)
                + (volumeMigrationState.isEmpty() ? "" : " migrating=" + volumeMigrationState)
                + (startFailures == 0 ? "" : " crashes=" + startFailures) + "]";
    }
}
