package io.kubevirt.ferry.manager;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.Optional;

/** What the API server said, for an admin: in its own words, without the request, and with what to do. */
final class Refusal {
    private Refusal() {}

    static String words(KubernetesClientException e) {
        String said = Optional.ofNullable(e.getStatus())
                .flatMap(status -> Optional.ofNullable(status.getMessage()))
                .orElseGet(() -> String.valueOf(e.getMessage()));
        return e.getCode() == HttpURLConnection.HTTP_FORBIDDEN
                ? said + ": `kubectl apply -k deploy` gives it the rights that it needs"
                : said;
    }
}
