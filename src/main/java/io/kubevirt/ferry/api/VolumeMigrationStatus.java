package io.kubevirt.ferry.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What became of it. Timestamps are RFC 3339. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record VolumeMigrationStatus(
        @JsonPropertyDescription("The generation of the spec that this status is about.") @Nullable Long observedGeneration,

        @JsonPropertyDescription("The VM whose volumes move.") @Nullable String virtualMachineName,

        @JsonPropertyDescription("The VirtualMachineInstance that runs it.") @Nullable String virtualMachineInstanceName,

        @JsonPropertyDescription("The newest VirtualMachineInstanceMigration that moves it.") @Nullable String virtualMachineMigrationName,

        @JsonPropertyDescription("The node that the VM came from.") @Nullable String sourceNode,

        @JsonPropertyDescription("The node of the newest attempt.") @Nullable String targetNode,

        @JsonPropertyDescription("When the run began.") @Nullable String startTimestamp,

        @JsonPropertyDescription("When it ended, well or not.") @Nullable String endTimestamp,

        @JsonPropertyDescription("How many attempts there were, with the one under way.") @Nullable Integer attempts,

        @JsonPropertyDescription("How each volume stands.") @Size(max = 64) List<VolumeMigrationState> volumeMigrationStates,

        @JsonPropertyDescription(
                "What the operator has to remember of the newest run: what to put back, and what cannot be seen again later.")
        @Nullable Original original,

        @JsonPropertyDescription(
                "Accepted, Migrated, SourcesReclaimed; and for people and tools: Ready, whose message says in one line what"
                        + " is going on and what to do, Reconciling and Stalled.")
        List<VolumeMigrationCondition> conditions) {
    static final VolumeMigrationStatus EMPTY =
            new VolumeMigrationStatus(null, null, null, null, null, null, null, null, null, List.of(), null, List.of());

    public VolumeMigrationStatus {
        volumeMigrationStates = volumeMigrationStates == null ? List.of() : List.copyOf(volumeMigrationStates);
        conditions = conditions == null ? List.of() : List.copyOf(conditions);
    }

    /** The newest run and what it changed, absent before the first. */
    public Optional<Original> run() {
        return Optional.ofNullable(original);
    }

    public Optional<VolumeMigrationCondition> condition(String type) {
        return conditions.stream().filter(c -> c.type().equals(type)).findFirst();
    }
}
