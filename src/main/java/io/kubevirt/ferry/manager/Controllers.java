package io.kubevirt.ferry.manager;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.RegisteredController;
import io.javaoperatorsdk.operator.api.config.ConfigurationServiceOverrider;
import io.javaoperatorsdk.operator.api.config.ControllerConfigurationOverrider;
import io.javaoperatorsdk.operator.health.InformerHealthIndicator;
import io.javaoperatorsdk.operator.health.InformerWrappingEventSourceHealthIndicator;
import io.javaoperatorsdk.operator.monitoring.micrometer.MicrometerMetricsV2;
import io.javaoperatorsdk.operator.processing.event.source.inbound.SimpleInboundEventSource;
import io.javaoperatorsdk.operator.processing.retry.GenericRetry;
import io.kubevirt.ferry.admission.DirectedMigration;
import io.kubevirt.ferry.admission.Migrations;
import io.kubevirt.ferry.admission.TypedField;
import io.kubevirt.ferry.controller.Caches;
import io.kubevirt.ferry.controller.DefinitionReconciler;
import io.kubevirt.ferry.controller.DefinitionReconciler.Wish;
import io.kubevirt.ferry.controller.Events;
import io.kubevirt.ferry.controller.Guests;
import io.kubevirt.ferry.controller.MigrationReconciler;
import io.kubevirt.ferry.controller.Placements;
import io.kubevirt.ferry.controller.Pods;
import io.kubevirt.ferry.controller.Refusal;
import io.kubevirt.ferry.controller.TargetPodReconciler;
import io.kubevirt.ferry.controller.Trimmed;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The controllers and the election of the replica on which they act. Their caches are filled on every replica, because
 * admission looks into them.
 */
final class Controllers {
    private static final Logger log = LoggerFactory.getLogger(Controllers.class);

    private static final Duration LOOK_AGAIN = Duration.ofSeconds(2);
    private static final Duration SYNC_TIMEOUT = Duration.ofSeconds(30);

    /** Of reconciliations, each a few short requests; with the framework's 50 a drain leaves as many threads behind. */
    private static final int AT_ONCE = 8;

    private static final Duration LONGEST_RETRY = Duration.ofSeconds(30);

    private final Settings settings;
    private final KubernetesClient client;
    private final Readiness readiness;
    private final Rights rights;
    private final MeterRegistry metrics;
    private final Caches caches;
    private final Election election;
    private final Operator operator;
    private final AtomicBoolean started = new AtomicBoolean();
    private final AtomicBoolean unanswered = new AtomicBoolean();
    private volatile Optional<DefinitionReconciler> definitions = Optional.empty();
    private volatile Optional<String> failure = Optional.empty();
    private String awaited = "";
    private Optional<Thread> starter = Optional.empty();

    /**
     * @param caches are filled by the controllers' watches
     * @param exit ends the process, when another replica leads in place of this one
     */
    Controllers(
            Settings settings,
            KubernetesClient client,
            Caches caches,
            MeterRegistry metrics,
            Readiness readiness,
            Runnable exit) {
        this.settings = settings;
        this.client = client;
        this.caches = caches;
        this.metrics = metrics;
        this.readiness = readiness;
        this.rights = new Rights(client, settings.namespace(), readiness);
        this.election = new Election(settings, client, metrics, exit);
        this.operator = new Operator(overrider -> configure(overrider, metrics));
    }

    private void configure(ConfigurationServiceOverrider overrider, MeterRegistry metrics) {
        overrider
                .withKubernetesClient(client)
                .withCloseClientOnStop(false)
                .checkingCRDAndValidateLocalModel(false)
                .withCacheSyncTimeout(SYNC_TIMEOUT)
                .withConcurrentReconciliationThreads(AT_ONCE)
                .withReconciliationTerminationTimeout(Duration.ofSeconds(5))
                .withMetrics(MicrometerMetricsV2.newBuilder(metrics).build())
                .withInformerStoppedHandler(this::informerStopped)
                .withLeaderElectionConfiguration(election.configuration());
    }

    /** What the framework does of itself is to end the process, and with it the admissions that go on without. */
    private void informerStopped(SharedIndexInformer<?> informer, @Nullable Throwable why) {
        if (why != null && informer.hasSynced()) {
            failed("the watch of " + informer.getApiTypeClass().getSimpleName() + " has ended: " + rootCause(why), why);
        }
    }

    /**
     * Starts as soon as KubeVirt's CRD is there; returns at once.
     *
     * @param installed whether the webhooks are installed, without which a typed field would be refused by virt-api
     */
    void start(Migrations migrations, Supplier<Optional<Boolean>> installed) {
        SimpleInboundEventSource<VirtualMachineInstanceMigration> podEvents = new SimpleInboundEventSource<>("pods");
        Pods pods = new Pods(client);
        Clock clock = Clock.systemUTC();
        operator.register(
                new TargetPodReconciler(pods, caches, migrations, podEvents),
                controller -> whenSomethingHappens(controller)
                        .withLabelSelector(TargetPodReconciler.SELECTOR)
                        .withItemStore(Trimmed.pods()));
        operator.register(
                new MigrationReconciler(
                        caches,
                        pods,
                        new Placements(client, new Events(client, clock), clock, metrics),
                        new Guests(client),
                        podEvents),
                controller -> whenSomethingHappens(controller)
                        .withGenericFilter(MigrationReconciler::isDirected)
                        .withItemStore(Trimmed.migrations()));
        DefinitionReconciler definition = new DefinitionReconciler(client, caches, () -> wish(installed.get()), clock);
        definitions = Optional.of(definition);
        operator.register(definition, Controllers::whenSomethingHappens);
        starter = Optional.of(Thread.ofVirtual().name("controllers").start(this::startWhenPossible));
    }

    /** The watches that are not connected now; none before they have been once. */
    List<String> deadWatches() {
        if (!started.get()) {
            return List.of();
        }
        List<String> dead = new ArrayList<>();
        for (RegisteredController<?> controller : operator.getRuntimeInfo().getRegisteredControllers()) {
            controller
                    .getControllerHealthInfo()
                    .informerEventSourceHealthIndicators()
                    .forEach((name, source) -> {
                        if (!isWatching(source)) {
                            dead.add(name);
                        }
                    });
        }
        return dead;
    }

    private static boolean isWatching(InformerWrappingEventSourceHealthIndicator<?> source) {
        Collection<InformerHealthIndicator> informers =
                source.informerHealthIndicators().values();
        return informers.stream().allMatch(InformerHealthIndicator::isWatching);
    }

    /** Whether the API server answers and lets us do what we have to: what is amiss all the same is up to us. */
    boolean apiServes() {
        try {
            boolean serves =
                    client.getKubernetesVersion() != null && rights.look().isEmpty();
            if (unanswered.getAndSet(false)) {
                log.info("the API server answers again");
            }
            return serves;
        } catch (KubernetesClientException e) {
            if (!unanswered.getAndSet(true)) {
                log.warn("the API server does not answer: {}", Refusal.words(e));
            }
            return false;
        }
    }

    /** Looks, once a minute, whether the controllers may act and one replica's do. */
    void look() {
        if (!apiServes() || !started.get()) {
            return;
        }
        try {
            election.look().ifPresent(why -> failed(why, null));
        } catch (KubernetesClientException e) {
            log.debug("the Lease could not be looked at, and is in a minute", e);
        }
    }

    /** Whether it is known that we may not do what we have to. */
    boolean lackRights() {
        return rights.areLacking();
    }

    private Wish wish(Optional<Boolean> installed) {
        if (!settings.typedField()) {
            return Wish.ABSENT;
        }
        return installed.map(there -> there ? Wish.PRESENT : Wish.ABSENT).orElse(Wish.UNKNOWN);
    }

    /** Says that the webhooks were installed or removed. */
    void fieldWishChanged() {
        definitions.ifPresent(DefinitionReconciler::wishChanged);
    }

    /**
     * A controller that goes on until it succeeds, and is then called when something happens or it has asked for it. What the
     * framework does of itself is to call it again after ten hours: for that a task stays in a timer for each reconciliation
     * of every pod, for as long, called off or not.
     */
    static <R extends HasMetadata> ControllerConfigurationOverrider<R> whenSomethingHappens(
            ControllerConfigurationOverrider<R> controller) {
        return controller
                .withReconciliationMaxInterval(null)
                .withRetry(GenericRetry.defaultLimitedExponentialRetry()
                        .withoutMaxAttempts()
                        .setInitialInterval(Duration.ofMillis(500))
                        .setMaxInterval(LONGEST_RETRY.toMillis()));
    }

    private void startWhenPossible() {
        try {
            waitUntilPossible();
            election.mend();
            operator.start();
            started.set(true);
            readiness.ok(Readiness.Part.CACHES);
            log.info("caches are filled");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            // The framework cannot be started twice: only a new process gets further.
            failed("the controllers could not start: " + rootCause(e), e);
        }
    }

    private void failed(String why, @Nullable Throwable cause) {
        log.error(why);
        log.debug("the cause", cause);
        readiness.waiting(Readiness.Part.CACHES, why);
        failure = Optional.of(why);
    }

    private static String rootCause(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause instanceof KubernetesClientException refused
                ? Refusal.words(refused)
                : String.valueOf(cause.getMessage());
    }

    /** Why the controllers will never act in this process; empty as long as they may. */
    Optional<String> failure() {
        return failure;
    }

    private void waitUntilPossible() throws InterruptedException {
        for (Optional<String> why = missing(); why.isPresent(); why = missing()) {
            waiting(why.get());
            Thread.sleep(LOOK_AGAIN);
        }
    }

    /** What has to be waited for before the controllers start; empty if nothing. Discovery needs no permission of ours. */
    private Optional<String> missing() {
        try {
            boolean served = Optional.ofNullable(client.getApiResources("kubevirt.io/v1")).stream()
                    .flatMap(list -> list.getResources().stream())
                    .anyMatch(resource -> resource.getName().equals(DirectedMigration.RESOURCE));
            return served
                    ? rights.look().map(why -> "waiting for the rights")
                    : Optional.of("waiting for KubeVirt: there is no CustomResourceDefinition " + TypedField.DEFINITION
                            + "; install KubeVirt, and this goes on by itself");
        } catch (KubernetesClientException e) {
            return Optional.of("the API server does not answer: " + Refusal.words(e));
        }
    }

    /** Told once: this is looked at again and again. */
    private void waiting(String why) {
        if (!why.equals(awaited)) {
            log.info(why);
            awaited = why;
        }
        readiness.waiting(Readiness.Part.CACHES, why);
    }

    /** Stops the controllers and gives the lease back, so that another replica need not wait for its end. */
    void stop() {
        boolean led = election.stopping();
        starter.ifPresent(Thread::interrupt);
        operator.stop();
        if (led) {
            election.giveBack();
        }
    }
}
