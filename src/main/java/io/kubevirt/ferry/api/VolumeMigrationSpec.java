package io.kubevirt.ferry.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What is asked for. Immutable, but for {@code ttlSecondsAfterFinished}. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record VolumeMigrationSpec(
        List<MigratedVolume> migratedVolume,
        @Nullable NodeSelectorTerm addedNodeSelectorTerm,
        @Nullable MachineUpdatePolicy virtualMachineUpdatePolicy,
        @Nullable LeftOutPolicy volumesLeftOut,
        @Nullable Integer backoffLimit,
        @Nullable Integer ttlSecondsAfterFinished) {
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
