package io.kubevirt.ferry.manager;

import static io.kubevirt.ferry.testbed.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** A manager in this JVM that does not end it, and that may be looked into while it starts. */
final class ManagerUnderTest implements AutoCloseable {
    private static final String NAMESPACE = "kubevirt-ferry";

    private final String identity = "test-" + UUID.randomUUID();
    private final CompletableFuture<Void> exit = new CompletableFuture<>();
    private final CompletableFuture<Manager.Ports> ports = new CompletableFuture<>();
    private final Manager manager;

    private ManagerUnderTest(Config config, Optional<WebhookClients> clients) {
        manager = new Manager(
                settings(identity, clients), Clients.of(config), Clock.systemUTC(), () -> exit.complete(null));
        Thread.ofVirtual().name(identity).start(this::run);
    }

    private static Settings settings(String identity, Optional<WebhookClients> clients) {
        return new Settings(
                NAMESPACE,
                0,
                0,
                "127.0.0.1",
                "kubevirt-ferry-webhook",
                Optional.of(URI.create("https://127.0.0.1")),
                clients,
                false,
                Duration.ofSeconds(5),
                Duration.ofSeconds(2),
                true,
                false,
                identity);
    }

    private void run() {
        try {
            ports.complete(manager.start());
        } catch (InterruptedException | RuntimeException e) {
            ports.completeExceptionally(e);
        }
    }

    /** Starts one, and returns at once. */
    static ManagerUnderTest start(Config config) {
        return new ManagerUnderTest(config, Optional.empty());
    }

    /** Starts one that serves only some clients, and returns at once. */
    static ManagerUnderTest start(Config config, WebhookClients clients) {
        return new ManagerUnderTest(config, Optional.of(clients));
    }

    ManagerUnderTest awaitReady() {
        eventually().until(manager::isReady);
        return this;
    }

    void awaitLeading(KubernetesClient admin) {
        eventually().until(() -> holder(admin), identity::equals);
    }

    /** Who holds the Lease; empty if nobody does. */
    static String holder(KubernetesClient admin) {
        return Optional.ofNullable(admin.leases()
                        .inNamespace(NAMESPACE)
                        .withName(Election.LEASE)
                        .get())
                .map(Lease::getSpec)
                .map(spec -> spec.getHolderIdentity())
                .orElse("");
    }

    Manager manager() {
        return manager;
    }

    /** Whether it has said that the process is to end. */
    boolean hasEnded() {
        return exit.isDone();
    }

    void assertReports(String... words) {
        eventually().untilAsserted(() -> assertThat(manager.report()).contains(words));
    }

    /** What it answers at a path of its health port. */
    HttpResponse<String> get(String path) {
        try (HttpClient client = HttpClient.newHttpClient()) {
            URI uri = URI.create("http://127.0.0.1:" + ports.join().health() + path);
            return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
        } catch (java.io.IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        manager.close();
    }
}
