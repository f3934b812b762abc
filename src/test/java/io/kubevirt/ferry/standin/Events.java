package io.kubevirt.ferry.standin;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Kubernetes events in the background, in the order in which they are told, whichever component tells; the same said again
 * of the same object counts up the one that is there.
 */
final class Events implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Events.class);
    private static final int REMEMBERED = 4096;

    private record Said(String uid, String reason, String message) {}

    private final Cluster cluster;
    private final String component;
    private final AtomicLong number;
    private final Map<Said, Item> said = new LinkedHashMap<>();
    private final ExecutorService writer;

    Events(Cluster cluster, String component) {
        this(
                cluster,
                component,
                new AtomicLong(System.nanoTime()),
                Executors.newSingleThreadExecutor(
                        Thread.ofPlatform().name("standin-events").daemon().factory()));
    }

    private Events(Cluster cluster, String component, AtomicLong number, ExecutorService writer) {
        this.cluster = cluster;
        this.component = component;
        this.number = number;
        this.writer = writer;
    }

    /** Those of another component; they end with these. */
    Events of(String other) {
        return new Events(cluster, other, number, writer);
    }

    void normal(Item about, String reason, String message) {
        enqueue(about, "Normal", reason, message);
    }

    void warning(Item about, String reason, String message) {
        enqueue(about, "Warning", reason, message);
    }

    private void enqueue(Item about, String type, String reason, String message) {
        ObjectNode object = reference(about);
        try {
            writer.execute(() -> record(about, object, type, reason, message));
        } catch (RejectedExecutionException e) {
            LOG.debug("closed: {} {}", reason, message);
        }
    }

    private static ObjectNode reference(Item about) {
        return Item.object()
                .put("apiVersion", about.kind().apiVersion())
                .put("kind", about.kind().kind)
                .put("name", about.name())
                .put("namespace", about.namespace())
                .put("uid", about.uid())
                .put("resourceVersion", about.text("metadata", "resourceVersion"));
    }

    private void record(Item about, ObjectNode object, String type, String reason, String message) {
        Said key = new Said(about.uid(), reason, message);
        Item before = said.get(key);
        try {
            if (before == null) {
                said.put(key, cluster.create(event(about, object, type, reason, message)));
                if (said.size() > REMEMBERED) {
                    said.remove(said.keySet().iterator().next());
                }
            } else {
                Item again = before.copy();
                again.set(before.node("count").asInt() + 1, "count").set(Item.now(), "lastTimestamp");
                said.put(key, cluster.update(again));
            }
        } catch (KubernetesClientException e) {
            // The namespace goes away, or the event has expired: events may be lost.
            said.remove(key);
            LOG.debug("event {} {} of {}: {}", reason, message, about, e.getMessage());
        }
    }

    private Item event(Item about, ObjectNode object, String type, String reason, String message) {
        Item event =
                Item.of(Kind.EVENT, about.namespace(), about.name() + "." + Long.toHexString(number.incrementAndGet()));
        event.set(object, "involvedObject")
                .set(type, "type")
                .set(reason, "reason")
                .set(message, "message");
        event.set(component, "source", "component").set(1, "count");
        return event.set(Item.now(), "firstTimestamp").set(Item.now(), "lastTimestamp");
    }

    @Override
    public void close() {
        writer.shutdownNow();
    }
}
