package io.kubevirt.ferry.volumes.simulation;

import java.util.LinkedHashMap;
import java.util.Map;

/** The pods that virt-controller makes of a VMI, as that VMI is at this moment. */
final class LauncherPods {
    private LauncherPods() {}

    /** A launcher, not stored yet; a target when a VMIM's UID is given, else empty. */
    static Pod build(Cluster cluster, Vmi vmi, String migrationUid) {
        return new Pod(
                cluster.fresh("virt-launcher"),
                cluster.fresh("pod"),
                Pod.Kind.LAUNCHER,
                vmi.uid,
                migrationUid,
                claims(vmi, false),
                new LinkedHashMap<>(vmi.labels),
                null);
    }

    static void store(Cluster cluster, Pod pod) {
        cluster.pods.put(pod.name, pod);
        cluster.touch(pod);
    }

    /** The hotplugged volumes that the launcher still wants an attachment pod for, by the VMI as it is now. */
    static Map<String, String> toAttach(Cluster cluster, Pod launcher, Vmi vmi) {
        var missing = claims(vmi, true);
        missing.keySet().removeAll(cluster.mounted(launcher).keySet());
        return missing;
    }

    static void attach(Cluster cluster, Pod launcher, Vmi vmi) {
        store(
                cluster,
                new Pod(
                        cluster.fresh("hp-volume"),
                        cluster.fresh("pod"),
                        Pod.Kind.ATTACHMENT,
                        vmi.uid,
                        "",
                        toAttach(cluster, launcher, vmi),
                        Map.of(),
                        launcher.uid));
    }

    /** Whether everything that is hotplugged is there for the guest of that launcher. */
    static boolean attached(Cluster cluster, Pod launcher, Vmi vmi) {
        return toAttach(cluster, launcher, vmi).isEmpty()
                && cluster.pods.values().stream()
                        .noneMatch(pod -> launcher.uid.equals(pod.owner) && pod.phase != Pod.Phase.RUNNING);
    }

    private static Map<String, String> claims(Vmi vmi, boolean hotplugged) {
        var claims = new LinkedHashMap<String, String>();
        for (var volume : vmi.volumes) {
            if (volume.hotpluggable() == hotplugged) {
                claims.put(volume.name(), volume.claim());
            }
        }
        return claims;
    }
}
