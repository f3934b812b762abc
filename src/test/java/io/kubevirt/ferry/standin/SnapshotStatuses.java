package io.kubevirt.ferry.standin;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/** virt-controller's part that says of each volume of a VM whether it can be snapshot: of none here. */
final class SnapshotStatuses {

    private final Cluster cluster;
    private final WorkQueue queue = new WorkQueue("snapshots", this::handle);

    SnapshotStatuses(Cluster cluster) {
        this.cluster = cluster;
        cluster.on(Kind.VM, vm -> queue.add(vm.key()));
        cluster.on(
                Kind.CLAIM,
                claim -> cluster.list(Kind.VM, claim.namespace()).stream()
                        .filter(vm -> Volumes.claims(vm).containsValue(claim.name()))
                        .forEach(vm -> queue.addAfter(vm.key(), Volumes.AFTER_A_CLAIM)));
    }

    WorkQueue queue() {
        return queue;
    }

    private void handle(String key) {
        Optional<Item> found = cluster.find(Kind.VM, key).filter(Names::observed);
        if (found.isEmpty()) {
            return;
        }
        Item after = found.get().copy();
        if (!after.has("status", "printableStatus")) {
            after.set("Stopped", "status", "printableStatus");
        }
        ArrayNode statuses = Item.object().putArray("statuses");
        after.list("spec", "template", "spec", "volumes").forEach(volume -> statuses.add(status(after, volume)));
        after.set(statuses.isEmpty() ? null : statuses, "status", "volumeSnapshotStatuses");
        if (!after.sameAs(found.get(), "status")) {
            cluster.updateStatus(after);
        }
    }

    private ObjectNode status(Item vm, ObjectNode volume) {
        String name = volume.path("name").asText();
        ObjectNode status = Item.object().put("enabled", false).put("name", name);
        String claim = Volumes.claimOf(volume);
        if (claim.isEmpty()) {
            return status.put("reason", "Snapshot is not supported for this volumeSource type [%s]".formatted(name));
        }
        return status.put(
                "reason",
                cluster.find(Kind.CLAIM, vm.namespace(), claim)
                        .map(found ->
                                ("No VolumeSnapshotClass: Volume snapshots are not configured for this StorageClass"
                                                + " [%s] [%s]")
                                        .formatted(found.text("spec", "storageClassName"), name))
                        .orElse("PVC not found"));
    }
}
