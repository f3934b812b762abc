package io.kubevirt.ferry.admission;

import com.fasterxml.jackson.databind.JsonNode;
import io.kubevirt.ferry.kubevirt.LauncherPod;
import java.util.Optional;

/** The marks that virt-controller puts on the pod into which a migration moves a guest. */
public record TargetPod(String namespace, String migrationName, String migrationUid) {
    /** The marks of a pod; empty if one of them is missing, or names what no migration can be called. */
    public static Optional<TargetPod> of(String namespace, JsonNode pod) {
        boolean launcher = Admitted.text(pod, "metadata", "labels", LauncherPod.LABEL)
                .filter(LauncherPod.LAUNCHER::equals)
                .isPresent();
        Optional<String> uid = Admitted.text(pod, "metadata", "labels", LauncherPod.MIGRATION_UID_LABEL);
        Optional<String> name = Admitted.text(pod, "metadata", "annotations", LauncherPod.MIGRATION_NAME_ANNOTATION);
        boolean named = name.filter(Admitted::isName).isPresent() && Admitted.isName(namespace);
        if (!launcher || uid.isEmpty() || name.isEmpty() || !named) {
            return Optional.empty();
        }
        return Optional.of(new TargetPod(namespace, name.get(), uid.get()));
    }
}
