package io.kubevirt.ferry.standin;

/** KubeVirt's labels, annotations, finalizers and conditions that the stand-in uses. */
final class Names {

    static final String NAMESPACE = "kubevirt";
    static final String CONTROLLER = "system:serviceaccount:kubevirt:kubevirt-controller";

    static final String APP = "kubevirt.io";
    static final String LAUNCHER = "virt-launcher";
    static final String CREATED_BY = "kubevirt.io/created-by";
    static final String NODE_NAME = "kubevirt.io/nodeName";
    static final String MIGRATION_TARGET_NODE = "kubevirt.io/migrationTargetNodeName";
    static final String MIGRATION_UID = "kubevirt.io/migrationJobUID";
    static final String MIGRATION_NAME = "kubevirt.io/migrationJobName";
    static final String VMI_NAME = "kubevirt.io/vmi-name";
    static final String TARGET_READY = "kubevirt.io/migration-target-ready-timestamp";
    static final String UNSCHEDULABLE_TIMEOUT = "kubevirt.io/migrationUnschedulablePodTimeoutSeconds";
    static final String PENDING_TIMEOUT = "kubevirt.io/migrationPendingPodTimeoutSeconds";
    static final String NONROOT = "kubevirt.io/nonroot";
    static final String VM_GENERATION = "kubevirt.io/vm-generation";
    static final String EVACUATION = "kubevirt.io/evacuationMigration";
    static final String WORKLOAD_UPDATE = "kubevirt.io/workloadUpdateMigration";
    static final String VOLUME_UPDATE = "kubevirt.io/volume-update-migration";
    static final String LATEST_VERSION = "kubevirt.io/latest-observed-api-version";
    static final String STORAGE_VERSION = "kubevirt.io/storage-observed-api-version";

    static final String VM_FINALIZER = "kubevirt.io/virtualMachineControllerFinalize";
    static final String VMI_FINALIZER = "kubevirt.io/foregroundDeleteVirtualMachine";
    static final String VMIM_FINALIZER = "kubevirt.io/migrationJobFinalize";

    static final String UNPAUSED = "kubevirt.io/virtual-machine-unpaused";
    static final String ABORT_REQUESTED = "migrationAbortRequested";

    static final String SCHEDULABLE = "kubevirt.io/schedulable";
    static final String OBSOLETE_HOST_MODEL = "node-labeller.kubevirt.io/obsolete-host-model";
    static final String MACHINE_TYPE = "machine-type.node.kubevirt.io/";
    static final String CPU_VENDOR = "cpu-vendor.node.kubevirt.io/";
    static final String CPU_MODEL = "cpu-model.node.kubevirt.io/";
    static final String CPU_FEATURE = "cpu-feature.node.kubevirt.io/";
    static final String CPU_MODEL_MIGRATION = "cpu-model-migration.node.kubevirt.io/";
    static final String HOST_MODEL_CPU = "host-model-cpu.node.kubevirt.io/";
    static final String HOST_MODEL_FEATURES = "host-model-required-features.node.kubevirt.io/";
    static final String HOST_MODEL = "host-model";

    static final String LAUNCHER_IMAGE = "standin/virt-launcher:v1";
    static final String MEMORY_OVERHEAD = "295168Ki";
    static final String MEMORY_OVERHEAD_BYTES = "302252032";

    private Names() {}

    /** The two annotations that virt-controller puts on what it sees for the first time. */
    static boolean observed(Item item) {
        return item.annotated(LATEST_VERSION) && item.annotated(STORAGE_VERSION);
    }

    static void observe(Item item) {
        item.set("v1", "metadata", "annotations", LATEST_VERSION);
        item.set("v1", "metadata", "annotations", STORAGE_VERSION);
    }
}
