package io.kubevirt.ferry.volumes.simulation;

import java.util.HashSet;
import java.util.List;
import java.util.function.Supplier;

/** virt-handler, the launchers and libvirt: what happens to guests and their data. */
final class Machines implements Actor {
    /** What an attempt will come to, and how long its copy takes. */
    record Plan(Vmim.Fate fate, long duration) {}

    private static final long STALLED = 300_000;

    private final Cluster cluster;
    private final Supplier<Plan> plans;

    Machines(Cluster cluster, Supplier<Plan> plans) {
        this.cluster = cluster;
        this.plans = plans;
    }

    @Override
    public void offer(Menu menu) {
        var vmi = cluster.vmi;
        if (vmi == null) {
            return;
        }
        boots(menu, vmi);
        if (vmi.running()) {
            for (var vmim : cluster.vmims.values()) {
                if (MigrationController.owns(vmi, vmim)) {
                    migration(menu, vmi, vmim, vmi.migration);
                }
            }
        }
        launchersEnd(menu, vmi);
    }

    private void boots(Menu menu, Vmi vmi) {
        if (vmi.phase != Vmi.Phase.PENDING || vmi.deleting) {
            return;
        }
        for (var pod : cluster.pods.values()) {
            if (pod.createdBy.equals(vmi.uid)
                    && pod.kind == Pod.Kind.LAUNCHER
                    && pod.phase == Pod.Phase.RUNNING
                    && !pod.deleting
                    && LauncherPods.attached(cluster, pod, vmi)) {
                menu.offer(Move.GUEST_BOOTS, vmi.uid, () -> {
                    vmi.phase = Vmi.Phase.RUNNING;
                    vmi.node = pod.node;
                    cluster.guest = new Cluster.Guest(vmi.uid, pod.name);
                    cluster.touch(vmi);
                    cluster.storage.boot(cluster.mounted(pod));
                });
            }
        }
    }

    private void migration(Menu menu, Vmi vmi, Vmim vmim, MigrationState state) {
        if (state.completed || cluster.guest == null) {
            return;
        }
        var target = cluster.pods.get(state.targetPod);
        if (target == null || target.deleting) {
            return;
        }
        if (vmim.phase == Vmim.Phase.TARGET_READY) {
            menu.offer(Move.COPY_STARTS, vmim.name, () -> startCopy(vmi, vmim, target));
        }
        if (state.abortRequested && !vmim.handedOver) {
            menu.offer(Move.COPY_ABORTED, vmim.name, () -> fail(vmi, state, "Live migration has been aborted"));
        }
        if (vmim.phase == Vmim.Phase.RUNNING) {
            if (vmim.handedOver) {
                handedOver(menu, vmi, vmim, state);
            } else {
                copying(menu, vmi, vmim, state, target);
            }
        }
    }

    private void startCopy(Vmi vmi, Vmim vmim, Pod target) {
        var plan = plans.get();
        var copied = new HashSet<String>();
        vmi.migratedVolumes.forEach(migrated -> copied.add(migrated.volume()));
        vmim.copied = copied;
        vmim.fate = plan.fate();
        vmim.copyEnds = cluster.now + (plan.fate() == Vmim.Fate.HANG ? STALLED : plan.duration());
        vmim.phase = Vmim.Phase.RUNNING;
        cluster.touch(vmim);
        var source = cluster.guestPod();
        if (source != null) {
            cluster.storage.startCopy(copied, cluster.mounted(source), cluster.mounted(target), unfenced(target));
        }
    }

    /** Before the hold a VM that its user changes is on its own. */
    private boolean unfenced(Pod target) {
        return cluster.manual && target.labels.isEmpty();
    }

    private void copying(Menu menu, Vmi vmi, Vmim vmim, MigrationState state, Pod target) {
        menu.wakeAt(vmim.copyEnds, cluster.now);
        var source = cluster.guestPod();
        if (cluster.now < vmim.copyEnds || source == null || source.deleting) {
            return;
        }
        if (vmim.fate == Vmim.Fate.FAIL || vmim.fate == Vmim.Fate.HANG) {
            menu.offer(Move.COPY_FAILS, vmim.name, () -> fail(vmi, state, "migration stalled"));
            return;
        }
        menu.offer(Move.GUEST_HANDED_OVER, vmim.name, () -> {
            cluster.storage.handOver(vmim.copied, cluster.mounted(source), cluster.mounted(target), unfenced(target));
            vmim.handedOver = true;
            cluster.guest.pod = target.name;
            cluster.guest.unreported = true;
        });
    }

    private void handedOver(Menu menu, Vmi vmi, Vmim vmim, MigrationState state) {
        if (vmim.fate == Vmim.Fate.SPLIT_UNSEEN || (vmim.fate == Vmim.Fate.SPLIT && state.targetReady >= 0)) {
            menu.offer(Move.EVERYTHING_BREAKS, vmim.name, () -> {
                vmi.phase = Vmi.Phase.FAILED;
                cluster.guest = null;
                fail(vmi, state, "lost contact after hand-over");
            });
        } else if (state.targetReady < 0) {
            menu.offer(Move.GUEST_REPORTED, vmim.name, () -> {
                state.targetReady = cluster.now;
                cluster.guest.unreported = false;
                cluster.touch(vmi);
                cluster.storage.write(cluster.mounted(cluster.pods.get(cluster.guest.pod)));
            });
        } else if (!state.targetNode.equals(vmi.node)) {
            menu.offer(Move.NODE_NAME, vmim.name, () -> {
                vmi.node = state.targetNode;
                cluster.touch(vmi);
            });
        } else {
            menu.offer(Move.MIGRATION_COMPLETED, vmim.name, () -> {
                state.completed = true;
                vmi.volumesChange = VolumesChange.ABSENT;
                vmi.migratedVolumes = List.of();
                cluster.touch(vmi);
            });
        }
    }

    private void fail(Vmi vmi, MigrationState state, String reason) {
        state.fail(reason);
        cluster.touch(vmi);
    }

    private void launchersEnd(Menu menu, Vmi vmi) {
        vmi.leftPods.forEach(name -> launcherEnds(menu, Move.SOURCE_POD_DONE, name));
        var state = vmi.migration;
        if (state == null || !state.completed) {
            return;
        }
        launcherEnds(
                menu,
                state.failed ? Move.TARGET_POD_DONE : Move.SOURCE_POD_DONE,
                state.failed ? state.targetPod : state.sourcePod);
    }

    private void launcherEnds(Menu menu, Move move, String name) {
        var left = cluster.pods.get(name);
        if (left != null
                && !cluster.lostPods.contains(left.name)
                && left.phase == Pod.Phase.RUNNING
                && !left.deleting
                && (cluster.guest == null || !cluster.guest.pod.equals(left.name))) {
            menu.offer(move, left.name, () -> end(left));
        }
    }

    /** A launcher is over, and so are its attachment pods. */
    private void end(Pod launcher) {
        for (var pod : cluster.pods.values()) {
            if (pod == launcher || launcher.uid.equals(pod.owner)) {
                pod.phase = Pod.Phase.SUCCEEDED;
                cluster.touch(pod);
            }
        }
    }
}
