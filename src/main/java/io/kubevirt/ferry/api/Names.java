package io.kubevirt.ferry.api;

/** The names that this operator puts on objects: on its own, and on those of KubeVirt and Kubernetes. */
public final class Names {
    /**
     * On the VM as annotation, the lock: {@code <VolumeMigration UID>/<run>/<last migrationUid before the run>}. On the VMI as
     * finalizer, the hold: no new VMI can start. On the VMI as label, the fence: KubeVirt copies it to the launcher pods
     * that it makes. On a VolumeMigration as finalizer, while there is something to undo. On a source claim, or the
     * DataVolume that owns it, as annotation, the mark: about to be deleted.
     */
    public static final String VOLUME_MIGRATION = "storage.kubevirt.io/volume-migration";

    /** On a VM: {@code <VMI UID>/<strategy to put back, empty for none>}, once that VMI is gone. */
    public static final String RESTORE_STRATEGY = "storage.kubevirt.io/restore-update-volumes-strategy";

    /** On a VMIM: a Kubernetes NodeSelectorTerm as JSON or YAML. */
    public static final String ADDED_NODE_SELECTOR_TERM = "migration.kubevirt.io/added-node-selector-term";

    private Names() {}
}
