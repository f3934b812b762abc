package io.kubevirt.ferry.kubevirt;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import org.jspecify.annotations.Nullable;

/**
 * The state of a migration, on the VMI and, when it is over, on the VMIM. That of a VMI stays until the next migration
 * prepares its target: nothing in it counts unless {@code migrationUid} is the migration one is talking about.
 *
 * @param targetNodeDomainReadyTimestamp when the guest ran on the target, RFC 3339
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record MigrationState(
        @Nullable String migrationUid,
        boolean completed,
        boolean failed,
        @Nullable String failureReason,
        @Nullable String sourceNode,
        @Nullable String targetNode,
        @Nullable String sourcePod,
        @Nullable String targetPod,
        @Nullable String targetNodeDomainReadyTimestamp,
        @Nullable String endTimestamp) {

    /** Whether the guest has run on the target. */
    public boolean handedOver() {
        return targetNodeDomainReadyTimestamp != null && !targetNodeDomainReadyTimestamp.isEmpty();
    }
}
