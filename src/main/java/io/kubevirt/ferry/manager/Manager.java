package io.kubevirt.ferry.manager;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.kubevirt.ferry.admission.AdmissionEndpoint;
import io.kubevirt.ferry.admission.DefinitionAdmission;
import io.kubevirt.ferry.admission.MigrationAdmission;
import io.kubevirt.ferry.admission.Permissions;
import io.kubevirt.ferry.admission.TargetPodAdmission;
import io.kubevirt.ferry.admission.VolumeMigrations;
import io.kubevirt.ferry.admission.VolumeUpdateAdmission;
import io.kubevirt.ferry.controller.ActiveVolumeMigrations;
import io.kubevirt.ferry.controller.Caches;
import io.kubevirt.ferry.controller.ClusterSurroundings;
import io.kubevirt.ferry.controller.Deadline;
import io.kubevirt.ferry.controller.LookedUpMigrations;
import io.kubevirt.ferry.controller.ReviewedPermissions;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.URI;
import java.security.cert.CertificateException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process that {@code ferry manager} runs: admission on every replica, controllers on the one that leads.
 *
 * <p>What is not there yet (the API server, KubeVirt's CRDs, the webhook configuration) is waited for, and readiness says
 * for what.
 */
public final class Manager implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Manager.class);

    /** Paths of the webhooks, as the MutatingWebhookConfiguration names them. */
    static final String MIGRATIONS_PATH = "/admit/migrations";

    static final String PODS_PATH = "/admit/pods";

    static final String DEFINITIONS_PATH = "/admit/definitions";

    static final String VOLUME_UPDATES_PATH = "/admit/volume-updates";

    private static final Duration LOOK_AT_WATCHES = Duration.ofSeconds(10);
    private static final Duration LOOK_AROUND = Duration.ofMinutes(1);
    private static final Duration DEAD_WATCH = Duration.ofMinutes(1);
    private static final Duration DRAIN = Duration.ofSeconds(10);

    private final Settings settings;
    private final KubernetesClient client;
    private final BoundedTransport transport = new BoundedTransport();
    private final Vertx vertx = transport.vertx();
    private final ExecutorService admissions = Executors.newVirtualThreadPerTaskExecutor();
    private final PrometheusMeterRegistry metrics = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Readiness readiness = new Readiness();
    private final Caches caches = new Caches();
    private final Optional<ClientTrust> clients;
    private final Controllers controllers;
    private final LookedUpMigrations migrations;
    private final WebhookServer webhooks;
    private final HealthServer health;
    private final Watchdog watchdog;
    private final CertificateKeeper certificates;
    private final AtomicReference<Optional<String>> fault = new AtomicReference<>(Optional.empty());
    private volatile boolean closing;
    private volatile Optional<WebhookConfiguration> configuration = Optional.empty();
    private Optional<ServingCertificate> successor = Optional.empty();

    /**
     * Wires a manager; nothing runs yet.
     *
     * @param client is closed with the manager
     */
    public Manager(Settings settings, KubernetesClient client) {
        this(
                settings,
                client,
                Clock.systemUTC(),
                () -> Thread.ofPlatform().name("exit").start(() -> System.exit(1)));
    }

    /**
     * One that a test looks into.
     *
     * @param clock says the age of certificates
     * @param exit is what it does instead of ending the process
     */
    Manager(Settings settings, KubernetesClient client, Clock clock, Runnable exit) {
        this.settings = settings;
        this.clients = settings.webhookClients().map(Manager::trust);
        this.client = client;
        metrics.config().meterFilter(new EvenTags("events.received", Set.of("controller.name", "event")));
        this.controllers = new Controllers(settings, client, caches, metrics, readiness, exit);
        Deadline deadline = new Deadline(admissions, settings.lookupDeadline());
        Permissions permissions = settings.restrictDirectedMigrations()
                ? new ReviewedPermissions(client, deadline)
                : Permissions.unrestricted();
        VolumeMigrations volumeMigrations = new ActiveVolumeMigrations(client, deadline);
        this.migrations = new LookedUpMigrations(caches, volumeMigrations, client, deadline);
        this.webhooks = new WebhookServer(
                transport,
                vertx,
                Map.of(
                        MIGRATIONS_PATH,
                        new AdmissionEndpoint(
                                new MigrationAdmission(new ClusterSurroundings(caches, client, deadline), permissions)),
                        PODS_PATH,
                        new AdmissionEndpoint(
                                new TargetPodAdmission(new PassingWithoutRights(migrations, controllers::lackRights))),
                        DEFINITIONS_PATH,
                        new AdmissionEndpoint(new DefinitionAdmission(settings::typedField)),
                        VOLUME_UPDATES_PATH,
                        new AdmissionEndpoint(new VolumeUpdateAdmission(volumeMigrations))),
                admissions,
                Limits.answeringWithin(settings.admissionDeadline()),
                metrics,
                clients);
        this.certificates = new CertificateKeeper(
                new CertificateSecret(client, settings.namespace(), hosts()), settings.certManager(), clock);
        this.watchdog = new Watchdog(this::deadWatches, controllers::apiServes, DEAD_WATCH);
        this.health = new HealthServer(vertx, readiness, metrics, fault::get);
        new JvmMemoryMetrics().bindTo(metrics);
        new ProcessorMetrics().bindTo(metrics);
    }

    /** Starts all parts; returns when the servers listen and the controllers have begun to wait for what they need. */
    public Ports start() throws InterruptedException {
        int healthPort = listening(
                "health and metrics",
                settings.healthPort(),
                health.start(settings.bindAddress(), settings.healthPort()));
        log.info("health and metrics on http://{}:{}", settings.bindAddress(), healthPort);
        ServingCertificate certificate = new Patience("the webhook certificate")
                .until(certificates::first, why -> readiness.waiting(Readiness.Part.CERTIFICATE, why));
        readiness.ok(Readiness.Part.CERTIFICATE);
        int webhookPort = listening(
                "webhooks",
                settings.webhookPort(),
                webhooks.start(settings.bindAddress(), settings.webhookPort(), certificate));
        readiness.ok(Readiness.Part.SERVING);
        log.info("webhooks on https://{}:{}", settings.bindAddress(), webhookPort);
        WebhookConfiguration kept = new WebhookConfiguration(
                client,
                certificate.ca(),
                settings.webhookUrl().map(url -> withPort(url, webhookPort)),
                readiness,
                controllers::fieldWishChanged);
        configuration = Optional.of(kept);
        new Patience("the webhook configuration")
                .until(
                        () -> {
                            kept.start();
                            return true;
                        },
                        why -> readiness.waiting(Readiness.Part.WEBHOOK_CONFIGURATION, why));
        controllers.start(migrations, kept::isInstalled);
        every(LOOK_AT_WATCHES, this::lookAtWatches);
        every(LOOK_AROUND, this::lookAtCertificate);
        every(LOOK_AROUND, this::lookAround);
        return new Ports(webhookPort, healthPort);
    }

    /** The ports that are listened on. */
    public record Ports(int webhooks, int health) {}

    /** Whether this replica can be sent admissions. */
    public boolean isReady() {
        return readiness.isReady();
    }

    /** What each part waits for, one line a part. */
    public String report() {
        return readiness.report();
    }

    private void every(Duration period, Runnable look) {
        vertx.setPeriodic(period.toMillis(), id -> admissions.execute(() -> tryTo(look)));
    }

    /** What it looks at may end under its eyes when the manager does. */
    private void tryTo(Runnable look) {
        try {
            if (!closing) {
                look.run();
            }
        } catch (RuntimeException e) {
            if (!closing) {
                log.error("a look at watches or certificate failed and comes again", e);
            }
        }
    }

    private static ClientTrust trust(WebhookClients wanted) {
        try {
            return new ClientTrust(wanted);
        } catch (CertificateException e) {
            throw new IllegalArgumentException(wanted.ca() + ": " + e.getMessage(), e);
        }
    }

    /** The watches that are not connected now. */
    List<String> deadWatches() {
        Stream<String> own =
                configuration.filter(kept -> !kept.isWatching()).stream().map(kept -> "webhook configuration");
        return Stream.concat(own, controllers.deadWatches().stream()).toList();
    }

    /** Looks after what nobody tells of. */
    void lookAround() {
        clients.ifPresent(ClientTrust::look);
        controllers.look();
    }

    /** Looks whether this process can go on. */
    void lookAtWatches() {
        if (controllers.lackRights()) {
            boolean ignored = controllers.apiServes();
        }
        Optional<String> found = controllers.failure().or(() -> watchdog.look(Instant.now()));
        if (!found.equals(fault.getAndSet(found))) {
            found.ifPresent(what -> log.error("{}; /healthz fails from now on", what));
        }
    }

    /**
     * Changes the certificate without a restart, in two looks: its CA is trusted beside the old one first, and it is shown
     * when the API server has known that for a while.
     */
    synchronized void lookAtCertificate() {
        if (successor.isPresent()
                && configuration.filter(WebhookConfiguration::isTrusted).isPresent()) {
            ServingCertificate next = successor.get();
            webhooks.show(next)
                    .onSuccess(done -> shown(next))
                    .onFailure(e -> log.error(
                            "the new certificate cannot be served, and the old one is until the next look: {}",
                            e.getMessage()));
        }
        certificates.look().ifPresent(next -> {
            successor = Optional.of(next);
            configuration.ifPresent(kept -> kept.trust(next.ca()));
        });
        certificates
                .fault()
                .ifPresentOrElse(
                        why -> readiness.waiting(Readiness.Part.CERTIFICATE, why),
                        () -> readiness.ok(Readiness.Part.CERTIFICATE));
    }

    private synchronized void shown(ServingCertificate certificate) {
        log.info("serving the new certificate");
        successor = successor.filter(next -> !next.equals(certificate));
    }

    private List<String> hosts() {
        String service = settings.serviceName() + "." + settings.namespace();
        List<String> inCluster = List.of(service + ".svc", service + ".svc.cluster.local");
        return settings.webhookUrl().map(URI::getHost).map(List::of).orElse(inCluster);
    }

    /** A URL without a port means the port that is listened on. */
    private static URI withPort(URI url, int port) {
        return url.getPort() >= 0 ? url : URI.create(url.getScheme() + "://" + url.getHost() + ":" + port + "/");
    }

    /** Ends: admissions under way are answered, the lease is given back. */
    @Override
    public void close() {
        closing = true;
        readiness.waiting(Readiness.Part.SERVING, "shutting down");
        configuration.ifPresent(WebhookConfiguration::close);
        controllers.stop();
        try {
            drain();
            await(webhooks.stop());
            await(health.stop());
            admissions.shutdown();
            admissions.awaitTermination(DRAIN.toSeconds(), TimeUnit.SECONDS);
            await(vertx.close());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        client.close();
        metrics.close();
    }

    private void drain() throws InterruptedException {
        long end = System.nanoTime() + DRAIN.toNanos();
        while (webhooks.underWay() > 0 && System.nanoTime() < end) {
            Thread.sleep(20);
        }
    }

    private int listening(String what, int port, Future<Integer> started) throws InterruptedException {
        try {
            return await(started);
        } catch (IllegalStateException e) {
            throw new IllegalStateException(
                    "cannot listen on %s port %d for %s".formatted(settings.bindAddress(), port, what), e);
        }
    }

    private static <T> T await(Future<T> future) throws InterruptedException {
        try {
            return future.toCompletionStage().toCompletableFuture().get();
        } catch (java.util.concurrent.ExecutionException e) {
            throw new IllegalStateException(e.getCause().getMessage(), e.getCause());
        }
    }
}
