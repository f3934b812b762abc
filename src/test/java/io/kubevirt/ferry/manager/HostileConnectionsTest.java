package io.kubevirt.ferry.manager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.kubevirt.ferry.admission.Admission;
import io.kubevirt.ferry.admission.AdmissionEndpoint;
import io.kubevirt.ferry.admission.Admitted;
import io.kubevirt.ferry.admission.Verdict;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Whoever reaches the port can take up no more than a bounded part of the server, and leaves nothing behind. */
class HostileConnectionsTest {
    private static final String REVIEW =
            "{\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{\"uid\":\"u\",\"operation\":\"CREATE\",\"object\":{}}}";
    private static final String CHUNKED = "Transfer-Encoding: chunked\r\n";

    private final ServingCertificate certificate =
            ServingCertificate.issue(List.of("localhost"), Instant.now(), Duration.ofDays(1));
    private final Vertx vertx = Vertx.vertx();
    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final CountDownLatch release = new CountDownLatch(1);
    private final List<RawConnection> connections = new ArrayList<>();
    private WebhookServer server;
    private int port;

    private record Waiting(CountDownLatch latch) implements Admission {
        @Override
        public String name() {
            return "test";
        }

        @Override
        public Verdict judge(Admitted request) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return Verdict.Allowed.silently();
        }
    }

    @BeforeEach
    void startPatient() throws Exception {
        start(Duration.ofMinutes(5));
    }

    private void start(Duration deadline) throws Exception {
        server = new WebhookServer(
                vertx,
                Map.of(
                        "/allows",
                        new AdmissionEndpoint(new Waiting(new CountDownLatch(0))),
                        "/waits",
                        new AdmissionEndpoint(new Waiting(release))),
                executor,
                deadline,
                new SimpleMeterRegistry());
        port = server.start("127.0.0.1", 0, certificate)
                .toCompletionStage()
                .toCompletableFuture()
                .get();
    }

    @AfterEach
    void stop() throws Exception {
        release.countDown();
        hangUp();
        server.stop().toCompletionStage().toCompletableFuture().get();
        executor.shutdownNow();
        vertx.close().toCompletionStage().toCompletableFuture().get();
    }

    private RawConnection connect() {
        try {
            RawConnection connection = RawConnection.secure(certificate, port);
            connections.add(connection);
            return connection;
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private void hangUp() throws IOException {
        for (RawConnection connection : connections) {
            connection.close();
        }
    }

    private static String length(int length) {
        return "Content-Length: " + length + "\r\n";
    }

    private void assertServes() {
        assertThat(connect()
                        .post("/allows", length(REVIEW.length()))
                        .send(REVIEW)
                        .status())
                .isEqualTo(200);
        await().atMost(Duration.ofSeconds(60)).until(() -> server.underWay() == 0 && server.bytesHeld() == 0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "POST /allows HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}",
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
            })
    void withoutTlsNothingIsServed(String request) throws Exception {
        try (RawConnection plain = RawConnection.over(new Socket("localhost", port))) {
            assertThat(plain.send(request).rest()).doesNotContain("HTTP/", "webhook");
        }
        assertServes();
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1", "TLSv1.1"})
    void oldTlsIsRefused(String protocol) throws Exception {
        try (SSLSocket socket =
                (SSLSocket) Trust.in(certificate).getSocketFactory().createSocket("localhost", port)) {
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setProtocols(new String[] {protocol});
            socket.setSSLParameters(parameters);
            assertThatThrownBy(socket::startHandshake).isInstanceOf(IOException.class);
        }
        assertServes();
    }

    @Test
    void whoExpectsToBeToldToGoOnIsTold() {
        RawConnection connection = connect().post("/allows", length(REVIEW.length()) + "Expect: 100-continue\r\n");

        assertThat(connection.status()).isEqualTo(100);
        assertThat(connection.send(REVIEW).status()).isEqualTo(200);
    }

    @Test
    void whoExpectsToSendTooMuchIsToldSoAtOnce() {
        RawConnection connection =
                connect().post("/allows", length(WebhookServer.BODY_LIMIT + 1) + "Expect: 100-continue\r\n");

        assertThat(connection.status()).isEqualTo(413);
        assertServes();
    }

    @Test
    void aBodyShorterThanDeclaredGets504AndHoldsNothing() throws Exception {
        server.stop().toCompletionStage().toCompletableFuture().get();
        start(Duration.ofSeconds(1));

        RawConnection connection = connect().post("/allows", length(1_000)).send(REVIEW);

        assertThat(connection.status()).isEqualTo(504);
        await().atMost(Duration.ofSeconds(60)).until(() -> server.underWay() == 0 && server.bytesHeld() == 0);
    }

    @Test
    void chunksThatNeverEndAreCutAtTheLimit() {
        RawConnection connection = connect().post("/allows", CHUNKED);
        String chunk = "100000\r\n" + " ".repeat(1 << 20) + "\r\n";
        Thread sender = Thread.ofVirtual().start(() -> {
            try {
                for (int i = 0; i < 64; i++) {
                    connection.send(chunk);
                }
            } catch (java.io.UncheckedIOException e) {
                // Nobody listens any more, as it should be.
            }
        });

        assertThat(connection.status()).isEqualTo(413);
        sender.interrupt();
        assertServes();
    }

    @Test
    void requestsThatNeverEndAreNoMoreThanTheCapAndEndWithTheirConnections() throws Exception {
        for (int i = 0; i < WebhookServer.AT_ONCE; i++) {
            connect().post("/allows", length(1_000)).send("{");
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> server.underWay() == WebhookServer.AT_ONCE);

        for (int i = 0; i < 5; i++) {
            assertThat(connect().post("/allows", length(1_000)).send("{").status())
                    .isEqualTo(503);
        }
        hangUp();
        assertServes();
    }

    @Test
    void aFloodOfStreamsOnOneConnectionIsAnsweredAndLeavesRoomForOthers() {
        try (HttpClient client =
                HttpClient.newBuilder().sslContext(Trust.in(certificate)).build()) {
            HttpRequest request = HttpRequest.newBuilder(URI.create("https://localhost:" + port + "/waits"))
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofString(REVIEW))
                    .build();
            // The connection is made by one, that the others find it.
            Stream<CompletableFuture<HttpResponse<String>>> first =
                    Stream.of(client.sendAsync(request, BodyHandlers.ofString()));
            await().atMost(Duration.ofSeconds(60)).until(() -> server.underWay() == 1);
            List<CompletableFuture<HttpResponse<String>>> flood = Stream.concat(
                            first,
                            IntStream.range(0, 500).mapToObj(i -> client.sendAsync(request, BodyHandlers.ofString())))
                    .toList();
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> server.underWay() == 100 || flood.stream().anyMatch(CompletableFuture::isDone));

            assertThat(server.underWay()).isLessThanOrEqualTo(100);
            assertThat(connect()
                            .post("/allows", length(REVIEW.length()))
                            .send(REVIEW)
                            .status())
                    .isEqualTo(200);
            release.countDown();
            // A client opens no more streams than it may; those beyond fail in it or wait.
            flood.forEach(answer -> answer.handle((response, failure) -> response != null ? response.statusCode() : 0)
                    .thenAccept(status -> assertThat(status).isIn(200, 0))
                    .join());
        }
        assertServes();
    }

    @Test
    void aFloodOfWhatIsNoReviewIsNoFloodInTheLog() {
        var logger = (ch.qos.logback.classic.Logger) LoggerFactory.getLogger(WebhookServer.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            RawConnection connection = connect();
            for (int i = 0; i < 500; i++) {
                assertThat(connection.post("/allows", length(2)).send("{}").status())
                        .isEqualTo(400);
            }
        } finally {
            logger.detachAppender(lines);
        }

        assertThat(lines.list).hasSizeBetween(1, 50);
    }
}
