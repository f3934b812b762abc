package io.kubevirt.ferry.manager;

import static io.kubevirt.ferry.testbed.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.kubevirt.ferry.admission.Admission;
import io.kubevirt.ferry.admission.AdmissionEndpoint;
import io.kubevirt.ferry.admission.Admitted;
import io.kubevirt.ferry.admission.Verdict;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.net.OpenSSLEngineOptions;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class WebhookServerTest {
    private static final String REVIEW =
            "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"request\":"
                    + "{\"uid\":\"u\",\"operation\":\"CREATE\",\"object\":{}}}";
    private final ServingCertificate certificate =
            ServingCertificate.issue(List.of("localhost"), Instant.now(), Duration.ofDays(1));

    private final BoundedTransport transport = new BoundedTransport();
    private final Vertx vertx = transport.vertx();
    private final Limits limits = Limits.answeringWithin(Duration.ofSeconds(2));
    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final CountDownLatch release = new CountDownLatch(1);
    private final HttpClient client =
            HttpClient.newBuilder().sslContext(Trust.in(certificate)).build();
    private WebhookServer server;
    private int port;

    /** Three admissions: one that allows, one that waits until it is released, one with a fault. */
    private record Scripted(String name, Runnable before) implements Admission {
        @Override
        public Verdict judge(Admitted request) {
            before.run();
            return Verdict.Allowed.silently();
        }
    }

    /** One that allows at once, and must not be asked in another way. */
    private record Knowing() implements Admission {
        @Override
        public String name() {
            return "knows";
        }

        @Override
        public Optional<Verdict> judgeAtOnce(Admitted request) {
            return Optional.of(Verdict.Allowed.silently());
        }

        @Override
        public Verdict judge(Admitted request) {
            throw new AssertionError("asked twice");
        }
    }

    @BeforeEach
    void start() throws Exception {
        server = new WebhookServer(
                transport,
                vertx,
                Map.of(
                        "/allows",
                        new AdmissionEndpoint(new Scripted("allows", () -> {})),
                        "/knows",
                        new AdmissionEndpoint(new Knowing()),
                        "/waits",
                        new AdmissionEndpoint(new Scripted("waits", this::waitForRelease)),
                        "/breaks",
                        new AdmissionEndpoint(new Scripted("breaks", () -> {
                            throw new IllegalStateException("a secret of the inside");
                        }))),
                executor,
                limits,
                new SimpleMeterRegistry(),
                Optional.empty());
        port = server.start("127.0.0.1", 0, certificate)
                .toCompletionStage()
                .toCompletableFuture()
                .get();
    }

    private void waitForRelease() {
        try {
            release.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @AfterEach
    void stop() throws Exception {
        release.countDown();
        client.close();
        server.stop().toCompletionStage().toCompletableFuture().get();
        executor.shutdownNow();
        vertx.close().toCompletionStage().toCompletableFuture().get();
    }

    private HttpRequest.Builder to(String path) {
        return HttpRequest.newBuilder(URI.create("https://localhost:" + port + path))
                .header("Content-Type", "application/json");
    }

    private HttpResponse<String> post(String path, BodyPublisher body) throws Exception {
        return client.send(to(path).POST(body).build(), BodyHandlers.ofString());
    }

    @Test
    void tlsIsDoneByNativeCodeOnLinux() {
        assertThat(OpenSSLEngineOptions.isAvailable())
                .isEqualTo(System.getProperty("os.name").equals("Linux"));
    }

    @Test
    void aVerdictThatNobodyHasToBeAskedForNeedsNoOtherThread() throws Exception {
        executor.shutdown();

        assertThat(post("/knows", BodyPublishers.ofString(REVIEW)).statusCode()).isEqualTo(200);
        assertThat(post("/allows", BodyPublishers.ofString(REVIEW)).statusCode())
                .isEqualTo(503);
    }

    @ParameterizedTest
    @EnumSource(HttpClient.Version.class)
    void answersReviewsInBothVersionsOfHttp(HttpClient.Version version) throws Exception {
        HttpRequest request = to("/allows?timeout=10s")
                .version(version)
                .POST(BodyPublishers.ofString(REVIEW))
                .build();

        HttpResponse<String> response = client.send(request, BodyHandlers.ofString());

        assertThat(response.version()).isEqualTo(version);
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type")).contains("application/json");
        assertThat(response.body()).contains("\"uid\":\"u\"", "\"allowed\":true");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "[]", "not json", "{\"apiVersion\":\"v1\"}", "{\"request\":{\"uid\":[[[["})
    void whatIsNoReviewGets400AndNoTrace(String body) throws Exception {
        HttpResponse<String> response = post("/allows", BodyPublishers.ofString(body));

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).doesNotContain("\tat ", "Exception").hasLineCount(1);
    }

    @Test
    void anotherPathGets404() throws Exception {
        assertThat(post("/elsewhere", BodyPublishers.ofString(REVIEW)).statusCode())
                .isEqualTo(404);
    }

    @Test
    void anotherMethodGets405() throws Exception {
        assertThat(client.send(to("/allows").GET().build(), BodyHandlers.ofString())
                        .statusCode())
                .isEqualTo(405);
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/plain", "application/jsonx", "application/yaml"})
    void anotherContentTypeGets415(String type) throws Exception {
        HttpRequest request = to("/allows")
                .setHeader("Content-Type", type)
                .POST(BodyPublishers.ofString(REVIEW))
                .build();

        assertThat(client.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(415);
    }

    @Test
    void aContentTypeMayHaveParameters() throws Exception {
        HttpRequest request = to("/allows")
                .setHeader("Content-Type", "Application/JSON; charset=utf-8")
                .POST(BodyPublishers.ofString(REVIEW))
                .build();

        assertThat(client.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
    }

    @Test
    void aBodyAboveTheLimitGets413WhetherItsLengthIsDeclaredOrNot() throws Exception {
        byte[] tooLong = new byte[limits.body() + 1];

        assertThat(post("/allows", BodyPublishers.ofByteArray(tooLong)).statusCode())
                .isEqualTo(413);
        assertThat(post("/allows", BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(tooLong)))
                        .statusCode())
                .isEqualTo(413);
    }

    @Test
    void aVerdictThatIsNotMadeInTimeGets504() throws Exception {
        assertThat(post("/waits", BodyPublishers.ofString(REVIEW)).statusCode()).isEqualTo(504);
        assertThat(server.underWay()).isZero();
    }

    @Test
    void aFaultOfOursGets500AndTellsNothingOfTheInside() throws Exception {
        HttpResponse<String> response = post("/breaks", BodyPublishers.ofString(REVIEW));

        assertThat(response.statusCode()).isEqualTo(500);
        assertThat(response.body()).doesNotContain("secret", "\tat ", "Exception");
    }

    @Test
    void countsWhatIsUnderWay() {
        CompletableFuture<HttpResponse<String>> waiting = client.sendAsync(
                to("/waits").POST(BodyPublishers.ofString(REVIEW)).build(), BodyHandlers.ofString());
        eventually().until(() -> server.underWay() == 1);

        release.countDown();

        assertThat(waiting.join().statusCode()).isEqualTo(200);
        assertThat(server.underWay()).isZero();
    }
}
