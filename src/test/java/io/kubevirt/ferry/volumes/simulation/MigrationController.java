package io.kubevirt.ferry.volumes.simulation;

import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/** virt-controller's migration controller: what it does to a VMIM before the machines have it and after. */
final class MigrationController implements Actor {
    private static final long POD_TIMEOUT = 300_000;
    private static final long FIRST_BACK_OFF = 20_000;
    private static final int FINISHED_KEPT = 5;

    private final Cluster cluster;
    private int failuresInARow;
    private long lastFailure;

    MigrationController(Cluster cluster) {
        this.cluster = cluster;
    }

    @Override
    public void offer(Menu menu) {
        for (var vmim : new ArrayList<>(cluster.vmims.values())) {
            offer(menu, vmim);
        }
    }

    private void offer(Menu menu, Vmim vmim) {
        var vmi = cluster.vmi;
        if (vmim.phase.last()) {
            finished(menu, vmim);
        } else if (vmi == null || isAnother(vmi, vmim) || vmi.phase.last() || (vmi.deleting && vmim.draft == null)) {
            menu.offer(Move.VMIM_OVER, vmim.name, () -> fail(vmim, null));
        } else if (vmim.draft != null) {
            draft(menu, vmim, vmi, vmim.draft);
        } else {
            switch (vmim.phase) {
                case UNSET -> menu.offer(Move.VMIM_PENDING, vmim.name, () -> pending(vmim));
                case PENDING -> pending(menu, vmim, vmi);
                case SCHEDULING, SCHEDULED -> {
                    if (owns(vmi, vmim)) {
                        underWay(menu, vmim, vmi);
                    } else {
                        beforeHandOff(menu, vmim, vmi);
                    }
                }
                case PREPARING, TARGET_READY, RUNNING -> underWay(menu, vmim, vmi);
                case SUCCEEDED, FAILED -> {}
            }
        }
    }

    /** KubeVirt's own VMIMs, and those marked like them, wait longer after each failure. */
    private void pending(Vmim vmim) {
        if (failuresInARow > 0 && vmim.annotations.containsKey(Vmim.UPDATE_ANNOTATION)) {
            vmim.notBefore = lastFailure + (FIRST_BACK_OFF << Math.min(failuresInARow - 1, 5));
        }
        phase(vmim, Vmim.Phase.PENDING);
    }

    private void pending(Menu menu, Vmim vmim, Vmi vmi) {
        if (vmim.targetPod != null) {
            menu.offer(Move.VMIM_SCHEDULING, vmim.name, () -> phase(vmim, Vmim.Phase.SCHEDULING));
        } else if (vmim.deleting) {
            menu.offer(Move.VMIM_FAILED, vmim.name, () -> fail(vmim, null));
        } else if (cluster.now < vmim.notBefore) {
            if (vmim.refusals == 0) {
                cluster.comesUp(Subtlety.BACK_OFF);
            }
            menu.wakeAt(vmim.notBefore, cluster.now);
        } else if (vmi.running()) {
            menu.offer(Move.POD_BUILT, vmim.name, () -> {
                vmim.draft = LauncherPods.build(cluster, vmi, vmim.uid);
                vmim.admitted = false;
                if (vmi.migration != null) {
                    cluster.comesUp(Subtlety.MIGRATION_STATE_OF_BEFORE);
                }
            });
        }
    }

    private void draft(Menu menu, Vmim vmim, Vmi vmi, Pod draft) {
        if (vmim.admitted) {
            menu.offer(Move.POD_STORED, vmim.name, () -> {
                if (vmi.volumes.stream().anyMatch(volume -> elsewhere(draft, volume))) {
                    cluster.comesUp(Subtlety.CHANGED_SINCE_ADMISSION);
                }
                LauncherPods.store(cluster, draft);
                vmim.draft = null;
                vmim.targetPod = draft.name;
                vmim.targetPodSince = cluster.now;
            });
        } else {
            menu.offer(Move.POD_ADMITTED, vmim.name, () -> admit(vmim, draft));
        }
    }

    private static boolean elsewhere(Pod pod, Volume volume) {
        var claim = pod.claims.get(volume.name());
        return claim != null && !claim.equals(volume.claim());
    }

    private void admit(Vmim vmim, Pod draft) {
        if (cluster.fence.admit(draft) == Cluster.Fence.Answer.ADMITTED) {
            vmim.admitted = true;
        } else {
            vmim.draft = null;
            vmim.notBefore = cluster.now + Math.min(60_000, 100L << Math.min(vmim.refusals, 10));
            vmim.refusals++;
        }
    }

    private void beforeHandOff(Menu menu, Vmim vmim, Vmi vmi) {
        var pod = target(vmim);
        if (vmim.deleting) {
            menu.offer(Move.VMIM_POD_CANCELLED, vmim.name, () -> giveUp(vmim));
        } else if (pod == null || pod.deleting || pod.phase.last()) {
            menu.offer(Move.VMIM_POD_LOST, vmim.name, () -> fail(vmim, "target pod is gone"));
        } else if (pod.phase == Pod.Phase.PENDING || !LauncherPods.attached(cluster, pod, vmi)) {
            attach(menu, vmi, pod);
            var timeout = vmim.targetPodSince + POD_TIMEOUT;
            menu.wakeAt(timeout, cluster.now);
            if (cluster.now >= timeout) {
                menu.offer(Move.VMIM_STUCK, vmim.name, () -> giveUp(vmim));
            }
        } else if (vmim.phase == Vmim.Phase.SCHEDULING) {
            menu.offer(Move.VMIM_SCHEDULED, vmim.name, () -> phase(vmim, Vmim.Phase.SCHEDULED));
        } else {
            menu.offer(Move.HAND_OFF, vmim.name, () -> handOff(vmim, vmi, pod));
        }
    }

    private void attach(Menu menu, Vmi vmi, Pod target) {
        if (target.phase == Pod.Phase.RUNNING
                && !LauncherPods.toAttach(cluster, target, vmi).isEmpty()) {
            menu.offer(Move.ATTACHMENT_CREATE, target.name, () -> {
                if (vmi.volumes.stream().anyMatch(volume -> elsewhere(target, volume))) {
                    cluster.comesUp(Subtlety.ATTACHED_ELSEWHERE);
                }
                LauncherPods.attach(cluster, target, vmi);
            });
        }
    }

    private void handOff(Vmim vmim, Vmi vmi, Pod target) {
        var source = cluster.guestPod();
        var last = vmi.migration;
        if (last != null && last.completed && !last.failed) {
            vmi.leftPods.add(last.sourcePod);
        }
        vmi.migration = new MigrationState(
                vmim.uid, source == null ? "" : source.name, target.name, target.node == null ? "" : target.node);
        cluster.touch(vmi);
    }

    private void underWay(Menu menu, Vmim vmim, Vmi vmi) {
        var state = vmi.migration;
        if (state == null || !owns(vmi, vmim)) {
            return;
        }
        if (vmim.phase == Vmim.Phase.SCHEDULED && !vmim.deleting) {
            menu.offer(Move.VMIM_PREPARING, vmim.name, () -> phase(vmim, Vmim.Phase.PREPARING));
        }
        var pod = target(vmim);
        if (state.completed) {
            menu.offer(state.failed ? Move.VMIM_FAILED : Move.VMIM_SUCCEEDED, vmim.name, () -> over(vmim, state));
        } else if ((pod == null || pod.deleting) && !vmim.handedOver) {
            menu.offer(Move.VMIM_TARGET_DOWN, vmim.name, () -> {
                state.fail("Target pod is down");
                cluster.touch(vmi);
            });
        } else if (vmim.deleting && !state.abortRequested) {
            menu.offer(Move.VMIM_ABORT, vmim.name, () -> {
                state.abortRequested = true;
                cluster.touch(vmi);
            });
        }
        if (vmim.phase == Vmim.Phase.PREPARING && !vmim.deleting) {
            menu.offer(Move.VMIM_TARGET_READY, vmim.name, () -> phase(vmim, Vmim.Phase.TARGET_READY));
        }
    }

    private void over(Vmim vmim, MigrationState state) {
        vmim.targetReady = state.targetReady >= 0;
        if (state.failed) {
            fail(vmim, state.failureReason);
        } else {
            failuresInARow = 0;
            phase(vmim, Vmim.Phase.SUCCEEDED);
        }
    }

    private void giveUp(Vmim vmim) {
        var pod = target(vmim);
        if (pod != null) {
            cluster.deletePod(pod);
        }
        fail(vmim, null);
    }

    private void fail(Vmim vmim, @Nullable String reason) {
        vmim.draft = null;
        vmim.failureReason = reason;
        failuresInARow++;
        lastFailure = cluster.now;
        phase(vmim, Vmim.Phase.FAILED);
    }

    private void finished(Menu menu, Vmim vmim) {
        if (vmim.finalizer) {
            menu.offer(Move.VMIM_RELEASED, vmim.name, () -> {
                vmim.finalizer = false;
                cluster.touch(vmim);
            });
        } else if (cluster.vmi == null || isAnother(cluster.vmi, vmim) || tooMany(vmim)) {
            menu.offer(Move.VMIM_REMOVED, vmim.name, () -> cluster.deleteVmim(vmim));
        }
    }

    /** Whether the VMI that the VMIM was made for is gone, with another one in its place. */
    private static boolean isAnother(Vmi vmi, Vmim vmim) {
        return vmim.instance != null && !vmim.instance.equals(vmi.uid);
    }

    private boolean tooMany(Vmim vmim) {
        var kept = cluster.vmims.values().stream().filter(v -> v.phase.last()).toList();
        return kept.size() > FINISHED_KEPT && kept.getFirst() == vmim;
    }

    private void phase(Vmim vmim, Vmim.Phase phase) {
        vmim.phase = phase;
        cluster.touch(vmim);
    }

    private @Nullable Pod target(Vmim vmim) {
        return vmim.targetPod == null ? null : cluster.pods.get(vmim.targetPod);
    }

    static boolean owns(Vmi vmi, Vmim vmim) {
        return vmi.migration != null && vmi.migration.migrationUid.equals(vmim.uid);
    }
}
