package io.kubevirt.ferry.manager;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

/** Makes the client that a manager works with. */
public final class Clients {
    /** Half of what a cache would hold of most objects, and nothing of ours looks at it. */
    @JsonIgnoreProperties({"managedFields"})
    private abstract static class WithoutManagedFields {}

    private Clients() {}

    /** A client for the cluster that the configuration names; what it reads has no managed fields. */
    public static KubernetesClient of(Config config) {
        config.setUserAgent("kubevirt-ferry");
        ObjectMapper mapper = new ObjectMapper().addMixIn(ObjectMeta.class, WithoutManagedFields.class);
        return new KubernetesClientBuilder()
                .withConfig(config)
                .withKubernetesSerialization(new KubernetesSerialization(mapper, true))
                .build();
    }
}
