package io.kubevirt.ferry.standin;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.kubevirt.ferry.api.VolumeMigration;
import io.kubevirt.ferry.controller.Execution;
import io.kubevirt.ferry.controller.Observations;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.volumes.Decider;
import io.kubevirt.ferry.volumes.Settings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks, decides, writes the status and does one thing, again and again, for each VolumeMigration of a namespace. */
final class VolumeLoop implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(VolumeLoop.class);
    private static final Settings SETTINGS =
            new Settings(Duration.ofSeconds(2), Duration.ofSeconds(8), Duration.ofSeconds(30), Duration.ofSeconds(1));

    private final KubernetesClient client;
    private final String namespace;
    private final Observations observations;
    private final Execution execution;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
    private final Future<?> turns;
    private final List<String> done = Collections.synchronizedList(new ArrayList<>());

    private VolumeLoop(KubernetesClient client, String namespace) {
        this.client = client;
        this.namespace = namespace;
        this.observations = new Observations(
                client,
                where -> client.resources(VirtualMachine.class)
                        .inNamespace(where)
                        .list()
                        .getItems());
        this.execution = new Execution(client);
        this.turns = thread.scheduleWithFixedDelay(this::turn, 0, 50, TimeUnit.MILLISECONDS);
    }

    static VolumeLoop start(KubernetesClient client, String namespace) {
        return new VolumeLoop(client, namespace);
    }

    /** The actions that were carried out, by their kinds. */
    List<String> done() {
        return List.copyOf(done);
    }

    private void turn() {
        try {
            client.resources(VolumeMigration.class)
                    .inNamespace(namespace)
                    .list()
                    .getItems()
                    .forEach(each -> turn(each.getMetadata().getName()));
        } catch (KubernetesClientException e) {
            log.warn("trying again", e);
        }
    }

    private void turn(String name) {
        var seen = observations.of(namespace, name);
        if (seen.isEmpty()) {
            return;
        }
        var migration = seen.get().migration();
        var decision = Decider.PROTOCOL.decide(seen.get(), SETTINGS, Instant.now());
        if (!Optional.ofNullable(migration.getStatus()).equals(Optional.of(decision.status()))
                && !(execution.record(migration, decision.status()) instanceof Execution.Outcome.Done)) {
            return;
        }
        decision.action().ifPresent(action -> {
            var outcome = execution.execute(namespace, action);
            log.info("{}: {}", action, outcome);
            if (outcome instanceof Execution.Outcome.Done) {
                done.add(action.getClass().getSimpleName());
            }
        });
    }

    /** Fails if a turn has: the loop stood still since. */
    @Override
    public void close() {
        if (turns.state() == Future.State.FAILED) {
            throw new AssertionError("the loop has a fault", turns.exceptionNow());
        }
        thread.shutdownNow();
    }
}
