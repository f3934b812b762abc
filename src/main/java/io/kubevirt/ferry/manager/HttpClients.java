package io.kubevirt.ferry.manager;

import io.fabric8.kubernetes.client.vertx.VertxHttpClientBuilder;
import io.fabric8.kubernetes.client.vertx.VertxHttpClientFactory;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.OpenSSLEngineOptions;
import io.vertx.core.net.TrustOptions;
import io.vertx.ext.web.client.WebClientOptions;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509KeyManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Makes the HTTP clients of a Kubernetes client: fabric8's on Vert.x, with OpenSSL's TLS where that is there for this platform.
 * What the watches bring is a quarter of the manager's work with the JDK's TLS, whose loops the quick compiler leaves slow.
 */
final class HttpClients extends VertxHttpClientFactory {
    private Optional<X509KeyManager> keys = Optional.empty();
    private Optional<X509TrustManager> trust = Optional.empty();

    @Override
    public VertxHttpClientBuilder<VertxHttpClientFactory> newBuilder() {
        return new VertxHttpClientBuilder<>(this, null) {
            @Override
            public VertxHttpClientBuilder<VertxHttpClientFactory> sslContext(
                    KeyManager @Nullable [] keyManagers, TrustManager @Nullable [] trustManagers) {
                if (!OpenSSLEngineOptions.isAvailable()) {
                    return super.sslContext(keyManagers, trustManagers);
                }
                keys = first(keyManagers, X509KeyManager.class);
                trust = first(trustManagers, X509TrustManager.class);
                return this;
            }
        };
    }

    private static <T, M> Optional<T> first(M @Nullable [] managers, Class<T> kind) {
        return (managers == null ? Stream.<M>empty() : Arrays.stream(managers))
                .filter(kind::isInstance)
                .map(kind::cast)
                .findFirst();
    }

    @Override
    protected void additionalConfig(WebClientOptions options) {
        if (OpenSSLEngineOptions.isAvailable()) {
            options.setSsl(true).setSslEngineOptions(new OpenSSLEngineOptions());
            keys.ifPresent(key -> options.setKeyCertOptions(KeyCertOptions.wrap(key)));
            trust.ifPresent(trusted -> options.setTrustOptions(TrustOptions.wrap(trusted)));
        }
    }
}
