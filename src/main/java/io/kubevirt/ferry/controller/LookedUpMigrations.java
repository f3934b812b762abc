package io.kubevirt.ferry.controller;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.kubevirt.ferry.admission.DirectedMigration;
import io.kubevirt.ferry.admission.Migrations;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Looks up migrations in the cache, and asks the API server where the cache does not know one: a pod can be faster than
 * the watch. The term of a migration never changes, so what the cache has of it is as good as a live read.
 */
public final class LookedUpMigrations implements Migrations {
    private final Caches caches;
    private final KubernetesClient client;
    private final Executor executor;
    private final Duration deadline;

    /**
     * @param executor for live reads, each of which blocks a thread
     * @param deadline of a live read
     */
    public LookedUpMigrations(Caches caches, KubernetesClient client, Executor executor, Duration deadline) {
        this.caches = caches;
        this.client = client;
        this.executor = executor;
        this.deadline = deadline;
    }

    @Override
    public Found find(String namespace, String name, String uid) {
        Optional<Found> cached = caches.migration(namespace, name)
                .filter(migration -> migration.getMetadata().getUid().equals(uid))
                .map(LookedUpMigrations::found);
        return cached.orElseGet(() -> live(namespace, name, uid));
    }

    private Found live(String namespace, String name, String uid) {
        CompletableFuture<@Nullable VirtualMachineInstanceMigration> read = CompletableFuture.supplyAsync(
                () -> client.resources(VirtualMachineInstanceMigration.class)
                        .inNamespace(namespace)
                        .withName(name)
                        .get(),
                executor);
        try {
            @Nullable VirtualMachineInstanceMigration migration = read.get(deadline.toMillis(), TimeUnit.MILLISECONDS);
            return migration != null && uid.equals(migration.getMetadata().getUid())
                    ? found(migration)
                    : new Found.None();
        } catch (TimeoutException e) {
            read.cancel(true);
            return new Found.Unanswered("no answer within " + deadline);
        } catch (ExecutionException e) {
            return new Found.Unanswered(String.valueOf(e.getCause().getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Found.Unanswered("interrupted");
        }
    }

    private static Found found(VirtualMachineInstanceMigration migration) {
        Map<String, String> annotations =
                Optional.ofNullable(migration.getMetadata().getAnnotations()).orElse(Map.of());
        return new Found.Migration(Optional.ofNullable(annotations.get(DirectedMigration.ANNOTATION)));
    }
}
