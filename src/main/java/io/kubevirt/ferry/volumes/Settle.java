package io.kubevirt.ferry.volumes;

import io.kubevirt.ferry.api.Names;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstance;
import io.kubevirt.ferry.volumes.Action.StrategyChange;
import java.util.Optional;

/**
 * Puts the {@code updateVolumesStrategy} of a VM back after its volumes have moved. While the VMI that started from the old
 * claims lives KubeVirt would ask for a restart, and take volumes no more; afterwards nobody notices.
 */
public final class Settle {
    private Settle() {}

    /**
     * What is to be done about a VM with the restore annotation.
     *
     * @param instance the VMI of the VM's name, read live before the VM
     * @param vm the VM, read live
     */
    public static Optional<Action> decide(Optional<VirtualMachineInstance> instance, VirtualMachine vm) {
        var meta = vm.getMetadata();
        boolean busy = View.annotation(meta, Names.VOLUME_MIGRATION).isPresent()
                || vm.is(VirtualMachine.MANUAL_RECOVERY_REQUIRED)
                || vm.is(VirtualMachineInstance.VOLUMES_CHANGE);
        return View.annotation(meta, Names.RESTORE_STRATEGY)
                .filter(text -> !busy && meta.getDeletionTimestamp() == null)
                .flatMap(text -> Marks.Restore.parse(text)
                        .map(restore -> settle(instance, vm, text, restore))
                        .orElseGet(() -> Optional.of(unreadable(vm, text))));
    }

    private static Optional<Action> settle(
            Optional<VirtualMachineInstance> instance, VirtualMachine vm, String text, Marks.Restore restore) {
        boolean lives = instance.filter(vmi -> vmi.getMetadata().getUid().equals(restore.instance()))
                .isPresent();
        if (lives) {
            return Optional.empty();
        }
        // what the run left there: whoever has changed it since meant it
        var migration = Optional.of(VirtualMachine.MIGRATION);
        var left = restore.strategy().equals(migration) ? Optional.<String>empty() : migration;
        return Optional.of(new Action.SettleStrategy(
                ref(vm),
                text,
                vm.strategy().equals(left)
                        ? Optional.of(new StrategyChange(left, restore.strategy()))
                        : Optional.empty()));
    }

    /** Somebody wrote nonsense into it: it goes, and the strategy stays. */
    private static Action unreadable(VirtualMachine vm, String text) {
        return new Action.SettleStrategy(ref(vm), text, Optional.empty());
    }

    private static Action.Machine ref(VirtualMachine vm) {
        var meta = vm.getMetadata();
        return new Action.Machine(meta.getName(), meta.getUid(), meta.getGeneration());
    }
}
