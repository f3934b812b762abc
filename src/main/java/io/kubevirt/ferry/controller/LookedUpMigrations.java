package io.kubevirt.ferry.controller;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.kubevirt.ferry.admission.DirectedMigration;
import io.kubevirt.ferry.admission.Migrations;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import java.util.Optional;

/**
 * Looks up migrations in the cache, and asks the API server where the cache does not know one: a pod can be faster than
 * the watch. The term of a migration never changes, so what the cache has of it is as good as a live read.
 */
public final class LookedUpMigrations implements Migrations {
    private final Caches caches;
    private final KubernetesClient client;
    private final Deadline deadline;

    /**
     * @param deadline of a live read
     */
    public LookedUpMigrations(Caches caches, KubernetesClient client, Deadline deadline) {
        this.caches = caches;
        this.client = client;
        this.deadline = deadline;
    }

    @Override
    public Found find(String namespace, String name, String uid) {
        return known(namespace, name, uid).orElseGet(() -> live(namespace, name, uid));
    }

    @Override
    public Optional<Found> known(String namespace, String name, String uid) {
        return caches.migration(namespace, name)
                .filter(migration -> hasUid(migration, uid))
                .map(LookedUpMigrations::found);
    }

    private Found live(String namespace, String name, String uid) {
        Deadline.Outcome<VirtualMachineInstanceMigration> outcome =
                deadline.await(() -> client.resources(VirtualMachineInstanceMigration.class)
                        .inNamespace(namespace)
                        .withName(name)
                        .get());
        return switch (outcome) {
            case Deadline.Outcome.Answer<VirtualMachineInstanceMigration>(var migration) ->
                migration
                        .filter(each -> hasUid(each, uid))
                        .map(LookedUpMigrations::found)
                        .orElseGet(Found.None::new);
            case Deadline.Outcome.NoAnswer<VirtualMachineInstanceMigration>(String why) -> new Found.Unanswered(why);
        };
    }

    private static boolean hasUid(VirtualMachineInstanceMigration migration, String uid) {
        return migration.getMetadata().getUid().equals(uid);
    }

    private static Found found(VirtualMachineInstanceMigration migration) {
        return new Found.Migration(Optional.ofNullable(migration.getMetadata().getAnnotations())
                .map(annotations -> annotations.get(DirectedMigration.ANNOTATION)));
    }
}
