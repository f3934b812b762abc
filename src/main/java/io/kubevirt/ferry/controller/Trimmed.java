package io.kubevirt.ferry.controller;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.informers.cache.BasicItemStore;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import io.kubevirt.ferry.kubevirt.LauncherPod;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration.Status;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What caches keep of objects, of which a cluster has many: a launcher pod for each VM, some finished migrations for each.
 * What is left out is never looked at in a cache; nothing that is kept is written back whole.
 */
public final class Trimmed {
    private Trimmed() {}

    /** A store for launcher pods: of those that no migration made it keeps where they are. */
    public static ItemStore<LauncherPod> pods() {
        return new Store<>(Trimmed::pod);
    }

    /** A store for migrations: of those without a term it keeps that they have none. */
    public static ItemStore<VirtualMachineInstanceMigration> migrations() {
        return new Store<>(Trimmed::migration);
    }

    static ItemStore<Node> nodes() {
        return new Store<>(Trimmed::node);
    }

    static LauncherPod pod(LauncherPod whole) {
        LauncherPod pod = new LauncherPod();
        boolean target = whole.migrationUid().isPresent();
        pod.setMetadata(target ? marked(whole.getMetadata()) : named(whole.getMetadata()));
        pod.setSpec(target ? demands(whole) : where(whole.spec(), null));
        pod.setStatus(
                target && !whole.terminated()
                        ? whole.status()
                        : new LauncherPod.Status(whole.status().phase(), List.of()));
        return pod;
    }

    /** What the scheduler looks at; of a pod that is over, what tells whether it was where it should be. */
    private static LauncherPod.Spec demands(LauncherPod whole) {
        LauncherPod.Spec spec = whole.spec();
        @Nullable Affinity required = required(spec.affinity());
        return whole.terminated()
                ? where(spec, required)
                : new LauncherPod.Spec(
                        spec.nodeName(), required, spec.nodeSelector(), spec.tolerations(), spec.schedulingGates());
    }

    private static LauncherPod.Spec where(LauncherPod.Spec spec, @Nullable Affinity affinity) {
        return new LauncherPod.Spec(spec.nodeName(), affinity, Map.of(), List.of(), spec.schedulingGates());
    }

    /** The part that a term is ANDed into. */
    private static @Nullable Affinity required(@Nullable Affinity affinity) {
        if (affinity == null || affinity.getNodeAffinity() == null) {
            return null;
        }
        NodeSelector required = affinity.getNodeAffinity().getRequiredDuringSchedulingIgnoredDuringExecution();
        return new AffinityBuilder()
                .withNewNodeAffinity()
                .withRequiredDuringSchedulingIgnoredDuringExecution(required)
                .endNodeAffinity()
                .build();
    }

    static VirtualMachineInstanceMigration migration(VirtualMachineInstanceMigration whole) {
        VirtualMachineInstanceMigration migration = new VirtualMachineInstanceMigration();
        migration.setMetadata(marked(whole.getMetadata()));
        migration.setSpec(whole.getSpec());
        if (whole.getStatus() != null) {
            migration.setStatus(
                    MigrationReconciler.isDirected(whole) ? told(whole) : new Status(whole.phase(), null, List.of()));
        }
        return migration;
    }

    /** Of one that is over only our own condition stays: should it change, the others are read first. */
    private static Status told(VirtualMachineInstanceMigration whole) {
        if (!whole.finished()) {
            return whole.status();
        }
        List<JsonNode> own = whole.status().conditions().stream()
                .filter(condition -> condition.path("type").asText().equals(Placement.TYPE))
                .toList();
        return new Status(whole.phase(), whole.status().migrationState(), List.of(), own);
    }

    static Node node(Node whole) {
        Node node = new Node();
        node.setMetadata(new ObjectMetaBuilder(named(whole.getMetadata()))
                .withLabels(whole.getMetadata().getLabels())
                .build());
        node.setSpec(whole.getSpec());
        node.setStatus(whole.getStatus());
        return node;
    }

    private static ObjectMeta named(ObjectMeta whole) {
        return new ObjectMetaBuilder()
                .withName(whole.getName())
                .withNamespace(whole.getNamespace())
                .withUid(whole.getUid())
                .withResourceVersion(whole.getResourceVersion())
                .withCreationTimestamp(whole.getCreationTimestamp())
                .withDeletionTimestamp(whole.getDeletionTimestamp())
                .build();
    }

    /** With who controls it, and with KubeVirt's and our own labels and annotations: others can be as long as they like. */
    private static ObjectMeta marked(ObjectMeta whole) {
        return new ObjectMetaBuilder(named(whole))
                .withLabels(ofKubeVirt(whole.getLabels()))
                .withAnnotations(ofKubeVirt(whole.getAnnotations()))
                .withOwnerReferences(Objects.requireNonNullElse(whole.getOwnerReferences(), List.of()))
                .build();
    }

    private static Map<String, String> ofKubeVirt(@Nullable Map<String, String> marks) {
        return Optional.ofNullable(marks).orElse(Map.of()).entrySet().stream()
                .filter(mark -> mark.getKey().contains("kubevirt.io"))
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private static final class Store<T extends HasMetadata> extends BasicItemStore<T> {
        private final UnaryOperator<T> trim;

        Store(UnaryOperator<T> trim) {
            super(Cache::metaNamespaceKeyFunc);
            this.trim = trim;
        }

        @Override
        public T put(String key, T whole) {
            return super.put(key, trim.apply(whole));
        }
    }
}
