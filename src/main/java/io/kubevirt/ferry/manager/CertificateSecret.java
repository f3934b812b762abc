package io.kubevirt.ferry.manager;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.kubevirt.ferry.controller.Refusal;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The Secret through which all replicas serve the same certificate. */
final class CertificateSecret {
    static final String NAME = "kubevirt-ferry-webhook-certificate";
    private static final String CA = "ca.crt";
    private static final String CERTIFICATE = "tls.crt";
    private static final String KEY = "tls.key";
    private static final int UNPROCESSABLE = 422;

    private final KubernetesClient client;
    private final String namespace;
    private final List<String> hosts;

    /** @param hosts at which the API server calls us */
    CertificateSecret(KubernetesClient client, String namespace, List<String> hosts) {
        this.client = client;
        this.namespace = namespace;
        this.hosts = hosts;
    }

    /**
     * What is in it.
     *
     * @param secret as it was read; null if there is none
     * @param content a certificate that can be served, or why not
     */
    record Seen(@Nullable Secret secret, Content content) {}

    sealed interface Content {
        /** A certificate that the API server can verify. */
        record Good(ServingCertificate certificate) implements Content {}

        /** One that is good for others, who call themselves otherwise: a manager that runs outside the cluster, for one. */
        record ForOthers(String why) implements Content {}

        /** Nothing that can be served, because it is missing or damaged. */
        record Bad(String why) implements Content {}
    }

    /** Reads it. */
    Seen look(Instant now) {
        @Nullable Secret secret = client.secrets().inNamespace(namespace).withName(NAME).get();
        return new Seen(secret, content(Optional.ofNullable(secret), now));
    }

    private Content content(Optional<Secret> secret, Instant now) {
        if (secret.isEmpty()) {
            return new Content.Bad("it is missing");
        }
        Map<String, String> data = Optional.ofNullable(secret.get().getData()).orElse(Map.of());
        List<String> missing = List.of(CA, CERTIFICATE, KEY).stream()
                .filter(key -> !data.containsKey(key))
                .toList();
        if (!missing.isEmpty()) {
            return new Content.Bad("it has no " + String.join(", no ", missing));
        }
        ServingCertificate certificate =
                new ServingCertificate(decode(data.get(CA)), decode(data.get(CERTIFICATE)), decode(data.get(KEY)));
        Optional<String> fault = CertificateChecks.fault(certificate, now);
        if (fault.isPresent()) {
            return new Content.Bad(fault.get());
        }
        List<String> unnamed = CertificateChecks.unnamed(certificate, hosts);
        return unnamed.isEmpty()
                ? new Content.Good(certificate)
                : new Content.ForOthers("tls.crt is not for " + String.join(", ", unnamed));
    }

    /** A certificate for our hosts, by a CA of its own. */
    ServingCertificate issue(Instant now) {
        return ServingCertificate.issue(hosts, now, CertificateKeeper.LIFETIME);
    }

    /**
     * Puts a certificate in.
     *
     * @return whether it is in; not if the Secret is no longer the one that was seen
     * @throws KubernetesClientException if it cannot be written; the message says what to do
     */
    boolean write(@Nullable Secret seen, ServingCertificate certificate) {
        SecretBuilder builder = seen == null
                ? new SecretBuilder()
                        .withNewMetadata()
                        .withName(NAME)
                        .withNamespace(namespace)
                        .addToLabels("app.kubernetes.io/name", "kubevirt-ferry")
                        .endMetadata()
                        .withType("kubernetes.io/tls")
                : new SecretBuilder(seen);
        // What else is in it stays: some types of Secret want keys of their own.
        Secret secret = builder.addToData(CA, encode(certificate.ca()))
                .addToData(CERTIFICATE, encode(certificate.certificate()))
                .addToData(KEY, encode(certificate.key()))
                .build();
        try {
            Secret ignored = seen == null
                    ? client.resource(secret).create()
                    : client.resource(secret)
                            .lockResourceVersion(seen.getMetadata().getResourceVersion())
                            .update();
            return true;
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
                return false;
            }
            if (e.getCode() == UNPROCESSABLE) {
                throw new KubernetesClientException(
                        this + " holds no certificate that can be served and cannot be written (" + Refusal.said(e)
                                + "): delete it, and it is made anew",
                        e);
            }
            throw e;
        }
    }

    String namespace() {
        return namespace;
    }

    /** How an admin calls it. */
    @Override
    public String toString() {
        return "Secret " + namespace + "/" + NAME;
    }

    private static String encode(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** What is not even Base64 cannot come from the API server. */
    private static String decode(@Nullable String text) {
        return text == null ? "" : new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8);
    }
}
