package io.kubevirt.ferry.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.kubevirt.ferry.kubevirt.LauncherPod;
import io.kubevirt.ferry.patch.JsonPatch;
import java.net.HttpURLConnection;
import java.util.Optional;

/** Reads and writes pods as trees. Each write is refused by the API server unless the pod is still the one that was read. */
public final class Pods {
    private final KubernetesClient client;

    public Pods(KubernetesClient client) {
        this.client = client;
    }

    /** The pod as it is now; empty if it is gone. */
    Optional<JsonNode> live(String namespace, String name) {
        return Live.read(client, uri(namespace, name));
    }

    /** A patch that starts with the test that the pod is the one that was read. */
    JsonPatch patchOf(JsonNode pod) {
        return JsonPatch.start()
                .test("/metadata/uid", pod.at("/metadata/uid"))
                .test("/metadata/resourceVersion", pod.at("/metadata/resourceVersion"));
    }

    void patch(JsonNode pod, JsonPatch patch) {
        // Given an object the client sends the patch alone; given a name it would read the pod first.
        Pod named = new PodBuilder()
                .withNewMetadata()
                .withNamespace(pod.at("/metadata/namespace").asText())
                .withName(pod.at("/metadata/name").asText())
                .endMetadata()
                .build();
        Pod ignored = client.resource(named)
                .patch(PatchContext.of(PatchType.JSON), patch.build().toString());
    }

    /** Deletes the pod, if it still has the UID that was read; one that is gone is as good. */
    void delete(LauncherPod pod) {
        ObjectMeta metadata = pod.getMetadata();
        ObjectNode options = JsonNodeFactory.instance.objectNode();
        options.put("apiVersion", "v1").put("kind", "DeleteOptions");
        options.putObject("preconditions").put("uid", metadata.getUid());
        try {
            String ignored = client.raw(uri(metadata.getNamespace(), metadata.getName()), "DELETE", options);
        } catch (KubernetesClientException e) {
            if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
                throw e;
            }
        }
    }

    /** Namespace and name, for logs. */
    static String nameOf(JsonNode pod) {
        return pod.at("/metadata/namespace").asText() + "/"
                + pod.at("/metadata/name").asText();
    }

    private static String uri(String namespace, String name) {
        return "/api/v1/namespaces/" + namespace + "/pods/" + name;
    }
}
