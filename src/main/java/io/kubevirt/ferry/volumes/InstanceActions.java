package io.kubevirt.ferry.volumes;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.kubevirt.ferry.api.Names;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstance;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The writes on the VMI of a run, and the VMIMs that it makes. */
final class InstanceActions {
    private static final int LONGEST_LABEL = 63;
    private static final ObjectMapper JSON = new ObjectMapper();

    private InstanceActions() {}

    static Action hold(View v) {
        var vmi = v.instance().orElseThrow();
        var labels = vmi.getMetadata().getLabels();
        return new Action.Hold(
                ref(vmi), vmi.getMetadata().getFinalizers(), labels != null && !labels.isEmpty(), v.mark());
    }

    /** Hold and fence off, as far as they are on the VMI and not those of another run. */
    static Optional<Action> release(View v) {
        return v.instance().flatMap(vmi -> release(vmi, v.mark()));
    }

    static Optional<Action> release(VirtualMachineInstance vmi, String mark) {
        var found = View.label(vmi.getMetadata(), Names.VOLUME_MIGRATION);
        boolean held = vmi.getMetadata().getFinalizers().contains(Names.VOLUME_MIGRATION);
        if (found.filter(other -> !other.equals(mark)).isPresent() || (found.isEmpty() && !held)) {
            return Optional.empty();
        }
        return Optional.of(new Action.Release(ref(vmi), vmi.getMetadata().getFinalizers(), found));
    }

    /** A VMIM that KubeVirt takes for its own, so that its cancel aborts it. */
    static Action migrate(View v, int attempt) {
        var vmi = v.instance().orElseThrow();
        var name = vmi.getMetadata().getName();
        var labels = Map.of(
                VirtualMachineInstanceMigration.VOLUME_UPDATE_LABEL,
                name.length() <= LONGEST_LABEL ? name : vmi.getMetadata().getUid());
        var annotations = new TreeMap<String, String>();
        annotations.put(VirtualMachineInstanceMigration.WORKLOAD_UPDATE_ANNOTATION, "");
        v.migration().getSpec().term().ifPresent(term -> annotations.put(Names.ADDED_NODE_SELECTOR_TERM, json(term)));
        return new Action.CreateMigration(
                Marks.migrationName(v.migration(), v.run().run(), attempt), ref(vmi), labels, annotations);
    }

    private static String json(NodeSelectorTerm term) {
        try {
            return JSON.writeValueAsString(term);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a term that was read from JSON can be written", e);
        }
    }

    private static Action.Ref ref(VirtualMachineInstance vmi) {
        return new Action.Ref(vmi.getMetadata().getName(), vmi.getMetadata().getUid());
    }
}
