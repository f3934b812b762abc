package io.kubevirt.ferry.manager;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.OpenSSLEngineOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.TrustOptions;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.X509TrustManager;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** An API server over TLS, as kubeconfigs name it. */
class HttpClientsTest {
    private static final ServingCertificate SERVERS = certificateFor("127.0.0.1");

    private final Vertx vertx = Vertx.vertx();
    private int port;

    @BeforeEach
    void serve() {
        port = listen(SERVERS);
    }

    @AfterEach
    void stop() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    @Test
    void openSslIsThereWhereTheTestsRun() {
        assertThat(OpenSSLEngineOptions.isAvailable()).isTrue();
    }

    @Test
    void theServerIsBelievedForTheCaOfTheConfiguration() {
        assertThat(answer(trusting(SERVERS, port))).contains("v1.36.0");
    }

    @Test
    void aServerOfAnotherCaIsNotSpokenTo() {
        Config config = trusting(certificateFor("127.0.0.1"), port);

        assertThatThrownBy(() -> answer(config)).isInstanceOf(KubernetesClientException.class);
    }

    @Test
    void aServerWithACertificateForAnotherHostIsNotSpokenTo() {
        ServingCertificate others = certificateFor("kubernetes.example");

        assertThatThrownBy(() -> answer(trusting(others, listen(others))))
                .isInstanceOf(KubernetesClientException.class);
    }

    @Test
    void whoTrustsAnybodyNeedsNoCa() {
        Config config = new ConfigBuilder(at(port)).withTrustCerts(true).build();

        assertThat(answer(config)).contains("v1.36.0");
    }

    @ParameterizedTest
    @MethodSource("clients")
    void theCertificateOfTheConfigurationIsShown(Identity client) {
        Config config = new ConfigBuilder(trusting(SERVERS, port))
                .withClientCertData(base64(client.certificate()))
                .withClientKeyData(base64(client.key()))
                .withClientKeyAlgo(client.algorithm())
                .build();

        assertThat(answer(config)).contains("for CN=kubernetes-admin");
    }

    static Stream<Arguments> clients() throws Exception {
        return Stream.of(
                Arguments.of(Named.of("RSA, PKCS #1", identity("RSA", "SHA256withRSA", false))),
                Arguments.of(Named.of("RSA, PKCS #8", identity("RSA", "SHA256withRSA", true))),
                Arguments.of(Named.of("EC, PKCS #8", identity("EC", "SHA256withECDSA", true))));
    }

    /** As a kubeconfig has it: PEM. */
    record Identity(String algorithm, String certificate, String key) {}

    private static Identity identity(String algorithm, String signature, boolean pkcs8) throws Exception {
        KeyPair keys = KeyPairGenerator.getInstance(algorithm).generateKeyPair();
        X500Principal name = new X500Principal("CN=kubernetes-admin");
        var certificate = new JcaX509v3CertificateBuilder(
                        name,
                        BigInteger.ONE,
                        Date.from(Instant.now().minusSeconds(60)),
                        Date.from(Instant.now().plusSeconds(3600)),
                        name,
                        keys.getPublic())
                .build(new JcaContentSignerBuilder(signature).build(keys.getPrivate()));
        return new Identity(
                algorithm,
                pem(certificate),
                pem(pkcs8 ? new JcaPKCS8Generator(keys.getPrivate(), null) : keys.getPrivate()));
    }

    private static String pem(Object object) {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            writer.writeObject(object);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    private static ServingCertificate certificateFor(String host) {
        return ServingCertificate.issue(List.of(host), Instant.now(), Duration.ofHours(1));
    }

    private int listen(ServingCertificate certificate) {
        HttpServerOptions options = new HttpServerOptions()
                .setHost("127.0.0.1")
                .setPort(0)
                .setSsl(true)
                .setClientAuth(ClientAuth.REQUEST)
                .setTrustOptions(TrustOptions.wrap(new Anybody()))
                .setKeyCertOptions(new PemKeyCertOptions()
                        .addCertValue(Buffer.buffer(certificate.certificate()))
                        .addKeyValue(Buffer.buffer(certificate.key())));
        return vertx.createHttpServer(options)
                .requestHandler(request -> request.response()
                        .putHeader("Content-Type", "application/json")
                        .end("{\"gitVersion\": \"v1.36.0 for " + peer(request) + "\"}"))
                .listen()
                .map(HttpServer::actualPort)
                .toCompletionStage()
                .toCompletableFuture()
                .join();
    }

    private static String peer(HttpServerRequest request) {
        try {
            return request.sslSession().getPeerPrincipal().getName();
        } catch (SSLPeerUnverifiedException e) {
            return "anybody";
        }
    }

    private static Config at(int port) {
        return new ConfigBuilder(Config.empty())
                .withMasterUrl("https://127.0.0.1:" + port)
                .withRequestRetryBackoffLimit(0)
                .build();
    }

    private static Config trusting(ServingCertificate server, int port) {
        return new ConfigBuilder(at(port)).withCaCertData(base64(server.ca())).build();
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
    }

    private static String answer(Config config) {
        try (KubernetesClient client = new KubernetesClientBuilder()
                .withConfig(config)
                .withHttpClientFactory(new HttpClients())
                .build()) {
            return client.raw("/version");
        }
    }

    private static final class Anybody implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
