package io.kubevirt.ferry.standin;

import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.net.HttpURLConnection;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * What the watches have shown, and the writes.
 *
 * <p>What a write answered counts as seen. Every write of an object that was read carries its resourceVersion: if
 * somebody was faster, it fails with a conflict.
 */
final class Cluster implements AutoCloseable {

    private static final int REMEMBERED_DELETIONS = 10_000;

    private final KubernetesClient client;
    private final Map<Kind, Map<String, Item>> seen = new EnumMap<>(Kind.class);
    private final Map<Kind, List<Consumer<Item>>> listeners = new EnumMap<>(Kind.class);
    private final List<SharedIndexInformer<GenericKubernetesResource>> informers = new ArrayList<>();
    private final Set<Kind> watched = EnumSet.noneOf(Kind.class);

    /** By UID, the newest version that all listeners have been told of. */
    private final Map<String, Long> told = new ConcurrentHashMap<>();

    /** By UID, what was asked to go and has not been seen going. */
    private final Map<String, Item> going = new ConcurrentHashMap<>();

    private final Set<String> gone = Collections.synchronizedSet(Collections.newSetFromMap(new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > REMEMBERED_DELETIONS;
        }
    }));

    Cluster(KubernetesClient client) {
        this.client = client;
        for (Kind kind : Kind.values()) {
            seen.put(kind, new ConcurrentHashMap<>());
            listeners.put(kind, new CopyOnWriteArrayList<>());
        }
    }

    /** Calls back on each event of this kind, deletions included; what it shows is in {@link #find} by then. */
    void on(Kind kind, Consumer<Item> listener) {
        listeners.get(kind).add(listener);
    }

    /** Starts watching, and returns when everything there is has been seen. */
    void watch(Kind... kinds) {
        for (Kind kind : kinds) {
            SharedIndexInformer<GenericKubernetesResource> informer = client.genericKubernetesResources(kind.context())
                    .inAnyNamespace()
                    .runnableInformer(0);
            informers.add(informer);
            watched.add(kind);
            // The storage of a definition that was just made may not answer yet.
            informer.exceptionHandler((running, failure) -> true);
            informer.addEventHandler(new ResourceEventHandler<>() {
                @Override
                public void onAdd(GenericKubernetesResource added) {
                    show(Item.of(kind, added));
                }

                @Override
                public void onUpdate(GenericKubernetesResource before, GenericKubernetesResource after) {
                    show(Item.of(kind, after));
                }

                @Override
                public void onDelete(GenericKubernetesResource last, boolean unknown) {
                    bury(Item.of(kind, last));
                }
            });
            informer.run();
        }
    }

    private void show(Item item) {
        remember(item);
        tell(item);
        told.merge(item.uid(), item.version(), Math::max);
        if (item.deleting()) {
            going.remove(item.uid());
        }
    }

    private void bury(Item item) {
        gone.add(item.uid());
        seen.get(item.kind())
                .computeIfPresent(item.key(), (key, known) -> known.uid().equals(item.uid()) ? null : known);
        tell(item);
        told.remove(item.uid());
        going.remove(item.uid());
    }

    /** Whether the watches have shown, in this namespace, all that was written here. */
    boolean hasShownItsWrites(String namespace) {
        return going.values().stream().noneMatch(item -> item.namespace().equals(namespace))
                && watched.stream()
                        .flatMap(kind -> seen.get(kind).values().stream())
                        .filter(item -> item.namespace().equals(namespace))
                        .allMatch(this::hasShown);
    }

    private boolean hasShown(Item item) {
        return told.getOrDefault(item.uid(), 0L) >= item.version();
    }

    /** Whether the watches have shown all that is in this namespace, whoever wrote it. Reads past them. */
    boolean hasShownAll(String namespace) {
        return watched.stream().filter(kind -> kind.namespaced).allMatch(kind -> {
            List<Item> present = get(kind, namespace);
            Set<String> uids = present.stream().map(Item::uid).collect(Collectors.toSet());
            return present.stream().allMatch(this::hasShown)
                    && list(kind, namespace).stream().allMatch(item -> uids.contains(item.uid()));
        });
    }

    private void tell(Item item) {
        listeners.get(item.kind()).forEach(listener -> listener.accept(item));
    }

    private Item remember(Item item) {
        if (!gone.contains(item.uid())) {
            seen.get(item.kind()).merge(item.key(), item, (known, fresh) -> {
                boolean older = known.uid().equals(fresh.uid()) && known.version() >= fresh.version();
                return older ? known : fresh;
            });
        }
        return item;
    }

    /** A copy of the object, if the watches have shown it. */
    Optional<Item> find(Kind kind, String namespace, String name) {
        return find(kind, namespace + "/" + name);
    }

    Optional<Item> find(Kind kind, String key) {
        return Optional.ofNullable(seen.get(kind).get(key)).map(Item::copy);
    }

    List<Item> list(Kind kind) {
        return seen.get(kind).values().stream().map(Item::copy).toList();
    }

    List<Item> list(Kind kind, String namespace) {
        return seen.get(kind).values().stream()
                .filter(item -> item.namespace().equals(namespace))
                .map(Item::copy)
                .toList();
    }

    /** The launcher pods of a VMI, in whatever state. */
    List<Item> launchersOf(Item vmi) {
        return seen.get(Kind.POD).values().stream()
                .filter(pod -> pod.label(Names.CREATED_BY).equals(vmi.uid()))
                .map(Item::copy)
                .toList();
    }

    /** Reads past the watches. */
    Optional<Item> get(Kind kind, String namespace, String name) {
        GenericKubernetesResource found = resource(kind, namespace, name).get();
        return Optional.ofNullable(found).map(resource -> Item.of(kind, resource));
    }

    /** Lists past the watches. */
    List<Item> get(Kind kind, String namespace) {
        return client.genericKubernetesResources(kind.context()).inNamespace(namespace).list().getItems().stream()
                .map(resource -> Item.of(kind, resource))
                .toList();
    }

    Item create(Item item) {
        return remember(Item.of(item.kind(), client.resource(item.resource()).create()));
    }

    Item update(Item item) {
        return remember(Item.of(item.kind(), client.resource(item.resource()).update()));
    }

    Item updateStatus(Item item) {
        return remember(Item.of(item.kind(), client.resource(item.resource()).updateStatus()));
    }

    Item patch(Item item, String jsonPatch) {
        return remember(Item.of(
                item.kind(),
                resource(item.kind(), item.namespace(), item.name())
                        .patch(PatchContext.of(PatchType.JSON), jsonPatch)));
    }

    void delete(Item item) {
        delete(item, -1);
    }

    /** Takes the object away as it is: of pods, what a kubelet does when the containers are gone. */
    void deleteAtOnce(Item item) {
        delete(item, 0);
    }

    private void delete(Item item, long gracePeriod) {
        Resource<GenericKubernetesResource> resource = resource(item.kind(), item.namespace(), item.name());
        going.put(item.uid(), item);
        try {
            var _ = gracePeriod < 0
                    ? resource.withPropagationPolicy(DeletionPropagation.BACKGROUND)
                            .delete()
                    : resource.withGracePeriod(gracePeriod).delete();
            // It may have been seen going before, or in between.
            if (find(item.kind(), item.key()).filter(each -> !each.deleting()).isEmpty()) {
                going.remove(item.uid());
            }
        } catch (KubernetesClientException e) {
            going.remove(item.uid());
            if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
                throw e;
            }
        }
    }

    private Resource<GenericKubernetesResource> resource(Kind kind, String namespace, String name) {
        var all = client.genericKubernetesResources(kind.context());
        return kind.namespaced ? all.inNamespace(namespace).withName(name) : all.withName(name);
    }

    @Override
    public void close() {
        informers.forEach(SharedIndexInformer::close);
    }
}
