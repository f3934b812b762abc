package io.kubevirt.ferry.volumes.simulation;

import java.util.HashSet;
import java.util.Set;

/** virt-controller's VMI controller: the launcher pod, the condition {@code VolumesChange}, the end. */
final class VmiController implements Actor {
    private final Cluster cluster;

    VmiController(Cluster cluster) {
        this.cluster = cluster;
    }

    @Override
    public void offer(Menu menu) {
        var vmi = cluster.vmi;
        if (vmi == null) {
            orphans(menu);
            return;
        }
        if (vmi.deleting) {
            end(menu, vmi);
            return;
        }
        if (vmi.phase == Vmi.Phase.PENDING && !cluster.namespaceDeleted && !hasPod(vmi)) {
            menu.offer(Move.LAUNCHER_CREATE, vmi.uid, () -> createLauncher(vmi));
        }
        for (var pod : cluster.pods.values()) {
            if (pod.createdBy.equals(vmi.uid) && pod.kind == Pod.Kind.LAUNCHER) {
                attachments(menu, vmi, pod);
            }
        }
        if (vmi.running()) {
            if (cluster.guest == null || cluster.guestPod() == null) {
                menu.offer(Move.VMI_FAILED, vmi.uid, () -> fail(vmi));
            }
            if (requiresVolumesUpdate(vmi)) {
                menu.offer(Move.VOLUMES_CHANGE_TRUE, vmi.uid, () -> {
                    vmi.volumesChange = VolumesChange.TRUE;
                    cluster.touch(vmi);
                });
            }
        }
    }

    /** KubeVirt's test: a claim of the VMI that is no source of the list, which a claim left out is from the start. */
    private static boolean requiresVolumesUpdate(Vmi vmi) {
        if (vmi.migratedVolumes.isEmpty() || vmi.volumesChange != VolumesChange.ABSENT) {
            return false;
        }
        Set<String> sources = new HashSet<>();
        vmi.migratedVolumes.forEach(migrated -> sources.add(migrated.source()));
        return vmi.volumes.stream().anyMatch(volume -> !sources.contains(volume.claim()));
    }

    private boolean hasPod(Vmi vmi) {
        return cluster.pods.values().stream().anyMatch(pod -> pod.createdBy.equals(vmi.uid));
    }

    private void fail(Vmi vmi) {
        vmi.phase = Vmi.Phase.FAILED;
        cluster.guest = null;
        cluster.touch(vmi);
    }

    private void end(Menu menu, Vmi vmi) {
        if (vmi.running() && requiresVolumesUpdate(vmi)) {
            menu.offer(Move.VOLUMES_CHANGE_TRUE, vmi.uid, () -> {
                vmi.volumesChange = VolumesChange.TRUE;
                cluster.touch(vmi);
            });
        }
        var stays = cluster.pods.values().stream().anyMatch(pod -> pod.createdBy.equals(vmi.uid) && !pod.deleting);
        if (stays) {
            menu.offer(Move.PODS_DELETED, vmi.uid, () -> deletePods(vmi.uid));
        } else if (!hasPod(vmi)) {
            if (!vmi.phase.last()) {
                menu.offer(Move.VMI_FAILED, vmi.uid, () -> fail(vmi));
            } else if (vmi.finalizers.contains(Vmi.INSTANCE_FINALIZER)) {
                menu.offer(Move.VMI_INSTANCE_FINALIZER, vmi.uid, () -> {
                    vmi.finalizers.remove(Vmi.INSTANCE_FINALIZER);
                    cluster.touch(vmi);
                });
            } else if (cluster.vm == null && vmi.finalizers.contains(Vmi.MACHINE_FINALIZER)) {
                menu.offer(Move.VMI_MACHINE_FINALIZER, vmi.uid, () -> {
                    vmi.finalizers.remove(Vmi.MACHINE_FINALIZER);
                    cluster.touch(vmi);
                });
            }
        }
    }

    /** The garbage collector takes the pods of a VMI that is gone, however it went. */
    private void orphans(Menu menu) {
        for (var pod : cluster.pods.values()) {
            if (!pod.createdBy.isEmpty() && !pod.deleting) {
                menu.offer(Move.PODS_DELETED, pod.createdBy, () -> deletePods(pod.createdBy));
                return;
            }
        }
    }

    private void deletePods(String vmi) {
        for (var pod : cluster.pods.values()) {
            if (pod.createdBy.equals(vmi)) {
                cluster.deletePod(pod);
            }
        }
    }

    private void createLauncher(Vmi vmi) {
        LauncherPods.store(cluster, LauncherPods.build(cluster, vmi, ""));
    }

    private void attachments(Menu menu, Vmi vmi, Pod launcher) {
        var guests = vmi.phase == Vmi.Phase.PENDING || launcher == cluster.guestPod();
        if (guests
                && launcher.phase == Pod.Phase.RUNNING
                && !launcher.deleting
                && !LauncherPods.toAttach(cluster, launcher, vmi).isEmpty()) {
            menu.offer(Move.ATTACHMENT_CREATE, launcher.name, () -> LauncherPods.attach(cluster, launcher, vmi));
        }
    }
}
