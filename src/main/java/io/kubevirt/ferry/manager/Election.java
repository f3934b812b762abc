package io.kubevirt.ferry.manager;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfiguration;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfigurationBuilder;
import io.kubevirt.ferry.controller.Live;
import io.kubevirt.ferry.controller.Refusal;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The election of the replica on which the controllers act, by a Lease. The framework's elector takes and renews it; here is
 * what it leaves out: what becomes of a replica that loses it, and of a Lease that stops it.
 */
final class Election {
    private static final Logger log = LoggerFactory.getLogger(Election.class);

    static final String LEASE = "kubevirt-ferry";

    private final Settings settings;
    private final KubernetesClient client;
    private final Runnable exit;
    private final AtomicBoolean stopping = new AtomicBoolean();
    private final AtomicBoolean leading = new AtomicBoolean();
    private Optional<LeaseSpec> seen = Optional.empty();
    private boolean cleared;

    /** @param exit ends the process, with a code that says failure; returns at once */
    Election(Settings settings, KubernetesClient client, MeterRegistry metrics, Runnable exit) {
        this.settings = settings;
        this.client = client;
        this.exit = exit;
        Gauge.builder("ferry.leading", leading, flag -> flag.get() ? 1 : 0)
                .description("1 on the replica whose controllers act")
                .register(metrics);
    }

    /** Built like this the framework does not end the process itself, which would deadlock in a shutdown hook. */
    LeaderElectionConfiguration configuration() {
        return LeaderElectionConfigurationBuilder.aLeaderElectionConfiguration(LEASE)
                .withLeaseNamespace(settings.namespace())
                .withIdentity(settings.identity())
                .withLeaderCallbacks(new LeaderCallbacks(this::lead, this::stopLeading, leader -> {}))
                .build();
    }

    private void lead() {
        leading.set(true);
        log.info("{} leads", settings.identity());
    }

    /** Without the lease another replica acts: this one ends, and its successor waits for its turn. */
    private void stopLeading() {
        boolean led = leading.getAndSet(false);
        if (led && !stopping.get()) {
            log.error("{} was lost; this replica ends", this);
            exit.run();
        }
    }

    /**
     * Puts a Lease right that the elector would fail at: one of its fields was taken out.
     *
     * @throws KubernetesClientException if the API server refuses or does not answer
     */
    void mend() {
        lease().filter(Election::isDamaged).ifPresent(lease -> clear(lease, "it is damaged"));
    }

    /**
     * Looks whether somebody leads; to be called once a minute. A Lease that nobody has renewed since the last look is taken
     * from its holder, whatever time stands in it.
     *
     * @return why nobody will, as far as it is up to this replica; empty if somebody does, or may soon
     * @throws KubernetesClientException if the API server refuses or does not answer
     */
    synchronized Optional<String> look() {
        Optional<Lease> lease = lease();
        Optional<LeaseSpec> now = lease.map(Lease::getSpec);
        boolean stands = !leading.get() && now.isPresent() && now.equals(seen);
        boolean dead = stands && cleared;
        cleared = stands && clear(lease.get(), "nobody has renewed it for a minute");
        seen = cleared ? lease().map(Lease::getSpec) : now;
        return dead
                ? Optional.of("nobody takes " + this + ", and this replica's election has ended")
                : Optional.empty();
    }

    private static boolean isDamaged(Lease lease) {
        LeaseSpec spec = lease.getSpec();
        return spec == null || spec.getLeaseDurationSeconds() == null || spec.getRenewTime() == null;
    }

    /** Whether it now has no holder. */
    private boolean clear(Lease lease, String why) {
        ZonedDateTime now = ZonedDateTime.now(ZoneOffset.UTC);
        Lease cleared = new LeaseBuilder(lease)
                .withNewSpec()
                .withHolderIdentity("")
                .withLeaseDurationSeconds(1)
                .withAcquireTime(now)
                .withRenewTime(now)
                .withLeaseTransitions(0)
                .endSpec()
                .build();
        boolean written = update(cleared);
        if (written) {
            log.warn("{}: {}; it is free for whoever takes it", this, why);
        }
        return written;
    }

    /** Gives the lease back, so that another replica need not wait for its end. */
    void giveBack() {
        try {
            lease().filter(lease -> settings.identity().equals(lease.getSpec().getHolderIdentity()))
                    .ifPresent(lease -> {
                        lease.getSpec().setHolderIdentity("");
                        boolean ignored = update(lease);
                    });
        } catch (KubernetesClientException e) {
            log.warn("the lease could not be given back; it runs out by itself: {}", Refusal.words(e));
        }
    }

    /** From now on the loss of the lease is nothing to end for; gives whether this replica leads. */
    boolean stopping() {
        stopping.set(true);
        return leading.get();
    }

    private Optional<Lease> lease() {
        return Optional.ofNullable(client.leases()
                .inNamespace(settings.namespace())
                .withName(LEASE)
                .get());
    }

    /** Whether it is in; not if somebody else was quicker. */
    private boolean update(Lease lease) {
        try {
            Lease ignored = client.resource(lease)
                    .lockResourceVersion(lease.getMetadata().getResourceVersion())
                    .update();
            return true;
        } catch (KubernetesClientException e) {
            if (Live.isStale(e)) {
                return false;
            }
            throw e;
        }
    }

    /** How an admin calls it. */
    @Override
    public String toString() {
        return "Lease " + settings.namespace() + "/" + LEASE;
    }
}
