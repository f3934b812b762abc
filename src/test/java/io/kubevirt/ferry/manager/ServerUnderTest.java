package io.kubevirt.ferry.manager;

import static io.kubevirt.ferry.testbed.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.kubevirt.ferry.admission.Admission;
import io.kubevirt.ferry.admission.AdmissionEndpoint;
import io.kubevirt.ferry.admission.Admitted;
import io.kubevirt.ferry.admission.Verdict;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A webhook server with two endpoints, {@code /allows} and {@code /waits}, and the connections to it. */
final class ServerUnderTest implements AutoCloseable {
    static final String REVIEW =
            "{\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{\"uid\":\"u\",\"operation\":\"CREATE\",\"object\":{}}}";

    /** So long that no test meets it by chance. */
    static final Duration LONG = Duration.ofMinutes(10);

    /** Small enough to be reached at once. */
    static final Limits SMALL = small(LONG, LONG, LONG);

    static Limits small(Duration answer, Duration firstRequest, Duration idle) {
        return new Limits(100_000, 200_000, 10, 40, 8, answer, firstRequest, idle, Duration.ofMillis(500));
    }

    private final ServingCertificate certificate =
            ServingCertificate.issue(List.of("localhost"), Instant.now(), Duration.ofDays(1));
    private final BoundedTransport transport = new BoundedTransport();
    private final Vertx vertx = transport.vertx();
    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final CountDownLatch release = new CountDownLatch(1);
    private final Queue<RawConnection> connections = new ConcurrentLinkedQueue<>();
    private final WebhookServer server;
    private final int port;

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

    ServerUnderTest(Limits limits) {
        this(limits, Optional.empty());
    }

    ServerUnderTest(Limits limits, Optional<ClientTrust> clients) {
        server = new WebhookServer(
                transport,
                vertx,
                Map.of(
                        "/allows",
                        new AdmissionEndpoint(new Waiting(new CountDownLatch(0))),
                        "/waits",
                        new AdmissionEndpoint(new Waiting(release))),
                executor,
                limits,
                new SimpleMeterRegistry(),
                clients);
        port = server.start("127.0.0.1", 0, certificate)
                .toCompletionStage()
                .toCompletableFuture()
                .join();
    }

    ServingCertificate certificate() {
        return certificate;
    }

    int port() {
        return port;
    }

    WebhookServer server() {
        return server;
    }

    /** From now on {@code /waits} answers. */
    void release() {
        release.countDown();
    }

    RawConnection connect() {
        return kept(() -> RawConnection.secure(certificate, port));
    }

    /** Without TLS. */
    RawConnection connectPlainly() {
        return kept(() -> RawConnection.over(new Socket("localhost", port)));
    }

    private interface Opening {
        RawConnection open() throws IOException;
    }

    private RawConnection kept(Opening opening) {
        try {
            RawConnection connection = opening.open();
            connections.add(connection);
            return connection;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void hangUp() {
        connections.forEach(RawConnection::close);
    }

    /** An honest request beside all others is answered. */
    void assertServes() {
        try (RawConnection honest = connect()) {
            assertThat(honest.review("/allows").status())
                    .as("of an honest request")
                    .isEqualTo(200);
        }
    }

    /** Nothing is held for anybody. */
    void assertRests() {
        eventually().until(() -> server.underWay() == 0 && server.bytesHeld() == 0);
    }

    @Override
    public void close() {
        release();
        hangUp();
        server.stop().toCompletionStage().toCompletableFuture().join();
        executor.shutdownNow();
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }
}
