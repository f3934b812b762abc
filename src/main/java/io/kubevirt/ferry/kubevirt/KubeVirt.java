package io.kubevirt.ferry.kubevirt;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Version;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What we read of the one {@code KubeVirt} of the cluster: how it is configured and which version runs. */
@Group("kubevirt.io")
@Plural("kubevirts")
@Version("v1")
@JsonIgnoreProperties(ignoreUnknown = true)
public final class KubeVirt extends CustomResource<KubeVirt.Spec, KubeVirt.Status> implements Namespaced {
    public KubeVirt() {}

    /** {@code vmRolloutStrategy}, absent when it is left to KubeVirt. */
    public Optional<String> rolloutStrategy() {
        return Optional.ofNullable(getSpec())
                .map(Spec::configuration)
                .map(Configuration::vmRolloutStrategy)
                .filter(strategy -> !strategy.isEmpty());
    }

    /** {@code workloadUpdateMethods}: how KubeVirt's workload updater may move VMIs. */
    public List<String> workloadUpdateMethods() {
        return Optional.ofNullable(getSpec())
                .map(Spec::workloadUpdateStrategy)
                .map(WorkloadUpdateStrategy::workloadUpdateMethods)
                .orElse(List.of());
    }

    /** The version that runs, such as {@code v1.6.2}. */
    public Optional<String> version() {
        return Optional.ofNullable(getStatus())
                .map(Status::observedKubeVirtVersion)
                .filter(version -> !version.isEmpty());
    }

    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Spec(
            @Nullable Configuration configuration, @Nullable WorkloadUpdateStrategy workloadUpdateStrategy) {}

    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Configuration(@Nullable String vmRolloutStrategy) {}

    @JsonIgnoreProperties(ignoreUnknown = true)
    public record WorkloadUpdateStrategy(@Nullable List<String> workloadUpdateMethods) {}

    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Status(@Nullable String observedKubeVirtVersion) {}
}
