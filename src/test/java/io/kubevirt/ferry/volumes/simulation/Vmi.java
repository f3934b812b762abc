package io.kubevirt.ferry.volumes.simulation;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A VirtualMachineInstance. */
final class Vmi {
    /** The finalizer of virt-controller's VMI controller, gone when the VMI's pods are. */
    static final String INSTANCE_FINALIZER = "kubevirt.io/foregroundDeleteVirtualMachine";
    /** The finalizer of virt-controller's VM controller, gone when it has seen the VMI final. */
    static final String MACHINE_FINALIZER = "kubevirt.io/virtualMachineControllerFinalize";

    enum Phase {
        PENDING,
        RUNNING,
        SUCCEEDED,
        FAILED;

        boolean last() {
            return this == SUCCEEDED || this == FAILED;
        }
    }

    final String name;
    final String uid;
    final String vmUid;
    /** What the VM named when this VMI was made; KubeVirt keeps it in a ControllerRevision. */
    final List<Volume> started;

    final int startedHardware;
    long version;
    /** The version it was made with. */
    long born;
    /** The version since which it names its claims. */
    long named;

    boolean deleting;
    Set<String> finalizers = new LinkedHashSet<>(List.of(MACHINE_FINALIZER, INSTANCE_FINALIZER));
    Map<String, String> labels = new LinkedHashMap<>();
    List<Volume> volumes;

    Phase phase = Phase.PENDING;

    @Nullable String node;

    VolumesChange volumesChange = VolumesChange.ABSENT;
    List<MigratedVolume> migratedVolumes = List.of();

    @Nullable MigrationState migration;

    /** Source launchers of migrations before that one: each ends by itself, whatever KubeVirt does meanwhile. */
    final Set<String> leftPods = new LinkedHashSet<>();

    Vmi(String name, String uid, String vmUid, List<Volume> started, int startedHardware) {
        this.name = name;
        this.uid = uid;
        this.vmUid = vmUid;
        this.started = started;
        this.startedHardware = startedHardware;
        this.volumes = started;
    }

    Vmi copy() {
        var copy = new Vmi(name, uid, vmUid, started, startedHardware);
        copy.version = version;
        copy.deleting = deleting;
        copy.finalizers = new LinkedHashSet<>(finalizers);
        copy.labels = new LinkedHashMap<>(labels);
        copy.volumes = volumes;
        copy.phase = phase;
        copy.node = node;
        copy.volumesChange = volumesChange;
        copy.migratedVolumes = migratedVolumes;
        copy.migration = migration == null ? null : migration.copy();
        return copy;
    }

    boolean running() {
        return phase == Phase.RUNNING;
    }

    boolean migrating() {
        return migration != null && !migration.completed;
    }

    @Override
    public String toString() {
        return uid + " " + phase + (deleting ? " deleting" : "") + " on " + node + " " + volumes
                + (volumesChange == VolumesChange.ABSENT ? "" : " VolumesChange=" + volumesChange)
                + (migratedVolumes.isEmpty() ? "" : " migrated=" + migratedVolumes)
                + (migration == null ? "" : " state=" + migration) + " " + finalizers + labels;
    }
}
