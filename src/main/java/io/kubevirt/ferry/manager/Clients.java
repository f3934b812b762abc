package io.kubevirt.ferry.manager;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.KubernetesResource;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.kubevirt.ferry.kubevirt.LauncherPod;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import java.util.List;

/** Makes the client that a manager works with. */
public final class Clients {
    /**
     * Of one request that was answered 429 or 5xx, with growing pauses, three seconds in all or as long as the answer says:
     * right after a definition has changed the API server says for a moment that its storage is initializing. Whoever must
     * be quicker has a deadline.
     */
    public static final int RETRIES = 5;

    /** Half of what a cache would hold of most objects, and nothing of ours looks at it. */
    @JsonIgnoreProperties({"managedFields"})
    private abstract static class WithoutManagedFields {}

    /** Most of a node's status is of no use for choosing one. */
    @JsonIgnoreProperties({
        "images",
        "volumesAttached",
        "volumesInUse",
        "nodeInfo",
        "addresses",
        "capacity",
        "allocatable",
        "config",
        "daemonEndpoints",
        "runtimeHandlers",
        "features",
        "phase"
    })
    private abstract static class ConditionsAlone {}

    /** What the events of our watches hold; of other kinds they would be read twice. */
    private static final List<Class<? extends KubernetesResource>> WATCHED = List.of(
            VirtualMachineInstanceMigration.class,
            LauncherPod.class,
            Node.class,
            CustomResourceDefinition.class,
            MutatingWebhookConfiguration.class,
            Status.class);

    private Clients() {}

    /** A client for the cluster that the configuration names; what it reads lacks what nothing of ours looks at. */
    public static KubernetesClient of(Config config) {
        config.setUserAgent("kubevirt-ferry");
        config.setRequestRetryBackoffLimit(RETRIES);
        ObjectMapper mapper = new ObjectMapper()
                .addMixIn(ObjectMeta.class, WithoutManagedFields.class)
                .addMixIn(NodeStatus.class, ConditionsAlone.class);
        return new KubernetesClientBuilder()
                .withConfig(config)
                .withHttpClientFactory(new HttpClients())
                .withKubernetesSerialization(serialization(mapper))
                .build();
    }

    /** Knows the kinds that we watch. Looked for on the class path, a thousand classes would be loaded that nobody needs. */
    private static KubernetesSerialization serialization(ObjectMapper mapper) {
        var serialization = new KubernetesSerialization(mapper, false);
        WATCHED.forEach(serialization::registerKubernetesResource);
        return serialization;
    }
}
