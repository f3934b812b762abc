package io.kubevirt.ferry.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What is asked for. Immutable, but for {@code ttlSecondsAfterFinished}. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
        value = "self.migratedVolume.all(a, self.migratedVolume.exists_one(b, b.destinationPvc == a.destinationPvc))",
        message = "a claim can be the destination of one volume only",
        fieldPath = ".migratedVolume")
@ValidationRule(
        value = "self.migratedVolume.all(a, !self.migratedVolume.exists(b, b.sourcePvc == a.destinationPvc))",
        message = "a claim cannot be both source and destination",
        fieldPath = ".migratedVolume")
@ValidationRule(
        value = "self.migratedVolume == oldSelf.migratedVolume",
        message = "is immutable: make another VolumeMigration",
        fieldPath = ".migratedVolume")
@ValidationRule(
        value =
                "has(self.addedNodeSelectorTerm) == has(oldSelf.addedNodeSelectorTerm)"
                        + " && (!has(self.addedNodeSelectorTerm) || self.addedNodeSelectorTerm == oldSelf.addedNodeSelectorTerm)",
        message = "addedNodeSelectorTerm is immutable: make another VolumeMigration")
@ValidationRule(
        value = "self.virtualMachineUpdatePolicy == oldSelf.virtualMachineUpdatePolicy",
        message = "is immutable: make another VolumeMigration",
        fieldPath = ".virtualMachineUpdatePolicy")
@ValidationRule(
        value = "self.volumesLeftOut == oldSelf.volumesLeftOut",
        message = "is immutable: make another VolumeMigration",
        fieldPath = ".volumesLeftOut")
@ValidationRule(
        value = "self.backoffLimit == oldSelf.backoffLimit",
        message = "is immutable: make another VolumeMigration",
        fieldPath = ".backoffLimit")
public record VolumeMigrationSpec(
        @JsonPropertyDescription(
                "The volumes to move, 1 to 64, all of one running VM; they move together or not at all. No claim may be named"
                        + " twice.")
        @Required
        @Size(min = 1, max = 64) List<MigratedVolume> migratedVolume,

        @JsonPropertyDescription(
                "Where the VM may go: a term that is added to each of its own required node affinity terms, for this"
                        + " migration alone. If it is left out KubeVirt chooses.")
        @Nullable NodeSelectorTerm addedNodeSelectorTerm,

        @JsonPropertyDescription(
                "Who changes the VM: Automatic (the default) lets the operator name the destinations in it, and the sources again where"
                        + " the migration fails. Manual leaves that to you or to your GitOps tool: the status says what to"
                        + " write and when.")
        @Default("Automatic")
        @Nullable MachineUpdatePolicy virtualMachineUpdatePolicy,

        @JsonPropertyDescription(
                "Whether volumes on claims of the VM may be left out: Reject (the default), or Accept at the risk that KubeVirt locks up"
                        + " and the VM has to be restarted. Claims that only one node can mount may never be left out.")
        @Default("Reject")
        @Nullable LeftOutPolicy volumesLeftOut,

        @JsonPropertyDescription(
                "How many further attempts are made after the first failed one, before all is put back: 0 to 20, 3 if it is"
                        + " left out.")
        @Default("3")
        @Min(0) @Max(20) @Nullable Integer backoffLimit,

        @JsonPropertyDescription(
                "Seconds after its end when this VolumeMigration is deleted. Never, if it is left out. Can be changed at any"
                        + " time.")
        @Min(0) @Max(Integer.MAX_VALUE) @Nullable Integer ttlSecondsAfterFinished) {
    private static final int DEFAULT_BACKOFF_LIMIT = 3;

    public VolumeMigrationSpec {
        migratedVolume = migratedVolume == null ? List.of() : List.copyOf(migratedVolume);
    }

    public Optional<NodeSelectorTerm> term() {
        return Optional.ofNullable(addedNodeSelectorTerm);
    }

    public boolean manual() {
        return virtualMachineUpdatePolicy == MachineUpdatePolicy.Manual;
    }

    public LeftOutPolicy leftOut() {
        return Objects.requireNonNullElse(volumesLeftOut, LeftOutPolicy.Reject);
    }

    /** How many failed attempts are one too many. */
    public int attemptsAllowed() {
        return 1 + Objects.requireNonNullElse(backoffLimit, DEFAULT_BACKOFF_LIMIT);
    }
}
