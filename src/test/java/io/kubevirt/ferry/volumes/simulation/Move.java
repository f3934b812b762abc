package io.kubevirt.ferry.volumes.simulation;

/** Every transition of the model; the text is what a trace says. */
enum Move {
    CACHE_VM("virt-controller's cache: the VM"),
    CACHE_VMI("virt-controller's cache: the VMI"),
    VM_SYNC("virt-controller takes the VM up"),
    VM_RELEASED("virt-controller lets the deleted VM go"),
    VMI_CREATE("virt-controller starts a VMI"),
    VMI_DELETE("virt-controller deletes the VMI"),
    DATA_VOLUME_CREATE("virt-controller makes a DataVolume of a template"),
    VOLUMES_MISSING("virt-controller: VolumesChange=False, a destination is missing"),
    VOLUMES_CHANGE_CLEARED("virt-controller takes an old VolumesChange=False away"),
    MIGRATED_VOLUMES("virt-controller writes migratedVolumes"),
    VMI_VOLUMES("virt-controller writes the VMI's volumes"),
    CANCEL_VOLUMES("virt-controller cancels: the VMI's volumes"),
    CANCEL_STATUS("virt-controller cancels: migratedVolumes and condition"),
    HOT_UNPLUG("virt-controller unplugs a changed hotplugged volume"),
    HOT_PLUG("virt-controller plugs a hotplugged volume"),
    VM_STATUS("virt-controller writes the VM's status"),
    VM_MIRROR("virt-controller mirrors the VMI's VolumesChange on the VM"),
    VMI_MACHINE_FINALIZER("virt-controller has seen the VMI final"),

    LAUNCHER_CREATE("virt-controller makes the launcher pod"),
    ATTACHMENT_CREATE("virt-controller makes an attachment pod"),
    VOLUMES_CHANGE_TRUE("virt-controller: VolumesChange=True"),
    VMI_FAILED("virt-controller: the VMI failed"),
    PODS_DELETED("virt-controller deletes the pods of the ended VMI"),
    VMI_INSTANCE_FINALIZER("virt-controller's last finalizer goes from the VMI"),

    VMIM_PENDING("virt-controller: VMIM Pending"),
    POD_BUILT("virt-controller builds a target pod"),
    POD_ADMITTED("the API server judges the target pod"),
    POD_STORED("the target pod is stored"),
    VMIM_SCHEDULING("virt-controller: VMIM Scheduling"),
    VMIM_SCHEDULED("virt-controller: VMIM Scheduled"),
    HAND_OFF("virt-controller writes the VMI's migrationState"),
    VMIM_PREPARING("virt-controller: VMIM PreparingTarget"),
    VMIM_TARGET_READY("virt-controller: VMIM TargetReady"),
    VMIM_POD_CANCELLED("virt-controller deletes the target pod of a cancelled VMIM"),
    VMIM_ABORT("virt-controller asks the source to abort"),
    VMIM_POD_LOST("virt-controller: the target pod is gone"),
    VMIM_TARGET_DOWN("virt-controller writes that the target is down"),
    VMIM_OVER("virt-controller: the VMI of the VMIM is over"),
    VMIM_SUCCEEDED("virt-controller: VMIM Succeeded"),
    VMIM_FAILED("virt-controller: VMIM Failed"),
    VMIM_RELEASED("virt-controller takes its finalizer off the VMIM"),
    VMIM_REMOVED("virt-controller deletes the VMIM of a VMI that is gone"),
    VMIM_STUCK("virt-controller gives up a target pod that does not start"),

    COPY_STARTS("the copy starts"),
    COPY_FAILS("the copy fails"),
    COPY_ABORTED("the copy is aborted"),
    GUEST_HANDED_OVER("the guest runs on the target"),
    GUEST_REPORTED("virt-handler reports the guest on the target"),
    NODE_NAME("virt-handler writes the VMI's node"),
    MIGRATION_COMPLETED("virt-handler completes the migration"),
    EVERYTHING_BREAKS("the VMI fails after the hand-over"),
    SOURCE_POD_DONE("the source launcher ends"),
    TARGET_POD_DONE("the target launcher of a failed migration ends"),

    UPDATER_MIGRATES("the workload updater makes a VMIM"),
    UPDATER_ABORTS("the workload updater deletes a VMIM"),
    UPDATER_EVICTS("the workload updater evicts the VMI"),

    POD_RUNS("a pod starts"),
    POD_GONE("a deleted pod is gone"),
    GUEST_BOOTS("the guest boots"),
    CLAIM_GONE("a deleted claim is gone"),
    CLAIM_OF_DATA_VOLUME("CDI makes the claim of a DataVolume"),
    DATA_VOLUME_GONE("a deleted DataVolume is gone"),

    PEOPLE("people"),
    PEOPLE_COMPLY("a person does what the message says"),
    OPERATOR_READS("the operator reads"),
    OPERATOR_RECORDS("the operator writes the status"),
    OPERATOR_ACTS("the operator acts"),
    OPERATOR_LATE("an operator that was paused writes"),
    OPERATOR_SETTLES("the operator settles a strategy"),
    OPERATOR_SWEEPS("the operator sweeps");

    private final String text;

    Move(String text) {
        this.text = text;
    }

    String text() {
        return text;
    }
}
