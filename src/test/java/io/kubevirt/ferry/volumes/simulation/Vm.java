package io.kubevirt.ferry.volumes.simulation;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A VirtualMachine, with what of it concerns volumes. */
final class Vm {
    static final String MIGRATION = "Migration";

    final String name;
    final String uid;
    long version;
    long generation = 1;
    /** The version of the last change of its spec. */
    long specified;

    boolean deleting;
    Map<String, String> annotations = new LinkedHashMap<>();

    /** {@code runStrategy}: Always or Halted. */
    boolean run = true;

    @Nullable String strategy;

    List<Volume> volumes;
    List<Template> templates = List.of();
    /** Stands for every field that cannot be changed while the VM runs. */
    int hardware;
    /** Stands for every field and label that KubeVirt changes without a restart. */
    int liveUpdatable;

    VmStatus status = new VmStatus();

    /** A data volume template; the text stands for its whole spec. */
    record Template(String name, String text) {}

    Vm(String name, String uid, List<Volume> volumes) {
        this.name = name;
        this.uid = uid;
        this.volumes = volumes;
    }

    Vm copy() {
        var copy = new Vm(name, uid, volumes);
        copy.version = version;
        copy.generation = generation;
        copy.deleting = deleting;
        copy.annotations = new LinkedHashMap<>(annotations);
        copy.run = run;
        copy.strategy = strategy;
        copy.templates = templates;
        copy.hardware = hardware;
        copy.liveUpdatable = liveUpdatable;
        copy.status = status.copy();
        return copy;
    }

    boolean migrationStrategy() {
        return MIGRATION.equals(strategy);
    }

    @Nullable Volume volume(String volume) {
        return find(volumes, volume);
    }

    static @Nullable Volume find(List<Volume> volumes, String name) {
        for (var volume : volumes) {
            if (volume.name().equals(name)) {
                return volume;
            }
        }
        return null;
    }

    @Override
    public String toString() {
        return "gen=" + generation + (deleting ? " deleting" : "") + (run ? "" : " halted") + " strategy=" + strategy
                + " " + volumes + (templates.isEmpty() ? "" : " templates=" + templates)
                + (hardware == 0 ? "" : " hardware=" + hardware) + (annotations.isEmpty() ? "" : " " + annotations)
                + " " + status;
    }
}
