package io.kubevirt.ferry.kubevirt;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Version;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What we read of a KubeVirt {@code VirtualMachine}. */
@Group("kubevirt.io")
@Plural("virtualmachines")
@Version("v1")
@JsonIgnoreProperties(ignoreUnknown = true)
public final class VirtualMachine extends CustomResource<VirtualMachine.Spec, VirtualMachine.Status>
        implements Namespaced {
    /** On the VM when a live update was refused or a restart is owed: KubeVirt then updates no volumes. */
    public static final String RESTART_REQUIRED = "RestartRequired";
    /** On the VM when its VMI ended in the middle of a volume migration: KubeVirt does not start it. */
    public static final String MANUAL_RECOVERY_REQUIRED = "ManualRecoveryRequired";
    /** The value of {@code updateVolumesStrategy} that makes KubeVirt migrate changed volumes. */
    public static final String MIGRATION = "Migration";

    public VirtualMachine() {}

    /** The volumes of the VM's template. */
    public List<Volume> volumes() {
        return getSpec().template().spec().volumes();
    }

    /** {@code spec.updateVolumesStrategy}. */
    public Optional<String> strategy() {
        return Optional.ofNullable(getSpec().updateVolumesStrategy());
    }

    public Optional<Condition> condition(String type) {
        return Condition.find(status().conditions(), type);
    }

    public boolean is(String conditionType) {
        return condition(conditionType).filter(Condition::holds).isPresent();
    }

    /** The status, empty when KubeVirt has written none yet. */
    public Status status() {
        return Objects.requireNonNullElse(getStatus(), Status.NONE);
    }

    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Spec(
            @Nullable String updateVolumesStrategy,
            @Nullable List<ObjectNode> dataVolumeTemplates,
            Template template) {

        /** The templates, whole. */
        public List<ObjectNode> templates() {
            return dataVolumeTemplates == null ? List.of() : dataVolumeTemplates;
        }
    }

    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Template(TemplateSpec spec) {}

    @JsonIgnoreProperties(ignoreUnknown = true)
    public record TemplateSpec(List<Volume> volumes, Domain domain) {
        public TemplateSpec {
            volumes = volumes == null ? List.of() : List.copyOf(volumes);
            domain = domain == null ? Domain.NONE : domain;
        }
    }

    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Domain(Devices devices) {
        static final Domain NONE = new Domain(Devices.NONE);

        public Domain {
            devices = devices == null ? Devices.NONE : devices;
        }
    }

    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Devices(List<Disk> disks, List<Filesystem> filesystems) {
        static final Devices NONE = new Devices(List.of(), List.of());

        public Devices {
            disks = disks == null ? List.of() : List.copyOf(disks);
            filesystems = filesystems == null ? List.of() : List.copyOf(filesystems);
        }
    }

    /** A disk by the name of its volume. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Disk(
            String name,
            @Nullable Boolean shareable,
            @Nullable ObjectNode lun) {}

    /** A virtiofs share by the name of its volume. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Filesystem(String name) {}

    /**
     * {@code desiredGeneration} is the newest generation that virt-controller has seen, 0 when it has seen none.
     */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Status(
            long desiredGeneration,
            @Nullable String printableStatus,
            List<Condition> conditions,
            @Nullable VolumeUpdateState volumeUpdateState) {
        static final Status NONE = new Status(0, null, List.of(), null);

        public Status {
            conditions = conditions == null ? List.of() : List.copyOf(conditions);
        }

        /** What KubeVirt last began to migrate, kept until the strategy is taken away or the volumes go back. */
        public List<VirtualMachineInstance.MigratedVolume> migratedVolumes() {
            return Optional.ofNullable(volumeUpdateState)
                    .map(VolumeUpdateState::volumeMigrationState)
                    .map(VolumeMigrationState::migratedVolumes)
                    .orElse(List.of());
        }
    }

    @JsonIgnoreProperties(ignoreUnknown = true)
    public record VolumeUpdateState(@Nullable VolumeMigrationState volumeMigrationState) {}

    @JsonIgnoreProperties(ignoreUnknown = true)
    public record VolumeMigrationState(@Nullable List<VirtualMachineInstance.MigratedVolume> migratedVolumes) {}
}
