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

    /** Resource in {@code kubevirt.io} that exists for RBAC alone: who may create it may direct migrations. */
    public static final String VIRTUAL_RESOURCE = "virtualmachineinstancemigrations/addednodeselectorterm";

    private DirectedMigration() {}
}
