package io.kubevirt.ferry.kubevirt;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Version;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What we read of a KubeVirt {@code VirtualMachineInstance}: the guest as it runs. */
@Group("kubevirt.io")
@Plural("virtualmachineinstances")
@Version("v1")
@JsonIgnoreProperties(ignoreUnknown = true)
public final class VirtualMachineInstance
        extends CustomResource<VirtualMachineInstance.Spec, VirtualMachineInstance.Status> implements Namespaced {
    /** True while KubeVirt migrates volumes of this VMI, mirrored on the VM. */
    public static final String VOLUMES_CHANGE = "VolumesChange";
    /** False when something else than its disks keeps the VM from migrating: then its volumes cannot move either. */
    public static final String STORAGE_LIVE_MIGRATABLE = "StorageLiveMigratable";

    public VirtualMachineInstance() {}

    public List<Volume> volumes() {
        return getSpec().volumes();
    }

    public Optional<Condition> condition(String type) {
        return Condition.find(status().conditions(), type);
    }

    public boolean is(String conditionType) {
        return condition(conditionType).filter(Condition::holds).isPresent();
    }

    public boolean runs() {
        return "Running".equals(status().phase());
    }

    /** The guest is off for good; KubeVirt makes a new VMI, if any. */
    public boolean ended() {
        return "Succeeded".equals(status().phase()) || "Failed".equals(status().phase());
    }

    /** The status, empty when KubeVirt has written none yet. */
    public Status status() {
        return Objects.requireNonNullElse(getStatus(), Status.NONE);
    }

    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Spec(List<Volume> volumes) {
        public Spec {
            volumes = volumes == null ? List.of() : List.copyOf(volumes);
        }
    }

    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Status(
            @Nullable String phase,
            @Nullable String nodeName,
            List<Condition> conditions,
            List<MigratedVolume> migratedVolumes,
            @Nullable MigrationState migrationState,
            List<VolumeStatus> volumeStatus) {
        static final Status NONE = new Status(null, null, List.of(), List.of(), null, List.of());

        public Status {
            conditions = conditions == null ? List.of() : List.copyOf(conditions);
            migratedVolumes = migratedVolumes == null ? List.of() : List.copyOf(migratedVolumes);
            volumeStatus = volumeStatus == null ? List.of() : List.copyOf(volumeStatus);
        }

        public Optional<MigrationState> migration() {
            return Optional.ofNullable(migrationState);
        }
    }

    /** A volume under way, from which claim to which. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record MigratedVolume(
            String volumeName,
            @JsonProperty("sourcePVCInfo") @Nullable ClaimInfo source,
            @JsonProperty("destinationPVCInfo") @Nullable ClaimInfo destination) {
        /** Whether it says so of that volume. */
        public boolean tells(String volume, String from, String to) {
            return volumeName.equals(volume)
                    && source != null
                    && from.equals(source.claimName())
                    && destination != null
                    && to.equals(destination.claimName());
        }
    }

    @JsonIgnoreProperties(ignoreUnknown = true)
    public record ClaimInfo(@Nullable String claimName, List<String> accessModes) {
        public ClaimInfo {
            accessModes = accessModes == null ? List.of() : List.copyOf(accessModes);
        }
    }

    @JsonIgnoreProperties(ignoreUnknown = true)
    public record VolumeStatus(
            String name,

            @JsonProperty("persistentVolumeClaimInfo") @Nullable ClaimInfo claim) {}
}
