package io.kubevirt.ferry.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One volume to move, by the claim it is on. */
@JsonIgnoreProperties(ignoreUnknown = true)
public record MigratedVolume(
        String sourcePvc, String destinationPvc, @Nullable ReclaimPolicy reclaimPolicySourcePvc) {

    /** What becomes of the source claim when its volume has moved. */
    public ReclaimPolicy reclaimPolicy() {
        return Objects.requireNonNullElse(reclaimPolicySourcePvc, ReclaimPolicy.Delete);
    }
}
