package io.kubevirt.ferry.admission;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;

/** The marks that virt-controller puts on the pod into which a migration moves a guest. */
public record TargetPod(String namespace, String migrationName, String migrationUid) {
    /** Label of every pod in which a guest runs, or will. */
    public static final String LAUNCHER_LABEL = "kubevirt.io";

    public static final String LAUNCHER = "virt-launcher";

    /** Label with the UID of the migration; pods that are no migration target lack it. */
    public static final String MIGRATION_UID_LABEL = "kubevirt.io/migrationJobUID";

    /** Annotation with the name of the migration, which is in the pod's namespace. */
    public static final String MIGRATION_NAME_ANNOTATION = "kubevirt.io/migrationJobName";

    /** The marks of a pod; empty if one of them is missing. */
    public static Optional<TargetPod> of(String namespace, JsonNode pod) {
        boolean launcher = Admitted.text(pod, "metadata", "labels", LAUNCHER_LABEL)
                .filter(LAUNCHER::equals)
                .isPresent();
        Optional<String> uid = Admitted.text(pod, "metadata", "labels", MIGRATION_UID_LABEL);
        Optional<String> name = Admitted.text(pod, "metadata", "annotations", MIGRATION_NAME_ANNOTATION);
        if (!launcher || uid.isEmpty() || name.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new TargetPod(namespace, name.get(), uid.get()));
    }
}
