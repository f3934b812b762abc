package io.kubevirt.ferry.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/** How one volume stands. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record VolumeMigrationState(
        String sourcePvc,
        String destinationPvc,
        ReclaimPolicy reclaimPolicySourcePvc,
        @Nullable String volumeName,
        State state,
        @Nullable String reason,
        @Nullable String message) {

    /** Whether a volume may move, then how far it is. */
    public enum State {
        Valid,
        Pending,
        Rejected,
        Migrating,
        Migrated,
        RolledBack
    }
}
