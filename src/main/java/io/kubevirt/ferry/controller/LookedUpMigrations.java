package io.kubevirt.ferry.controller;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.kubevirt.ferry.admission.DirectedMigration;
import io.kubevirt.ferry.admission.Migrations;
import io.kubevirt.ferry.admission.VolumeMigrations;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import java.util.Optional;

/**
 * Looks up migrations in the cache, and asks the API server where the cache does not know one: a pod can be faster than
 * the watch. The term of a migration never changes, so what the cache has of it is as good as a live read. One for changed
 * volumes that has none takes the term of the VM's active VolumeMigration, which is always asked for.
 */
public final class LookedUpMigrations implements Migrations {
    private final Caches caches;
    private final VolumeMigrations volumeMigrations;
    private final KubernetesClient client;
    private final Deadline deadline;

    /**
     * @param deadline of a live read
     */
    public LookedUpMigrations(
            Caches caches, VolumeMigrations volumeMigrations, KubernetesClient client, Deadline deadline) {
        this.caches = caches;
        this.volumeMigrations = volumeMigrations;
        this.client = client;
        this.deadline = deadline;
    }

    @Override
    public Found find(String namespace, String name, String uid) {
        return cached(namespace, name, uid).map(this::found).orElseGet(() -> live(namespace, name, uid));
    }

    @Override
    public Optional<Found> known(String namespace, String name, String uid) {
        return cached(namespace, name, uid)
                .filter(migration -> !isOfItsVolumes(migration))
                .map(migration -> new Found.Migration(term(migration)));
    }

    private Optional<VirtualMachineInstanceMigration> cached(String namespace, String name, String uid) {
        return caches.migration(namespace, name).filter(migration -> hasUid(migration, uid));
    }

    private Found live(String namespace, String name, String uid) {
        Deadline.Outcome<VirtualMachineInstanceMigration> outcome =
                deadline.await(() -> client.resources(VirtualMachineInstanceMigration.class)
                        .inNamespace(namespace)
                        .withName(name)
                        .get());
        return switch (outcome) {
            case Deadline.Outcome.Answer<VirtualMachineInstanceMigration>(var migration) ->
                migration.filter(each -> hasUid(each, uid)).map(this::found).orElseGet(Found.None::new);
            case Deadline.Outcome.NoAnswer<VirtualMachineInstanceMigration>(String why) -> new Found.Unanswered(why);
        };
    }

    private Found found(VirtualMachineInstanceMigration migration) {
        if (!isOfItsVolumes(migration)) {
            return new Found.Migration(term(migration));
        }
        return switch (ofItsVolumes(migration)) {
            case VolumeMigrations.Found.Term(String json) -> new Found.Migration(Optional.of(json));
            case VolumeMigrations.Found.None() -> new Found.Migration(Optional.empty());
            case VolumeMigrations.Found.Unanswered(String why) -> new Found.Unanswered(why);
        };
    }

    private VolumeMigrations.Found ofItsVolumes(VirtualMachineInstanceMigration migration) {
        return Optional.ofNullable(migration.getSpec().vmiName())
                .map(vmi -> volumeMigrations.activeFor(migration.getMetadata().getNamespace(), vmi))
                .orElseGet(VolumeMigrations.Found.None::new);
    }

    /** Whether its term, if there is one, is that of a VolumeMigration. */
    private static boolean isOfItsVolumes(VirtualMachineInstanceMigration migration) {
        return migration.forChangedVolumes() && term(migration).isEmpty();
    }

    private static boolean hasUid(VirtualMachineInstanceMigration migration, String uid) {
        return migration.getMetadata().getUid().equals(uid);
    }

    private static Optional<String> term(VirtualMachineInstanceMigration migration) {
        return Optional.ofNullable(migration.getMetadata().getAnnotations())
                .map(annotations -> annotations.get(DirectedMigration.ANNOTATION));
    }
}
