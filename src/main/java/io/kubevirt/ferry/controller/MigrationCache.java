package io.kubevirt.ferry.controller;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.Cache;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** The migrations that the controllers' watch has seen, for whoever must be quick. Empty until a watch is followed. */
public final class MigrationCache {
    private final AtomicReference<Optional<Cache<VirtualMachineInstanceMigration>>> source =
            new AtomicReference<>(Optional.empty());

    void follow(Cache<VirtualMachineInstanceMigration> cache) {
        source.set(Optional.of(cache));
    }

    Optional<VirtualMachineInstanceMigration> get(String namespace, String name) {
        return source.get().flatMap(cache -> cache.get(new ResourceID(name, namespace)));
    }
}
