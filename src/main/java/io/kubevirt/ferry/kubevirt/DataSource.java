package io.kubevirt.ferry.kubevirt;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Version;
import org.jspecify.annotations.Nullable;

/** What we read of a CDI {@code DataSource}: a name by which others copy from a claim. */
@Group("cdi.kubevirt.io")
@Plural("datasources")
@Version("v1beta1")
@JsonIgnoreProperties(ignoreUnknown = true)
public final class DataSource extends CustomResource<DataSource.Spec, Void> implements Namespaced {
    public DataSource() {}

    public boolean pointsAt(String claim, String namespace) {
        return getSpec() != null
                && getSpec().source() != null
                && getSpec().source().names(claim, namespace, getMetadata().getNamespace());
    }

    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Spec(@Nullable ClaimSource source) {}
}
