package io.kubevirt.ferry.volumes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kubevirt.ferry.kubevirt.Volume;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One write, with all that must still hold for it: objects by name and UID, values as they were read. Where one of them does
 * not hold any more the write must fail, and the next observation decides. All objects are in the namespace of the
 * VolumeMigration. {@link Patches} gives the patches.
 */
public sealed interface Action {

    /** A JSON patch of one object. */
    sealed interface Patch extends Action {}

    /** An object, by the UID it must still have. */
    record Ref(String name, String uid) {}

    /**
     * A VM, by the UID it must still have.
     *
     * @param generation the generation that it must still have: nobody has changed its spec since it was read
     */
    record Machine(String name, String uid, long generation) {}

    /** The finalizer on the VolumeMigration, which has exactly these now. */
    record AddFinalizer(Ref migration, List<String> finalizers) implements Patch {}

    /**
     * The finalizer off the VolumeMigration, which has exactly these now. A run that has begun since wants it to stay.
     *
     * @param reported whether it has a status
     * @param run the number of its last run, which that status must still tell of; absent if there was none
     */
    record RemoveFinalizer(Ref migration, List<String> finalizers, boolean reported, Optional<Integer> run)
            implements Patch {}

    /** The VolumeMigration itself, after its time to live. */
    record DeleteVolumeMigration(Ref migration, String resourceVersion) implements Action {}

    /**
     * Hold and fence on the VMI, which has exactly these finalizers and not that label now.
     *
     * @param labelled whether the VMI has any labels
     * @param mark the value of the label, {@code <VolumeMigration UID>.<run>}
     */
    record Hold(Ref instance, List<String> finalizers, boolean labelled, String mark) implements Patch {}

    /** Hold and fence off, where the label has that value (absent: there is only a finalizer) and these are the finalizers. */
    record Release(Ref instance, List<String> finalizers, Optional<String> mark) implements Patch {}

    /**
     * The lock on the VM, which has none now and names these volumes.
     *
     * @param annotated whether the VM has any annotations
     */
    record Lock(Machine machine, boolean annotated, String lock, List<Placed<Volume>> volumes) implements Patch {}

    /** The VM to the destinations, in one write, if the lock and every value replaced are as they were read. */
    record ChangeVolumes(
            Machine machine,
            String lock,
            List<Change<Volume>> volumes,
            TemplateChange templates,
            StrategyChange strategy)
            implements Patch {}

    /** The VM back to the sources, in one write, as {@link ChangeVolumes}. */
    record PutBack(
            Machine machine,
            String lock,
            List<Change<Volume>> volumes,
            TemplateChange templates,
            Optional<StrategyChange> strategy)
            implements Patch {}

    /** The strategy of a locked VM that names these volumes. */
    record ChangeStrategy(Machine machine, String lock, List<Placed<Volume>> volumes, StrategyChange strategy)
            implements Patch {}

    /**
     * The lock off the VM that names these volumes.
     *
     * @param restore the restore annotation to put on, where there is none now
     */
    record Unlock(Machine machine, String lock, List<Placed<Volume>> volumes, Optional<String> restore)
            implements Patch {}

    /**
     * The strategy put back after the VMI is gone, and the restore annotation, which has this value, off.
     *
     * @param strategy absent where somebody else has changed it already
     */
    record SettleStrategy(Machine machine, String restore, Optional<StrategyChange> strategy) implements Patch {}

    /** A VMIM of ours; that one of this name exists already is success. */
    record CreateMigration(String name, Ref instance, Map<String, String> labels, Map<String, String> annotations)
            implements Action {}

    record DeleteMigration(Ref migration) implements Action {}

    record DeletePod(Ref pod) implements Action {}

    /** The mark on a source, before it is deleted. */
    record MarkSource(Source source, boolean annotated, String mark) implements Patch {}

    record UnmarkSource(Source source, String mark) implements Patch {}

    /** A source that was looked after since it had the resourceVersion, with the mark on it. */
    record DeleteSource(Source source) implements Action {}

    /** A claim, or the DataVolume that owns it and would bring it back. */
    record Source(Kind kind, Ref object, String resourceVersion) {
        public enum Kind {
            PersistentVolumeClaim,
            DataVolume
        }
    }

    /** A list entry at its place. */
    record Placed<T>(int index, T value) {}

    /** A list entry that is replaced at its place. */
    record Change<T>(int index, T before, T after) {}

    /** {@code dataVolumeTemplates} as a whole; absent for none. Nothing is written where both are equal. */
    record TemplateChange(Optional<List<ObjectNode>> before, Optional<List<ObjectNode>> after) {}

    /** {@code updateVolumesStrategy}; absent for none. */
    record StrategyChange(Optional<String> before, Optional<String> after) {}
}
