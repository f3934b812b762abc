package io.kubevirt.ferry.volumes;

import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import java.util.Optional;

/** How the migrations of a run are stopped: the verdict is written, so the fence lets no target pod in any more. */
final class Abort {
    private Abort() {}

    /** Deletes what may be deleted, else waits. */
    static Next step(View v) {
        return deletable(v)
                .map(vmim -> delete(v, vmim))
                .orElseGet(() -> Next.await(
                        v,
                        Reason.RollingBack,
                        v.unfinished().isEmpty()
                                ? "Waiting for KubeVirt to complete a migration: if it never does, restart the VM"
                                : "Waiting for the migration under way to end"));
    }

    static Next delete(View v, VirtualMachineInstanceMigration vmim) {
        var meta = vmim.getMetadata();
        var delete = new Action.DeleteMigration(new Action.Ref(meta.getName(), meta.getUid()));
        return Next.act(v, delete, Reason.RollingBack, "Cancelling migration " + meta.getName());
    }

    /** An unfinished VMIM that is ours or KubeVirt's, or whoever's as long as it has no target pod. */
    static Optional<VirtualMachineInstanceMigration> deletable(View v) {
        return v.unfinished().stream()
                .filter(vmim -> vmim.getMetadata().getDeletionTimestamp() == null)
                .filter(vmim -> forVolumes(vmim) || v.targetPods(vmim).isEmpty())
                .findFirst();
    }

    private static boolean forVolumes(VirtualMachineInstanceMigration vmim) {
        return View.label(vmim.getMetadata(), VirtualMachineInstanceMigration.VOLUME_UPDATE_LABEL)
                        .isPresent()
                || View.annotation(vmim.getMetadata(), VirtualMachineInstanceMigration.WORKLOAD_UPDATE_ANNOTATION)
                        .isPresent();
    }
}
