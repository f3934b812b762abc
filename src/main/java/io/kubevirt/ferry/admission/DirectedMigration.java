package io.kubevirt.ferry.admission;

/** The names that make up the API of directed migration. */
public final class DirectedMigration {
    /** Annotation of a VirtualMachineInstanceMigration: the added NodeSelectorTerm, as JSON or YAML. */
    public static final String ANNOTATION = "migration.kubevirt.io/added-node-selector-term";

    /** Scheduling gate of a target pod whose migration could not be looked up when the pod was created. */
    public static final String GATE = ANNOTATION;

    /** Typed field of {@code spec} of a VirtualMachineInstanceMigration, moved into {@link #ANNOTATION} on admission. */
    public static final String FIELD = "addedNodeSelectorTerm";

    /** {@link #ANNOTATION} as a field path. */
    public static final String ANNOTATION_PATH = "metadata.annotations[" + ANNOTATION + "]";

    /** {@link #FIELD} as a field path. */
    public static final String FIELD_PATH = "spec." + FIELD;

    /** Migrations, in the group {@code kubevirt.io}. */
    public static final String RESOURCE = "virtualmachineinstancemigrations";

    /** Subresource of migrations that exists for RBAC alone: who may create it may direct migrations. */
    public static final String SUBRESOURCE = "addednodeselectorterm";

    /** Both, as a role names them. */
    public static final String VIRTUAL_RESOURCE = RESOURCE + "/" + SUBRESOURCE;

    /** The ClusterRole that is shipped for it. */
    public static final String CLUSTER_ROLE = "kubevirt-ferry-directed-migration";

    private DirectedMigration() {}
}
