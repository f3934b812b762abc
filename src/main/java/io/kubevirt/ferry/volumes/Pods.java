package io.kubevirt.ferry.volumes;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaimVolumeSource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Volume;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** What pods say about guests and claims. */
final class Pods {
    /** On launcher pods: the UID of the VMI. */
    static final String CREATED_BY = "kubevirt.io/created-by";
    /** On target pods alone: the UID of the VMIM. */
    static final String MIGRATION_UID = "kubevirt.io/migrationJobUID";

    private static final String APP = "kubevirt.io";

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
        var phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
        return "Succeeded".equals(phase) || "Failed".equals(phase);
    }

    static boolean launches(Pod pod, String instanceUid) {
        return "virt-launcher".equals(labels(pod).get(APP))
                && instanceUid.equals(labels(pod).get(CREATED_BY));
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
        return Optional.ofNullable(labels(pod).get(MIGRATION_UID)).filter(uid -> !uid.isEmpty());
    }

    static Action.Ref ref(Pod pod) {
        return new Action.Ref(pod.getMetadata().getName(), pod.getMetadata().getUid());
    }

    private static Map<String, String> labels(Pod pod) {
        return Objects.requireNonNullElse(pod.getMetadata().getLabels(), Map.of());
    }
}
