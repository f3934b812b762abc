package io.kubevirt.ferry.standin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** What virt-controller does about a change of a VM whose VMI runs: nothing, a live update, or a call for a restart. */
final class LiveUpdates {

    private static final String[][] LIVE = {
        {"domain", "cpu", "sockets"},
        {"domain", "memory", "guest"},
        {"nodeSelector"},
        {"affinity"},
        {"tolerations"},
        {"networks"},
        {"domain", "devices", "interfaces"}
    };

    private final Cluster cluster;
    private final VolumeUpdates volumes;

    LiveUpdates(Cluster cluster) {
        this.cluster = cluster;
        this.volumes = new VolumeUpdates(cluster);
    }

    /**
     * Handles the difference between the VM and what its VMI started from.
     *
     * @param vm may be changed in its status
     * @throws VolumeUpdates.Unfit as {@link VolumeUpdates#handle} does
     */
    void handle(Item vm, Item vmi) {
        Item current = vmi;
        Optional<JsonNode> started = started(vmi);
        if (started.isPresent()) {
            JsonNode template = vm.node("spec", "template");
            if (started.get().path("template").equals(template)) {
                vm.dropCondition("RestartRequired");
                current = follow(vm, vmi);
            } else if (needsRestart(started.get().path("template").path("spec"), vm)) {
                vm.mark("RestartRequired", "True", "", "a non-live-updatable field was changed in the template spec");
            }
        }
        if (vm.condition("RestartRequired").isPresent() || !liveUpdates()) {
            return;
        }
        if (!current.deleting()) {
            current = place(vm, current);
        }
        volumes.handle(vm, current);
    }

    private boolean liveUpdates() {
        return cluster.list(Kind.KUBEVIRT).stream()
                .allMatch(each ->
                        each.text("spec", "configuration", "vmRolloutStrategy").isEmpty()
                                || each.text("spec", "configuration", "vmRolloutStrategy")
                                        .equals("LiveUpdate"));
    }

    /** The VM's spec that the VMI was started from, if it is still written down. */
    private Optional<JsonNode> started(Item vmi) {
        return cluster.find(Kind.REVISION, vmi.namespace(), vmi.text("status", "virtualMachineRevisionName"))
                .map(revision -> revision.node("data", "spec"));
    }

    /** The VM is as the VMI started, whatever it was in between: the VMI is of this generation. */
    private Item follow(Item vm, Item vmi) {
        String generation = Long.toString(vm.generation());
        if (vmi.annotation(Names.VM_GENERATION).equals(generation)) {
            return vmi;
        }
        Item after = vmi.copy().set(generation, "metadata", "annotations", Names.VM_GENERATION);
        return cluster.patch(
                vmi,
                new TestedPatch()
                        .change(
                                "/metadata/annotations",
                                vmi.node("metadata", "annotations"),
                                after.node("metadata", "annotations"))
                        .toString());
    }

    private static boolean needsRestart(JsonNode started, Item vm) {
        Item before = Item.of(Kind.VMI, Item.object()).set(started.deepCopy(), "spec");
        Item now = Item.of(Kind.VMI, Item.object())
                .set(vm.node("spec", "template", "spec").deepCopy(), "spec");
        for (String[] field : LIVE) {
            String[] path = new String[field.length + 1];
            path[0] = "spec";
            System.arraycopy(field, 0, path, 1, field.length);
            before.remove(path);
            now.remove(path);
        }
        if (volumesMayChange(before, vm)) {
            before.remove("spec", "volumes");
            now.remove("spec", "volumes");
        }
        return !before.sameAs(now, "spec");
    }

    /** Claims may change under the strategy Migration, hotplugged volumes always, others never. */
    private static boolean volumesMayChange(Item before, Item vm) {
        Map<String, ObjectNode> old = new HashMap<>();
        Volumes.of(before).forEach(volume -> old.put(volume.path("name").asText(), volume));
        for (ObjectNode volume : Volumes.of(vm)) {
            ObjectNode was = old.remove(volume.path("name").asText());
            if (Volumes.hotpluggable(volume)) {
                continue;
            }
            boolean claim = !Volumes.claimOf(volume).isEmpty() && Volumes.migrates(vm);
            if (was == null || (!claim && !was.equals(volume))) {
                return false;
            }
        }
        return old.values().stream().allMatch(Volumes::hotpluggable);
    }

    /** Where the VM's owner wants it is changed in place. */
    private Item place(Item vm, Item vmi) {
        TestedPatch patch = new TestedPatch();
        for (String field : new String[] {"nodeSelector", "affinity", "tolerations"}) {
            JsonNode wanted = vm.has("spec", "template", "spec", field)
                    ? vm.node("spec", "template", "spec", field)
                    : MissingNode.getInstance();
            patch.change("/spec/" + field, vmi.node("spec", field), wanted);
        }
        return patch.isEmpty() ? vmi : cluster.patch(vmi, patch.toString());
    }
}
