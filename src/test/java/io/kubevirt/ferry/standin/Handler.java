package io.kubevirt.ferry.standin;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * virt-handler on all nodes: starts the guest, and moves it as its {@link Script} says.
 *
 * <p>A migration goes in steps, each a write of its own: the target prepared, the copy begun, the guest running on the
 * target, the source gone, the source's report.
 */
final class Handler {

    private static final String STATE = "migrationState";

    private final Cluster cluster;
    private final Kubelet kubelet;
    private final Pace pace;
    private final Timers timers = new Timers();
    private final WorkQueue queue = new WorkQueue("handler", this::handle);

    Handler(Cluster cluster, Kubelet kubelet, Pace pace) {
        this.cluster = cluster;
        this.kubelet = kubelet;
        this.pace = pace;
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
        Script script = Script.of(vmi);
        if (vmi.deleting()) {
            return;
        }
        if (vmi.text("status", "phase").equals("Scheduled")) {
            boot(vmi, script);
        } else if (Vmis.running(vmi) && vmi.has("status", STATE, "migrationUid")) {
            if (vmi.flag("status", STATE, "completed")) {
                tidy(vmi, script);
            } else {
                migrate(vmi, script);
            }
        }
    }

    private boolean passed(Item vmi, Script script, String step) {
        return passed(vmi, step, script.step());
    }

    private boolean passed(Item vmi, String step, Duration pause) {
        if (Script.of(vmi).hold().equals(step)) {
            return false;
        }
        String migration = vmi.text("status", STATE, "migrationUid");
        return timers.passed(vmi.uid(), step + migration, pause, left -> queue.addAfter(vmi.key(), left))
                && pace.isKept(vmi, queue);
    }

    private void boot(Item vmi, Script script) {
        boolean there =
                Pods.current(vmi, cluster.launchersOf(vmi)).filter(Pods::ready).isPresent();
        if (!there || !passed(vmi, "boot", script.boot())) {
            return;
        }
        vmi.set("Running", "status", "phase");
        vmi.set("none", "status", "selinuxContext");
        vmi.setCondition("Ready", "True", "", "");
        migratable(vmi, script);
        cluster.update(vmi);
    }

    private void migratable(Item vmi, Script script) {
        Optional<String> unshared = unsharedClaim(vmi);
        if (!script.migratable()) {
            vmi.setCondition("LiveMigratable", "False", "HostDeviceNotLiveMigratable", "VMI uses a PCI host devices");
            vmi.setCondition(
                    "StorageLiveMigratable",
                    "False",
                    "NotMigratable",
                    "HostDeviceNotLiveMigratable: VMI uses a PCI host devices");
            return;
        }
        if (unshared.isPresent()) {
            vmi.setCondition(
                    "LiveMigratable",
                    "False",
                    "DisksNotLiveMigratable",
                    ("cannot migrate VMI: PVC %s is not shared, live migration requires that all PVCs must be shared"
                                    + " (using ReadWriteMany access mode)")
                            .formatted(unshared.get()));
        } else {
            vmi.setCondition("LiveMigratable", "True", "", "");
        }
        vmi.setCondition("StorageLiveMigratable", "True", "", "");
    }

    private static Optional<String> unsharedClaim(Item vmi) {
        return vmi.list("status", "volumeStatus").stream()
                .map(each -> each.path("persistentVolumeClaimInfo"))
                .filter(claim -> claim.has("accessModes"))
                .filter(claim -> !claim.path("accessModes").toString().contains("ReadWriteMany"))
                .map(claim -> claim.path("claimName").asText())
                .findFirst();
    }

    private void migrate(Item vmi, Script script) {
        boolean targetThere = target(vmi).filter(Pods::ready).isPresent();
        if (vmi.has("status", STATE, "endTimestamp")) {
            if (passed(vmi, script, "report")) {
                vmi.dropCondition("VolumesChange");
                vmi.remove("status", "migratedVolumes");
                write(vmi.set(true, "status", STATE, "completed"));
            }
        } else if (vmi.flag("status", STATE, "targetNodeDomainDetected")) {
            if (passed(vmi, script, "handover")) {
                if (script.outcome() == Script.Outcome.SPLIT) {
                    vmi.set("Failed", "status", "phase");
                    fail(vmi, script.because());
                } else {
                    arrive(vmi);
                }
            }
        } else if (vmi.flag("status", STATE, "abortRequested")) {
            if (passed(vmi, script, "abort")) {
                vmi.set("Succeeded", "status", STATE, "abortStatus");
                fail(vmi, "Live migration has been aborted");
            }
        } else if (!targetThere) {
            // virt-controller finds out; there is nothing to copy to.
            return;
        } else if (!vmi.has("status", STATE, "targetNodeAddress")) {
            if (passed(vmi, script, "prepare")) {
                vmi.set("10.9.9.9", "status", STATE, "targetNodeAddress");
                write(vmi.set(0, "status", STATE, "targetDirectMigrationNodePorts", "40000"));
            }
        } else if (!vmi.has("status", STATE, "startTimestamp")) {
            if (passed(vmi, script, "begin")) {
                write(vmi.set(Item.now(), "status", STATE, "startTimestamp"));
            }
        } else {
            copy(vmi, script);
        }
    }

    private void copy(Item vmi, Script script) {
        switch (script.outcome()) {
            case OK, SPLIT -> {
                if (passed(vmi, "copy", script.copy())) {
                    vmi.set(true, "status", STATE, "targetNodeDomainDetected");
                    write(vmi.set(Item.now(), "status", STATE, "targetNodeDomainReadyTimestamp"));
                }
            }
            case FAIL -> {
                if (passed(vmi, "copy", script.copy())) {
                    fail(vmi, script.because());
                }
            }
            case HANG -> {}
        }
    }

    /** The guest has left the source: the VMI is on the target's node. */
    private void arrive(Item vmi) {
        String node = vmi.text("status", STATE, "targetNode");
        vmi.set(Item.now(), "status", STATE, "endTimestamp");
        vmi.set(node, "metadata", "labels", Names.NODE_NAME);
        write(vmi.set(node, "status", "nodeName"));
    }

    private void fail(Item vmi, String why) {
        vmi.set(Item.now(), "status", STATE, "endTimestamp");
        vmi.set(true, "status", STATE, "completed").set(true, "status", STATE, "failed");
        write(vmi.set(why, "status", STATE, "failureReason"));
    }

    private void write(Item vmi) {
        cluster.update(vmi);
    }

    /** After the end: the launcher that lost the guest, or never got it, goes, and the target is no longer one. */
    private void tidy(Item vmi, Script script) {
        if (vmi.label(Names.MIGRATION_TARGET_NODE).isEmpty() || !passed(vmi, script, "tidy")) {
            return;
        }
        String left = vmi.flag("status", STATE, "failed") ? "targetPod" : "sourcePod";
        cluster.launchersOf(vmi).stream()
                .filter(pod -> pod.name().equals(vmi.text("status", STATE, left)))
                .filter(pod -> !Pods.down(pod))
                .forEach(kubelet::finish);
        vmi.remove("metadata", "labels", Names.MIGRATION_TARGET_NODE);
        write(vmi);
        timers.forget(vmi.uid());
    }

    private Optional<Item> target(Item vmi) {
        List<Item> pods = cluster.launchersOf(vmi);
        return pods.stream()
                .filter(pod -> pod.name().equals(vmi.text("status", STATE, "targetPod")))
                .findFirst();
    }
}
