package io.kubevirt.ferry.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One volume to move, by the claim it is on. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record MigratedVolume(
        @JsonPropertyDescription("The claim that the volume is on now, by name.")
        @Required
        @Size(min = 1, max = Syntax.LONGEST_NAME) @Pattern(Syntax.NAME) String sourcePvc,

        @JsonPropertyDescription(
                "The claim to move the volume to, by name. It must exist in the same namespace, be at least as big as the"
                        + " source, and be used by nobody: what it holds is overwritten.")
        @Required
        @Size(min = 1, max = Syntax.LONGEST_NAME) @Pattern(Syntax.NAME) String destinationPvc,

        @JsonPropertyDescription(
                "What becomes of the source claim when the VM runs on the destination and nobody uses the source any more:"
                        + " Delete (the default), with the DataVolume that owns it if there is one, or Retain. Sources are never deleted"
                        + " when the migration did not succeed.")
        @Default("Delete")
        @Nullable ReclaimPolicy reclaimPolicySourcePvc) {

    /** What becomes of the source claim when its volume has moved. */
    public ReclaimPolicy reclaimPolicy() {
        return Objects.requireNonNullElse(reclaimPolicySourcePvc, ReclaimPolicy.Delete);
    }
}
