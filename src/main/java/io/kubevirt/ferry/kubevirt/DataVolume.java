package io.kubevirt.ferry.kubevirt;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Version;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What we read of a CDI {@code DataVolume}: it makes a claim of its own name, fills it, and makes it again if it is deleted. */
@Group("cdi.kubevirt.io")
@Plural("datavolumes")
@Version("v1beta1")
@JsonIgnoreProperties(ignoreUnknown = true)
public final class DataVolume extends CustomResource<DataVolume.Spec, DataVolume.Status> implements Namespaced {
    public DataVolume() {}

    /** How far it is, absent when CDI has not seen it yet. */
    public Optional<String> phase() {
        return Optional.ofNullable(getStatus()).map(Status::phase).filter(phase -> !phase.isEmpty());
    }

    /** Filled, once and for all. */
    public boolean succeeded() {
        return phase().filter("Succeeded"::equals).isPresent();
    }

    /** Not filled before a pod wants its claim. */
    public boolean waitsForConsumer() {
        return phase().filter(phase -> phase.equals("WaitForFirstConsumer") || phase.equals("PendingPopulation"))
                .isPresent();
    }

    /** Whether it copies from that claim, or has: it stays in its spec. */
    public boolean copiesFrom(String claim, String namespace) {
        return getSpec() != null
                && getSpec().source() != null
                && getSpec().source().names(claim, namespace, getMetadata().getNamespace());
    }

    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Spec(@Nullable ClaimSource source) {}

    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Status(@Nullable String phase) {}
}
