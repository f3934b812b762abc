package io.kubevirt.ferry.manager;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The Secret through which all replicas serve the same certificate: whoever comes first makes it. */
final class CertificateSecret {
    private static final Logger log = LoggerFactory.getLogger(CertificateSecret.class);

    static final String NAME = "kubevirt-ferry-webhook-certificate";
    private static final String CA = "ca.crt";
    private static final String CERTIFICATE = "tls.crt";
    private static final String KEY = "tls.key";
    private static final Duration LIFETIME = Duration.ofDays(365);
    private static final int ATTEMPTS = 5;

    private final KubernetesClient client;
    private final String namespace;
    private final Clock clock;

    CertificateSecret(KubernetesClient client, String namespace, Clock clock) {
        this.client = client;
        this.namespace = namespace;
        this.clock = clock;
    }

    /**
     * The certificate in the Secret; a new one is put there if there is none, if it is not for these hosts, or if it has
     * less than a third of its life left.
     *
     * @throws KubernetesClientException if the Secret can be neither read nor written
     */
    ServingCertificate obtain(List<String> hosts) {
        KubernetesClientException last = new KubernetesClientException("no attempt");
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            @Nullable Secret secret =
                    client.secrets().inNamespace(namespace).withName(NAME).get();
            Optional<ServingCertificate> usable = Optional.ofNullable(secret)
                    .flatMap(CertificateSecret::read)
                    .filter(certificate -> certificate.serves(hosts, clock.instant()));
            if (usable.isPresent()) {
                return usable.get();
            }
            try {
                return write(secret, ServingCertificate.issue(hosts, clock.instant(), LIFETIME));
            } catch (KubernetesClientException e) {
                if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
                    throw e;
                }
                // Another replica was faster: its certificate is as good.
                last = e;
            }
        }
        throw last;
    }

    private ServingCertificate write(@Nullable Secret old, ServingCertificate certificate) {
        SecretBuilder builder = old == null
                ? new SecretBuilder()
                        .withNewMetadata()
                        .withName(NAME)
                        .withNamespace(namespace)
                        .addToLabels("app.kubernetes.io/name", "kubevirt-ferry")
                        .endMetadata()
                        .withType("kubernetes.io/tls")
                : new SecretBuilder(old);
        Secret secret = builder.withData(Map.of(
                        CA, encode(certificate.ca()),
                        CERTIFICATE, encode(certificate.certificate()),
                        KEY, encode(certificate.key())))
                .build();
        if (old == null) {
            client.resource(secret).create();
        } else {
            client.resource(secret)
                    .lockResourceVersion(old.getMetadata().getResourceVersion())
                    .update();
        }
        log.info("made a new certificate in Secret {}/{}", namespace, NAME);
        return certificate;
    }

    private static Optional<ServingCertificate> read(Secret secret) {
        Map<String, String> data = Optional.ofNullable(secret.getData()).orElse(Map.of());
        if (!data.keySet().containsAll(List.of(CA, CERTIFICATE, KEY))) {
            return Optional.empty();
        }
        try {
            ServingCertificate certificate =
                    new ServingCertificate(decode(data.get(CA)), decode(data.get(CERTIFICATE)), decode(data.get(KEY)));
            certificate.serves(List.of(), Clock.systemUTC().instant());
            return Optional.of(certificate);
        } catch (IllegalArgumentException e) {
            log.warn("Secret {} holds no certificate that can be read, and gets a new one", NAME);
            return Optional.empty();
        }
    }

    private static String encode(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String decode(String text) {
        return new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8);
    }
}
