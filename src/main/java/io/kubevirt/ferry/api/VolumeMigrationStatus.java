package io.kubevirt.ferry.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What became of it. Timestamps are RFC 3339. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record VolumeMigrationStatus(
        @Nullable Long observedGeneration,
        @Nullable String virtualMachineName,
        @Nullable String virtualMachineInstanceName,
        @Nullable String virtualMachineMigrationName,
        @Nullable String sourceNode,
        @Nullable String targetNode,
        @Nullable String startTimestamp,
        @Nullable String endTimestamp,
        @Nullable Integer attempts,
        List<VolumeMigrationState> volumeMigrationStates,
        @Nullable Original original,
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
