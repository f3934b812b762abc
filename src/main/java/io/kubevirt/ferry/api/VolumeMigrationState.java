package io.kubevirt.ferry.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import org.jspecify.annotations.Nullable;

/** How one volume stands. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record VolumeMigrationState(
        @JsonPropertyDescription("The claim that the volume was on.") @Required
        String sourcePvc,

        @JsonPropertyDescription("The claim that it moves to.") @Required
        String destinationPvc,

        @JsonPropertyDescription("What becomes of the source claim.") @Required
        ReclaimPolicy reclaimPolicySourcePvc,

        @JsonPropertyDescription("The name of the volume in the VM, once it is known.") @Nullable String volumeName,

        @JsonPropertyDescription("Valid, Pending or Rejected before the start; then Migrating, Migrated or RolledBack.")
        @Required
        State state,

        @JsonPropertyDescription("Why this volume may not move, in one word; nothing if it is not the one in the way.")
        @Nullable String reason,

        @JsonPropertyDescription("Why this volume may not move, and what to do about it.") @Nullable String message) {

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
