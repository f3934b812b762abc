package io.kubevirt.ferry.kubevirt;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Version;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What we read of a virt-launcher pod, in which a guest runs or is to run. */
@Group("")
@Version("v1")
@Kind("Pod")
@Plural("pods")
@JsonIgnoreProperties(ignoreUnknown = true)
public final class LauncherPod extends CustomResource<LauncherPod.Spec, LauncherPod.Status> implements Namespaced {
    /** Label of every launcher pod and of every attachment pod. */
    public static final String LABEL = "kubevirt.io";

    /** Its value on launcher pods. */
    public static final String LAUNCHER = "virt-launcher";

    /** Its value on attachment pods, which mount hotplugged volumes for a launcher pod. */
    public static final String ATTACHMENT = "hotplug-disk";

    /** Label of launcher pods with the UID of the VMI. */
    public static final String CREATED_BY_LABEL = "kubevirt.io/created-by";

    /** Label with the UID of the migration that made the pod; pods that are no migration target lack it. */
    public static final String MIGRATION_UID_LABEL = "kubevirt.io/migrationJobUID";

    /** Annotation with the name of that migration, which is in the pod's namespace. */
    public static final String MIGRATION_NAME_ANNOTATION = "kubevirt.io/migrationJobName";

    /** Annotation that virt-controller puts on a target pod when the guest runs in it. */
    public static final String GUEST_RUNS_ANNOTATION = "kubevirt.io/migration-target-ready-timestamp";

    public LauncherPod() {}

    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Spec(
            @Nullable String nodeName,
            @Nullable Affinity affinity,
            Map<String, String> nodeSelector,
            List<Toleration> tolerations,
            List<Gate> schedulingGates) {
        static final Spec NONE = new Spec(null, null, Map.of(), List.of(), List.of());

        public Spec {
            nodeSelector = nodeSelector == null ? Map.of() : Map.copyOf(nodeSelector);
            tolerations = tolerations == null ? List.of() : List.copyOf(tolerations);
            schedulingGates = schedulingGates == null ? List.of() : List.copyOf(schedulingGates);
        }
    }

    /** A reason why the scheduler does not look at it yet. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Gate(String name) {}

    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Status(@Nullable String phase, List<Condition> conditions) {
        static final Status NONE = new Status(null, List.of());

        public Status {
            conditions = conditions == null ? List.of() : List.copyOf(conditions);
        }
    }

    public Spec spec() {
        return Objects.requireNonNullElse(getSpec(), Spec.NONE);
    }

    public Status status() {
        return Objects.requireNonNullElse(getStatus(), Status.NONE);
    }

    /** The node that the scheduler chose; empty before. */
    public Optional<String> node() {
        return Optional.ofNullable(spec().nodeName()).filter(name -> !name.isEmpty());
    }

    public boolean isHeldBy(String gate) {
        return spec().schedulingGates().stream().anyMatch(held -> held.name().equals(gate));
    }

    /** The UID of the migration that made it. */
    public Optional<String> migrationUid() {
        return migrationUid(getMetadata());
    }

    /** The same of a pod that is read whole. */
    public static Optional<String> migrationUid(ObjectMeta pod) {
        return label(pod, MIGRATION_UID_LABEL);
    }

    /** Whether a pod, as its labels say, is a launcher pod of the VMI with that UID. */
    public static boolean launches(ObjectMeta pod, String instanceUid) {
        return label(pod, LABEL).filter(LAUNCHER::equals).isPresent()
                && label(pod, CREATED_BY_LABEL).filter(instanceUid::equals).isPresent();
    }

    private static Optional<String> label(ObjectMeta pod, String name) {
        return Optional.ofNullable(pod.getLabels()).map(labels -> labels.get(name));
    }

    /** The name of the migration that made it. */
    public Optional<String> migrationName() {
        return annotation(MIGRATION_NAME_ANNOTATION);
    }

    /** The object that made it; for a target pod the VMI. */
    public Optional<OwnerReference> controller() {
        return Optional.ofNullable(getMetadata().getOwnerReferences()).stream()
                .flatMap(List::stream)
                .filter(owner -> Boolean.TRUE.equals(owner.getController()))
                .findFirst();
    }

    /** Whether all its containers have ended for good. */
    public boolean terminated() {
        return terminatedIn(status().phase());
    }

    /** Whether all containers of a pod in that phase have ended for good. */
    public static boolean terminatedIn(@Nullable String phase) {
        return "Succeeded".equals(phase) || "Failed".equals(phase);
    }

    /** Whether virt-controller has said that the guest runs in it. */
    public boolean hasGuest() {
        return annotation(GUEST_RUNS_ANNOTATION).isPresent();
    }

    private Optional<String> annotation(String name) {
        return Optional.ofNullable(getMetadata().getAnnotations()).map(annotations -> annotations.get(name));
    }

    /** What the scheduler says when no node fits; empty as long as it has not looked, or found one. */
    public Optional<String> unschedulable() {
        return status().conditions().stream()
                .filter(condition -> condition.type().equals("PodScheduled")
                        && Objects.equals(condition.status(), "False")
                        && Objects.equals(condition.reason(), "Unschedulable"))
                .map(condition -> Objects.requireNonNullElse(condition.message(), ""))
                .findFirst();
    }
}
