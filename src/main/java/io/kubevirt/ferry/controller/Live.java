package io.kubevirt.ferry.controller;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads past the caches, as trees; and how the API server says that what was read is no longer so. */
public final class Live {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int UNPROCESSABLE = 422;

    private Live() {}

    /**
     * The object at a path as it is now; empty if there is none.
     *
     * @throws KubernetesClientException if the API server refuses or does not answer
     */
    static Optional<JsonNode> read(KubernetesClient client, String uri) {
        try {
            @Nullable String text = client.raw(uri, "GET", null);
            return text == null ? Optional.empty() : Optional.of(JSON.readTree(text));
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
                return Optional.empty();
            }
            throw e;
        } catch (JsonProcessingException e) {
            throw new KubernetesClientException("the API server's answer is no JSON", e);
        }
    }

    /** Whether a patch may have been refused because what it tests has changed: read again, then judge. */
    public static boolean isStale(KubernetesClientException refusal) {
        return refusal.getCode() == UNPROCESSABLE || refusal.getCode() == HttpURLConnection.HTTP_CONFLICT;
    }
}
