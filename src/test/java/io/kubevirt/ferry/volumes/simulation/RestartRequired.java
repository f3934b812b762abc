package io.kubevirt.ferry.volumes.simulation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** When virt-controller sets and takes away {@code RestartRequired}, by comparison with what the VMI started from. */
final class RestartRequired {
    static final String FIELD_CHANGED = "a non-live-updatable field was changed in the template spec";

    private RestartRequired() {}

    static void clear(Vm vm, @Nullable Vmi vmi) {
        if (vmi != null && vm.hardware == vmi.startedHardware && known(vm, vmi).equals(vmi.started)) {
            vm.status.restartRequired = null;
        }
    }

    /** The VM's volumes but for what was plugged in since the VMI started. */
    private static List<Volume> known(Vm vm, Vmi vmi) {
        return vm.volumes.stream()
                .filter(volume -> !volume.hotpluggable() || Vm.find(vmi.started, volume.name()) != null)
                .toList();
    }

    static void set(Vm vm, @Nullable Vmi vmi) {
        if (vmi != null && (vm.hardware != vmi.startedHardware || !liveUpdatable(vm, vmi))) {
            vm.status.restartRequired = FIELD_CHANGED;
        }
    }

    /** Hotplugged volumes may change, claims only under the strategy {@code Migration}. */
    private static boolean liveUpdatable(Vm vm, Vmi vmi) {
        for (var volume : vm.volumes) {
            var started = Vm.find(vmi.started, volume.name());
            if (volume.hotpluggable()) {
                continue;
            }
            if (started == null || (!vm.migrationStrategy() && !volume.equals(started))) {
                return false;
            }
        }
        for (var started : vmi.started) {
            if (!started.hotpluggable() && vm.volume(started.name()) == null) {
                return false;
            }
        }
        return true;
    }
}
