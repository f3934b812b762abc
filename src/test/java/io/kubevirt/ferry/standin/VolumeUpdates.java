package io.kubevirt.ferry.standin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * What virt-controller does when a VM names other claims than its VMI: it begins a volume migration, cancels the one
 * under way, refuses, or asks for a restart.
 *
 * <p>It begins in two looks: the first writes down what moves, the second, which sees that, changes the VMI's volumes. A
 * cancel is two writes in one look.
 */
final class VolumeUpdates {

    private final Cluster cluster;

    VolumeUpdates(Cluster cluster) {
        this.cluster = cluster;
    }

    /** A VM that KubeVirt cannot bring to its VMI as it is now; tried again, and told in a condition meanwhile. */
    static final class Unfit extends RuntimeException {
        private static final long serialVersionUID = 1;

        Unfit(String message) {
            super(message);
        }
    }

    /**
     * Brings the VMI's volumes to those of the VM.
     *
     * @param vm may be changed in its status
     * @throws Unfit if the change is none that KubeVirt can follow while a migration is under way
     */
    void handle(Item vm, Item vmi) {
        if (vm.node("spec", "template", "spec", "volumes").equals(vmi.node("spec", "volumes"))) {
            return;
        }
        Map<String, String> changed = Volumes.changed(vm, vmi);
        List<ObjectNode> moving = vmi.list("status", "migratedVolumes");
        if (Volumes.changing(vmi) && moving.stream().anyMatch(each -> changed.containsKey(name(each)))) {
            cancel(vm, vmi, changed, moving);
        } else if (!Volumes.migrates(vm)) {
            if (vm.condition("RestartRequired").isEmpty()) {
                vm.mark("RestartRequired", "True", "", "the volumes replacement is effective only after restart");
            }
        } else {
            begin(vm, vmi, changed);
        }
    }

    private static String name(JsonNode migrated) {
        return migrated.path("volumeName").asText();
    }

    private void cancel(Item vm, Item vmi, Map<String, String> changed, List<ObjectNode> moving) {
        Map<String, String> sources = new HashMap<>();
        moving.forEach(each -> sources.put(
                name(each), each.path("sourcePVCInfo").path("claimName").asText()));
        if (!changed.equals(sources)) {
            throw new Unfit("The volume can only be reverted to the previous version during the update");
        }
        Item back = replaceVolumes(vm, vmi);
        Item after = back.copy();
        after.mark("VolumesChange", "False", "VolumesChangeCancellation", "");
        cluster.patch(
                back,
                new TestedPatch()
                        .change(
                                "/status/conditions",
                                back.node("status", "conditions"),
                                after.node("status", "conditions"))
                        .change(
                                "/status/migratedVolumes",
                                back.node("status", "migratedVolumes"),
                                MissingNode.getInstance())
                        .toString());
    }

    private void begin(Item vm, Item vmi, Map<String, String> changed) {
        Optional<String> invalid = invalid(vm, vmi, changed.keySet());
        if (invalid.isPresent()) {
            vm.mark("RestartRequired", "True", "", invalid.get());
            return;
        }
        Optional<String> missing = changed.values().stream()
                .filter(claim -> cluster.find(Kind.CLAIM, vm.namespace(), claim).isEmpty())
                .findFirst();
        if (missing.isPresent()) {
            Item after = vmi.copy();
            after.mark(
                    "VolumesChange",
                    "False",
                    "",
                    "One of the destination volumes doesn't exist: the pvc %s doesn't exist".formatted(missing.get()));
            patchConditions(vmi, after);
            return;
        }
        Item there = vmi;
        if (vmi.conditionIs("VolumesChange", "False")
                && vmi.condition("VolumesChange").orElseThrow().path("reason").isMissingNode()) {
            Item after = vmi.copy();
            after.dropCondition("VolumesChange");
            there = patchConditions(vmi, after);
        }
        ArrayNode migrated = migrated(vmi, changed);
        Optional<String> left = leftOut(there, changed.keySet());
        if (left.isPresent()) {
            vm.mark("RestartRequired", "True", "", left.get());
            return;
        }
        if (there.node("status", "migratedVolumes").equals(migrated)) {
            replaceVolumes(vm, there);
        } else {
            cluster.patch(
                    there,
                    new TestedPatch()
                            .change("/status/migratedVolumes", there.node("status", "migratedVolumes"), migrated)
                            .toString());
        }
        vm.set(migrated, "status", "volumeUpdateState", "volumeMigrationState", "migratedVolumes");
    }

    private Item patchConditions(Item vmi, Item after) {
        TestedPatch patch = new TestedPatch()
                .change("/status/conditions", vmi.node("status", "conditions"), after.node("status", "conditions"));
        return patch.isEmpty() ? vmi : cluster.patch(vmi, patch.toString());
    }

    /** Why these volumes can never be migrated live. */
    private static Optional<String> invalid(Item vm, Item vmi, Set<String> names) {
        Map<String, ObjectNode> disks = new HashMap<>();
        vmi.list("spec", "domain", "devices", "disks")
                .forEach(disk -> disks.put(disk.path("name").asText(), disk));
        Set<String> filesystems = new HashSet<>();
        vmi.list("spec", "domain", "devices", "filesystems")
                .forEach(each -> filesystems.add(each.path("name").asText()));
        List<String> shared = new ArrayList<>();
        List<String> shareable = new ArrayList<>();
        List<String> luns = new ArrayList<>();
        for (ObjectNode volume : Volumes.of(vm)) {
            String name = volume.path("name").asText();
            JsonNode disk = disks.containsKey(name) ? disks.get(name) : MissingNode.getInstance();
            if (!names.contains(name)) {
                continue;
            }
            if (filesystems.contains(name)) {
                shared.add(name);
            } else if (disk.path("shareable").asBoolean()) {
                shareable.add(name);
            } else if (disk.has("lun")) {
                luns.add(name);
            }
        }
        if (shared.isEmpty() && shareable.isEmpty() && luns.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of("invalid volumes to update with migration:" + listed(" filesystems", shared)
                + listed(" shareable", shareable) + listed(" luns", luns));
    }

    private static String listed(String what, List<String> names) {
        return names.isEmpty() ? "" : what + ": [" + String.join(" ", names) + "]";
    }

    /** Why these volumes cannot be migrated without others, or not at all as the VMI is. */
    private static Optional<String> leftOut(Item vmi, Set<String> names) {
        Optional<ObjectNode> storage = vmi.condition("StorageLiveMigratable")
                .filter(each -> each.path("status").asText().equals("False"));
        if (storage.isPresent()) {
            return Optional.of("cannot migrate the volumes as the VMI isn't migratable: "
                    + storage.get().path("message").asText());
        }
        return vmi.list("status", "volumeStatus").stream()
                .filter(each -> !names.contains(each.path("name").asText()))
                .filter(each -> each.path("persistentVolumeClaimInfo")
                        .path("accessModes")
                        .toString()
                        .equals("[\"ReadWriteOnce\"]"))
                .map(each -> "cannot migrate the VM. The volume %s is RWO and not included in the migration volumes"
                        .formatted(each.path("name").asText()))
                .findFirst();
    }

    private ArrayNode migrated(Item vmi, Map<String, String> changed) {
        Map<String, String> before = Volumes.claims(vmi);
        ArrayNode migrated = Item.object().putArray("migrated");
        changed.forEach((name, claim) -> {
            ObjectNode each = migrated.addObject().put("volumeName", name);
            each.set("sourcePVCInfo", info(vmi.namespace(), Objects.requireNonNull(before.get(name))));
            each.set("destinationPVCInfo", info(vmi.namespace(), claim));
        });
        return migrated;
    }

    private ObjectNode info(String namespace, String name) {
        ObjectNode info = Item.object().put("claimName", name);
        cluster.find(Kind.CLAIM, namespace, name).ifPresent(claim -> {
            info.set("accessModes", claim.node("spec", "accessModes"));
            info.set("requests", claim.node("spec", "resources", "requests"));
            info.put("volumeMode", claim.text("spec", "volumeMode"));
            if (claim.has("status", "capacity")) {
                info.set("capacity", claim.node("status", "capacity"));
            }
        });
        return info;
    }

    /** Puts the VM's volumes in the place of those that the VMI says are moved. */
    private Item replaceVolumes(Item vm, Item vmi) {
        Set<String> moved = new HashSet<>();
        vmi.list("status", "migratedVolumes").forEach(each -> moved.add(name(each)));
        Map<String, ObjectNode> wanted = new HashMap<>();
        Volumes.of(vm).forEach(volume -> wanted.put(volume.path("name").asText(), volume));
        ArrayNode volumes = Item.object().putArray("volumes");
        for (ObjectNode volume : Volumes.of(vmi)) {
            String name = volume.path("name").asText();
            volumes.add(moved.contains(name) && wanted.containsKey(name) ? wanted.get(name) : volume);
        }
        TestedPatch patch = new TestedPatch().change("/spec/volumes", vmi.node("spec", "volumes"), volumes);
        return patch.isEmpty() ? vmi : cluster.patch(vmi, patch.toString());
    }
}
