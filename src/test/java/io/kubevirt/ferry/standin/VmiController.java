package io.kubevirt.ferry.standin;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** virt-controller's part that makes the launcher pod of a VMI, hands it to the machine, and takes it down. */
final class VmiController {

    private final Cluster cluster;
    private final Events events;
    private final WorkQueue queue = new WorkQueue("vmi", this::handle);

    VmiController(Cluster cluster, Events events) {
        this.cluster = cluster;
        this.events = events;
        cluster.on(Kind.VMI, vmi -> queue.add(vmi.key()));
        cluster.on(Kind.POD, pod -> {
            if (!pod.label(Names.CREATED_BY).isEmpty()) {
                queue.add(pod.namespace() + "/" + pod.label("vm.kubevirt.io/name"));
            }
        });
    }

    WorkQueue queue() {
        return queue;
    }

    private void handle(String key) {
        Optional<Item> found = cluster.find(Kind.VMI, key);
        if (found.isEmpty()) {
            return;
        }
        Item vmi = found.get();
        if (!Names.observed(vmi)) {
            Names.observe(vmi);
            cluster.update(vmi);
            return;
        }
        List<Item> pods = new ArrayList<>(cluster.launchersOf(vmi));
        if (vmi.deleting()) {
            takeDown(vmi, pods);
        } else if (pods.isEmpty() && vmi.text("status", "phase").equals("Pending")) {
            pods.add(launch(vmi));
        }
        Item after = vmi.copy();
        tell(after, pods);
        if (!after.sameAs(vmi, "status") || !after.sameAs(vmi, "metadata")) {
            vmi = cluster.update(after);
        }
        label(vmi, pods);
    }

    private Item launch(Item vmi) {
        // The watch may lag behind: a second pod for one VMI would be a second guest on its disks.
        Optional<Item> present = cluster.get(Kind.POD, vmi.namespace()).stream()
                .filter(pod -> pod.label(Names.CREATED_BY).equals(vmi.uid()))
                .findFirst();
        if (present.isPresent()) {
            return present.get();
        }
        Item pod = cluster.create(LauncherPods.first(vmi));
        events.normal(vmi, "SuccessfulCreate", "Created virtual machine pod " + pod.name());
        return unpaused(pod);
    }

    /** The readiness gate of launcher pods: says that the guest is not paused. */
    private Item unpaused(Item pod) {
        Item after = pod.copy();
        after.setCondition(Names.UNPAUSED, "True", "NotPaused", "the virtual machine is not paused");
        return cluster.updateStatus(after);
    }

    private void takeDown(Item vmi, List<Item> pods) {
        for (Item pod : pods) {
            if (!pod.deleting()) {
                cluster.delete(pod);
                events.normal(vmi, "SuccessfulDelete", "Deleted virtual machine pod " + pod.name());
            }
        }
    }

    private void tell(Item vmi, List<Item> pods) {
        activePods(vmi, pods);
        Optional<Item> current = Pods.current(vmi, pods);
        if (vmi.deleting() && (Vmis.ended(vmi) || vmi.text("status", "phase").equals("Pending"))) {
            end(vmi, pods);
            return;
        }
        switch (vmi.text("status", "phase")) {
            case "Pending" -> current.ifPresent(pod -> schedule(vmi));
            case "Scheduling" -> current.ifPresentOrElse(pod -> handOver(vmi, pod), () -> fail(vmi));
            case "Scheduled", "Running" -> current.ifPresentOrElse(pod -> watch(vmi, pod), () -> fail(vmi));
            default -> {}
        }
    }

    private static void end(Item vmi, List<Item> pods) {
        if (!pods.isEmpty()) {
            vmi.setCondition("Ready", "False", "PodTerminating", "virt-launcher pod is terminating");
            return;
        }
        vmi.enterPhase(Vmis.ended(vmi) ? vmi.text("status", "phase") : "Failed");
        vmi.removeFinalizer(Names.VMI_FINALIZER);
        vmi.remove("status", "launcherContainerImageVersion");
    }

    private static void activePods(Item vmi, List<Item> pods) {
        ObjectNode active = Item.object();
        pods.forEach(pod -> active.put(pod.uid(), Pods.node(pod)));
        vmi.set(active.isEmpty() ? null : active, "status", "activePods");
    }

    private static void schedule(Item vmi) {
        vmi.enterPhase("Scheduling");
        vmi.setCondition("Ready", "False", "GuestNotRunning", "Guest VM is not reported as running");
        vmi.set(Names.LAUNCHER_IMAGE, "status", "launcherContainerImageVersion");
        vmi.set(Names.MEMORY_OVERHEAD, "status", "memory", "memoryOverhead");
    }

    private void handOver(Item vmi, Item pod) {
        if (Pods.ended(pod)) {
            fail(vmi);
            return;
        }
        if (Pods.unschedulable(pod)) {
            pod.condition("PodScheduled").ifPresent(vmi::copyCondition);
        } else {
            vmi.dropCondition("PodScheduled");
        }
        if (!Pods.node(pod).isEmpty()) {
            vmi.set(pod.text("status", "qosClass"), "status", "qosClass");
        }
        if (!Pods.ready(pod)) {
            return;
        }
        vmi.enterPhase("Scheduled");
        vmi.set(Pods.node(pod), "metadata", "labels", Names.NODE_NAME);
        vmi.set(Pods.node(pod), "status", "nodeName").set("Unix", "status", "migrationTransport");
        ArrayNode interfaces = Item.object().putArray("interfaces");
        for (ObjectNode network : vmi.list("spec", "networks")) {
            interfaces.addObject().put("name", network.path("name").asText()).put("podInterfaceName", "eth0");
        }
        vmi.set(interfaces.isEmpty() ? null : interfaces, "status", "interfaces");
        volumeStatuses(vmi);
    }

    private void volumeStatuses(Item vmi) {
        ArrayNode statuses = Item.object().putArray("statuses");
        for (ObjectNode volume : vmi.list("spec", "volumes")) {
            ObjectNode status =
                    statuses.addObject().put("name", volume.path("name").asText());
            status.put("target", "");
            String claim = Volumes.claimOf(volume);
            if (!claim.isEmpty()) {
                status.set("persistentVolumeClaimInfo", claimInfo(vmi.namespace(), claim));
            }
        }
        vmi.set(statuses.isEmpty() ? null : statuses, "status", "volumeStatus");
    }

    private ObjectNode claimInfo(String namespace, String name) {
        ObjectNode info = Item.object().put("claimName", name).put("filesystemOverhead", "0.055");
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

    private void watch(Item vmi, Item pod) {
        if (Pods.ended(pod)) {
            fail(vmi);
            return;
        }
        if (pod.deleting()) {
            vmi.setCondition("Ready", "False", "PodTerminating", "virt-launcher pod is terminating");
        }
        if (volumesReplaced(vmi)) {
            vmi.mark("VolumesChange", "True", "", "migrate volumes");
        }
        volumeStatuses(vmi);
    }

    /** Whether a volume migration is written down and the VMI has a claim that is none of its sources. */
    private static boolean volumesReplaced(Item vmi) {
        List<String> sources = vmi.list("status", "migratedVolumes").stream()
                .map(each -> each.path("sourcePVCInfo").path("claimName").asText())
                .toList();
        return !sources.isEmpty()
                && !Volumes.changing(vmi)
                && !sources.containsAll(Volumes.claims(vmi).values());
    }

    private static void fail(Item vmi) {
        vmi.enterPhase("Failed");
        vmi.setCondition("Ready", "False", "PodNotExists", "virt-launcher pod has not yet been scheduled");
    }

    /** Keeps on the pod in which the guest runs what virt-controller keeps there. */
    private void label(Item vmi, List<Item> pods) {
        String node = vmi.label(Names.NODE_NAME);
        if (node.isEmpty() || vmi.deleting()) {
            return;
        }
        Optional<Item> current = pods.stream()
                .filter(pod -> Pods.node(pod).equals(node) && !Pods.down(pod))
                .findFirst();
        if (current.isEmpty()) {
            return;
        }
        Item pod = current.get();
        if (pod.condition(Names.UNPAUSED).isEmpty()) {
            pod = unpaused(pod);
        }
        if (!pod.label(Names.NODE_NAME).equals(node)) {
            Item labelled = pod.copy();
            labelled.set(node, "metadata", "labels", Names.NODE_NAME);
            cluster.update(labelled);
        }
    }
}
