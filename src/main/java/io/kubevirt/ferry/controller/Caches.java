package io.kubevirt.ferry.controller;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.Cache;
import io.javaoperatorsdk.operator.processing.event.source.IndexerResourceCache;
import io.kubevirt.ferry.admission.TypedField;
import io.kubevirt.ferry.kubevirt.LauncherPod;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import io.kubevirt.ferry.placement.NodeView;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * What the controllers' watches have seen, on every replica, for whoever must be quick: migrations, launcher pods, nodes
 * and KubeVirt's definition of migrations. Each part is empty until its watch is followed.
 */
public final class Caches {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String BY_MIGRATION = "migration-uid";

    private volatile Optional<Cache<VirtualMachineInstanceMigration>> migrations = Optional.empty();
    private volatile Optional<IndexerResourceCache<LauncherPod>> pods = Optional.empty();
    private volatile Optional<Cache<Node>> nodes = Optional.empty();
    private volatile Optional<Cache<CustomResourceDefinition>> definitions = Optional.empty();

    void followMigrations(Cache<VirtualMachineInstanceMigration> cache) {
        migrations = Optional.of(cache);
    }

    void followNodes(Cache<Node> cache) {
        nodes = Optional.of(cache);
    }

    void followDefinitions(Cache<CustomResourceDefinition> cache) {
        definitions = Optional.of(cache);
    }

    void followPods(IndexerResourceCache<LauncherPod> cache) {
        cache.addIndexers(Map.<String, Function<LauncherPod, List<String>>>of(
                BY_MIGRATION, pod -> pod.migrationUid().stream().toList()));
        pods = Optional.of(cache);
    }

    Optional<VirtualMachineInstanceMigration> migration(String namespace, String name) {
        return migrations.flatMap(cache -> cache.get(new ResourceID(name, namespace)));
    }

    Optional<LauncherPod> pod(String namespace, String name) {
        return pods.flatMap(cache -> cache.get(new ResourceID(name, namespace)));
    }

    /** Each pod that may be the one that virt-controller made for a migration. */
    List<LauncherPod> targetPods(VirtualMachineInstanceMigration migration) {
        return pods.map(cache -> TargetPods.of(
                        migration,
                        cache.byIndex(BY_MIGRATION, migration.getMetadata().getUid())))
                .orElse(List.of());
    }

    List<NodeView> nodes() {
        return nodes.map(Cache::list).orElseGet(Stream::of).map(NodeView::of).toList();
    }

    /** Whether KubeVirt's definition of migrations has a field of the typed field's name that is not ours. */
    boolean fieldIsKubeVirts() {
        return definitions
                .flatMap(cache -> cache.get(new ResourceID(TypedField.DEFINITION)))
                .filter(definition -> TypedField.in(JSON.valueToTree(definition)) == TypedField.Presence.KUBEVIRTS)
                .isPresent();
    }
}
