package io.kubevirt.ferry.volumes;

import io.kubevirt.ferry.api.Names;
import io.kubevirt.ferry.api.VolumeMigration;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstance;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Takes off a lock, hold or fence whose run no VolumeMigration has: late writes leave them, and finalizers taken by force. */
public final class Sweep {
    private Sweep() {}

    /**
     * The lock off.
     *
     * @param migrations the VolumeMigrations of the namespace, read live after the VM
     */
    public static Optional<Action> lock(VirtualMachine vm, List<VolumeMigration> migrations) {
        var meta = vm.getMetadata();
        return View.annotation(meta, Names.VOLUME_MIGRATION)
                .filter(lock -> orphan(lock, Marks::ownerOfLock, migrations))
                .map(lock -> new Action.Unlock(
                        new Action.Machine(meta.getName(), meta.getUid(), meta.getGeneration()),
                        lock,
                        List.of(),
                        Optional.empty()));
    }

    /**
     * Hold and fence off. A hold whose fence somebody took away belongs to the run that its VMI is under.
     *
     * @param migrations the VolumeMigrations of the namespace, read live after the VMI
     */
    public static Optional<Action> hold(VirtualMachineInstance vmi, List<VolumeMigration> migrations) {
        var mark = View.label(vmi.getMetadata(), Names.VOLUME_MIGRATION);
        boolean orphan = mark.isPresent()
                ? orphan(mark.get(), Marks::ownerOfMark, migrations)
                : migrations.stream()
                        .noneMatch(
                                migration -> under(migration, vmi.getMetadata().getUid()));
        return orphan ? InstanceActions.release(vmi, mark.orElse("")) : Optional.empty();
    }

    private static boolean under(VolumeMigration migration, String instanceUid) {
        return migration
                .status()
                .run()
                .filter(run -> run.progress().open())
                .filter(run -> run.virtualMachineInstanceUid().equals(instanceUid))
                .isPresent();
    }

    private static boolean orphan(
            String text, Function<String, Optional<Marks.Owner>> owner, List<VolumeMigration> migrations) {
        return owner.apply(text)
                .filter(of -> migrations.stream().anyMatch(of::isOpenIn))
                .isEmpty();
    }
}
