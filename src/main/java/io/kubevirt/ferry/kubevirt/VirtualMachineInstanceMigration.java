package io.kubevirt.ferry.kubevirt;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Version;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What we read of a KubeVirt {@code VirtualMachineInstanceMigration}, one attempt to move a VMI; in short a VMIM. */
@Group("kubevirt.io")
@Plural("virtualmachineinstancemigrations")
@Version("v1")
@JsonIgnoreProperties(ignoreUnknown = true)
public final class VirtualMachineInstanceMigration
        extends CustomResource<VirtualMachineInstanceMigration.Spec, VirtualMachineInstanceMigration.Status>
        implements Namespaced {
    /** On VMIMs for changed volumes: the VMI's name, or its UID when that name is too long for a label. */
    public static final String VOLUME_UPDATE_LABEL = "kubevirt.io/volume-update-migration";
    /** On VMIMs that KubeVirt aborts when the volumes are put back. */
    public static final String WORKLOAD_UPDATE_ANNOTATION = "kubevirt.io/workloadUpdateMigration";

    public VirtualMachineInstanceMigration() {}

    public boolean succeeded() {
        return "Succeeded".equals(phase());
    }

    public boolean failed() {
        return "Failed".equals(phase());
    }

    /** Over, whether well or not. One that is being deleted is not over until KubeVirt says so. */
    public boolean finished() {
        return succeeded() || failed();
    }

    /** Whether it was made because volumes of the VM have changed. */
    public boolean forChangedVolumes() {
        return getMetadata().getLabels() != null && getMetadata().getLabels().containsKey(VOLUME_UPDATE_LABEL);
    }

    /** The phase, empty when KubeVirt has not seen it yet. */
    public String phase() {
        return Objects.requireNonNullElse(status().phase(), "");
    }

    /** Whether the copy has begun at some time: from then on the guest may be handed over. */
    public boolean hasRun() {
        return phase().equals("Running")
                || status().phaseTransitionTimestamps().stream()
                        .anyMatch(t -> t.phase().equals("Running"));
    }

    /** The status, empty when KubeVirt has written none yet. */
    public Status status() {
        return Objects.requireNonNullElse(getStatus(), Status.NONE);
    }

    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Spec(@Nullable String vmiName) {}

    /**
     * How far it came.
     *
     * @param conditions whole, since a patch tests them as they were read
     */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Status(
            @Nullable String phase,
            @Nullable MigrationState migrationState,
            List<PhaseTransition> phaseTransitionTimestamps,
            List<JsonNode> conditions) {
        static final Status NONE = new Status(null, null, List.of());

        public Status {
            phaseTransitionTimestamps =
                    phaseTransitionTimestamps == null ? List.of() : List.copyOf(phaseTransitionTimestamps);
            conditions = conditions == null ? List.of() : List.copyOf(conditions);
        }

        /** One without conditions. */
        public Status(
                @Nullable String phase,
                @Nullable MigrationState migrationState,
                List<PhaseTransition> phaseTransitionTimestamps) {
            this(phase, migrationState, phaseTransitionTimestamps, List.of());
        }
    }

    @JsonIgnoreProperties(ignoreUnknown = true)
    public record PhaseTransition(String phase, @Nullable String phaseTransitionTimestamp) {}
}
