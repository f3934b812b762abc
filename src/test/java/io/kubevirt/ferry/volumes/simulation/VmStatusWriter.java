package io.kubevirt.ferry.volumes.simulation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What virt-controller makes of a VM and its VMI in the VM's status. */
final class VmStatusWriter {
    private static final long FIRST_PAUSE = 10_000;
    private static final long LONGEST_PAUSE = 300_000;

    private VmStatusWriter() {}

    static void update(long now, Vm vm, @Nullable Vmi vmi, List<MigratedVolume> takenUp) {
        var status = vm.status;
        if (!takenUp.isEmpty()) {
            status.volumeMigrationState = takenUp;
        }
        if (vmi != null) {
            status.desiredGeneration = vm.generation;
            countCrash(now, vm, vmi);
        }
        syncVolumeMigration(vm, vmi);
        if (vmi != null) {
            status.volumesChange = vmi.volumesChange;
            status.manualRecoveryRequired = false;
        }
    }

    private static void countCrash(long now, Vm vm, Vmi vmi) {
        var status = vm.status;
        if (vm.run && vmi.phase.last() && !vmi.uid.equals(status.lastFailedVmi)) {
            status.lastFailedVmi = vmi.uid;
            status.retryAfter = now + Math.min(LONGEST_PAUSE, FIRST_PAUSE << (2 * Math.min(status.startFailures, 4)));
            status.startFailures++;
        }
    }

    private static void syncVolumeMigration(Vm vm, @Nullable Vmi vmi) {
        var status = vm.status;
        if (status.volumeMigrationState.isEmpty()) {
            return;
        }
        var cancelled = vmi != null && !vmi.phase.last() && vmi.volumesChange == VolumesChange.CANCELLED;
        if (!vm.migrationStrategy() || backOnSources(vm) || cancelled) {
            status.volumeMigrationState = List.of();
            status.volumesChange = VolumesChange.ABSENT;
            status.manualRecoveryRequired = false;
        } else if ((vmi == null || vmi.phase.last()) && status.volumesChange != VolumesChange.ABSENT) {
            status.manualRecoveryRequired = true;
        }
    }

    private static boolean backOnSources(Vm vm) {
        for (var migrated : vm.status.volumeMigrationState) {
            var volume = vm.volume(migrated.volume());
            if (volume != null && !volume.claim().equals(migrated.source())) {
                return false;
            }
        }
        return true;
    }
}
