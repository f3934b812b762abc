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

    /** Stores the launcher, and the attachment pod for hotplugged volumes with it. */
    static void store(Cluster cluster, Pod launcher, Vmi vmi) {
        put(cluster, launcher);
        var hotplugged = claims(vmi, true);
        if (!hotplugged.isEmpty()) {
            put(
                    cluster,
                    new Pod(
                            cluster.fresh("hp-volume"),
                            cluster.fresh("pod"),
                            Pod.Kind.ATTACHMENT,
                            vmi.uid,
                            "",
                            hotplugged,
                            Map.of(),
                            launcher.uid));
        }
    }

    private static void put(Cluster cluster, Pod pod) {
        cluster.pods.put(pod.name, pod);
        cluster.touch(pod);
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
