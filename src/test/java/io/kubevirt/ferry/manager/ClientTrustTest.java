package io.kubevirt.ferry.manager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.kubevirt.ferry.manager.ClientCa.Client;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The webhook port where clients have to show a certificate, tried by handshakes. */
class ClientTrustTest {
    private final ClientCa ca = ClientCa.create();

    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void write() throws IOException {
        file = Files.writeString(folder.resolve("ca.crt"), ca.text());
    }

    private ClientTrust trust(String... names) throws CertificateException {
        return new ClientTrust(new WebhookClients(file, Set.of(names)));
    }

    private static ServerUnderTest serving(ClientTrust trust) {
        return new ServerUnderTest(ServerUnderTest.SMALL, Optional.of(trust));
    }

    private static int asked(ServerUnderTest server, SSLContext tls, HttpClient.Version version)
            throws IOException, InterruptedException {
        try (HttpClient client =
                HttpClient.newBuilder().sslContext(tls).version(version).build()) {
            HttpRequest review = HttpRequest.newBuilder(URI.create("https://localhost:" + server.port() + "/allows"))
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofString(ServerUnderTest.REVIEW))
                    .build();
            return client.send(review, BodyHandlers.discarding()).statusCode();
        }
    }

    private static int asked(ServerUnderTest server, Client client) throws IOException, InterruptedException {
        return asked(server, client.towards(server.certificate()), HttpClient.Version.HTTP_2);
    }

    private static void assertRefused(ServerUnderTest server, Client client) {
        assertThatIOException().isThrownBy(() -> asked(server, client));
    }

    @ParameterizedTest
    @EnumSource(HttpClient.Version.class)
    void whoShowsACertificateOfTheCaIsServedAndNobodyElse(HttpClient.Version version) throws Exception {
        try (ServerUnderTest server = serving(trust())) {
            assertThat(asked(server, ca.client("any").towards(server.certificate()), version))
                    .isEqualTo(200);
            assertThatIOException()
                    .as("without a certificate")
                    .isThrownBy(() -> asked(server, Trust.in(server.certificate()), version));
            assertThatIOException()
                    .as("with one of another CA of the same name")
                    .isThrownBy(() ->
                            asked(server, ClientCa.create().client("any").towards(server.certificate()), version));
        }
    }

    @Test
    void ofTheCaOnlyTheNamesThatAreGivenAreServed() throws Exception {
        try (ServerUnderTest server = serving(trust("kube-apiserver", "another"))) {
            assertThat(asked(server, ca.client("kube-apiserver"))).isEqualTo(200);
            assertRefused(server, ca.client("kubelet"));
        }
    }

    @Test
    void whenTheServersCertificateChangesClientsStillHaveToShowTheirs() throws Exception {
        try (ServerUnderTest server = serving(trust())) {
            ServingCertificate next = ServingCertificate.issue(List.of("localhost"), Instant.now(), Duration.ofDays(2));
            server.server().show(next).toCompletionStage().toCompletableFuture().join();

            assertThat(asked(server, ca.client("any").towards(next), HttpClient.Version.HTTP_2))
                    .isEqualTo(200);
            assertThatIOException().isThrownBy(() -> asked(server, Trust.in(next), HttpClient.Version.HTTP_2));
        }
    }

    @Test
    void theFileIsFollowedAndOneThatIsDamagedIsNot() throws Exception {
        ClientCa next = ClientCa.create();
        ClientTrust trust = trust();
        try (ServerUnderTest server = serving(trust)) {
            Files.writeString(file, "damaged");
            trust.look();
            assertThat(asked(server, ca.client("any"))).isEqualTo(200);

            Files.writeString(file, next.text());
            trust.look();
            assertThat(asked(server, next.client("any"))).isEqualTo(200);
            assertRefused(server, ca.client("any"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "text", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"})
    void aFileWithoutACertificateIsRefusedAtTheStart(String text) throws Exception {
        Files.writeString(file, text);

        assertThatExceptionOfType(CertificateException.class).isThrownBy(() -> trust());
    }
}
