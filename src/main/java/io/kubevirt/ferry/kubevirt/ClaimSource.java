package io.kubevirt.ferry.kubevirt;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import org.jspecify.annotations.Nullable;

/** Where CDI copies from, as far as it is a claim. */
@JsonIgnoreProperties(ignoreUnknown = true)
public record ClaimSource(@Nullable Claim pvc) {

    /** A claim by name; without a namespace it is that of the object that names it. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Claim(
            @Nullable String namespace, @Nullable String name) {}

    boolean names(String claim, String claimNamespace, String ownNamespace) {
        return pvc != null
                && claim.equals(pvc.name())
                && claimNamespace.equals(
                        pvc.namespace() == null || pvc.namespace().isEmpty() ? ownNamespace : pvc.namespace());
    }
}
