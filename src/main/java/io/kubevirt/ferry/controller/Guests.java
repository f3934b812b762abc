package io.kubevirt.ferry.controller;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.kubevirt.ferry.kubevirt.LauncherPod;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import java.net.HttpURLConnection;
import org.jspecify.annotations.Nullable;

/**
 * Says, from a live read, whether a guest may run in a target pod: such a pod must never be deleted.
 *
 * <p>KubeVirt reports a hand-over a moment after it happened. So a pod counts as taken as soon as the guest's domain was
 * seen in it, and where the VMI tells of a migration under way that is not the one asked for.
 */
public final class Guests {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final KubernetesClient client;

    public Guests(KubernetesClient client) {
        this.client = client;
    }

    /** Whether the guest may run in the target pod already. */
    boolean mayBeIn(VirtualMachineInstanceMigration migration, LauncherPod pod) {
        JsonNode status = read(migration).path("status");
        JsonNode state = status.path("migrationState");
        boolean over = state.path("completed").asBoolean() || state.hasNonNull("endTimestamp");
        boolean ours = state.path("migrationUid")
                .asText()
                .equals(migration.getMetadata().getUid());
        boolean seen = state.path("targetNodeDomainDetected").asBoolean()
                || state.hasNonNull("targetNodeDomainReadyTimestamp");
        boolean there = pod.node()
                .filter(node -> node.equals(status.path("nodeName").asText()))
                .isPresent();
        return there || (ours && (seen || over)) || (!ours && !state.isMissingNode() && !over);
    }

    private JsonNode read(VirtualMachineInstanceMigration migration) {
        try {
            @Nullable String text = client.raw(
                    "/apis/kubevirt.io/v1/namespaces/" + migration.getMetadata().getNamespace()
                            + "/virtualmachineinstances/" + migration.getSpec().vmiName(),
                    "GET",
                    null);
            return JSON.readTree(text == null ? "{}" : text);
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
                return JSON.missingNode();
            }
            throw e;
        } catch (JsonProcessingException e) {
            throw new KubernetesClientException("the API server's answer is no JSON", e);
        }
    }
}
