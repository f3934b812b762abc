package io.kubevirt.ferry.volumes;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaimVolumeSource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Volume;
import io.kubevirt.ferry.kubevirt.LauncherPod;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** What pods say about guests and claims. */
final class Pods {
    private Pods() {}

    static Set<String> claims(Pod pod) {
        var names = new TreeSet<String>();
        for (Volume volume : pod.getSpec().getVolumes()) {
            Optional.ofNullable(volume.getPersistentVolumeClaim())
                    .map(PersistentVolumeClaimVolumeSource::getClaimName)
                    .ifPresent(names::add);
        }
        return names;
    }

    /** Over for good: it uses nothing any more, though its claims stay protected until it is deleted. */
    static boolean terminated(Pod pod) {
        return pod.getStatus() != null
                && LauncherPod.terminatedIn(pod.getStatus().getPhase());
    }

    static boolean launches(Pod pod, String instanceUid) {
        return LauncherPod.launches(pod.getMetadata(), instanceUid);
    }

    /** An attachment pod mounts hotplugged volumes for the launcher pod that owns it. */
    static boolean attachesFor(Pod pod, Pod launcher) {
        return pod.getMetadata().getOwnerReferences().stream()
                .anyMatch(owner -> owner.getUid().equals(launcher.getMetadata().getUid()));
    }

    static boolean isOn(Pod pod, String node) {
        return node.equals(pod.getSpec().getNodeName());
    }

    /** The UID of the VMIM, of a target pod. */
    static Optional<String> migrationUid(Pod pod) {
        return LauncherPod.migrationUid(pod.getMetadata()).filter(uid -> !uid.isEmpty());
    }

    static Action.Ref ref(Pod pod) {
        return new Action.Ref(pod.getMetadata().getName(), pod.getMetadata().getUid());
    }
}
