package io.kubevirt.ferry.controller;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.kubevirt.ferry.admission.Admitted;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import java.net.HttpURLConnection;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Looks up, by live reads, where guests are. */
public final class Guests {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final KubernetesClient client;

    public Guests(KubernetesClient client) {
        this.client = client;
    }

    /** What the migration's VMI says now. */
    Guest of(VirtualMachineInstanceMigration migration) {
        return new Guest(read(migration), migration);
    }

    private JsonNode read(VirtualMachineInstanceMigration migration) {
        String vmi = Objects.requireNonNullElse(migration.getSpec().vmiName(), "");
        if (!Admitted.isName(vmi)) {
            return JSON.missingNode();
        }
        try {
            @Nullable String text = client.raw(
                    "/apis/kubevirt.io/v1/namespaces/" + migration.getMetadata().getNamespace()
                            + "/virtualmachineinstances/" + vmi,
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
