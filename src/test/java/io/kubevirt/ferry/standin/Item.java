package io.kubevirt.ferry.standin;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A Kubernetes object as the JSON tree it is, so that nothing is lost that a model would not know.
 *
 * <p>What is not there reads as the empty string, the missing node or the empty list. A change is seen by whoever holds
 * the same item: take a {@link #copy()} first.
 */
final class Item {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private final Kind kind;
    private final ObjectNode tree;

    private Item(Kind kind, ObjectNode tree) {
        this.kind = kind;
        this.tree = tree;
    }

    static Item of(Kind kind, String namespace, String name) {
        Item item = new Item(kind, NODES.objectNode());
        item.set(kind.apiVersion(), "apiVersion");
        item.set(kind.kind, "kind");
        if (!name.isEmpty()) {
            item.set(name, "metadata", "name");
        }
        if (kind.namespaced) {
            item.set(namespace, "metadata", "namespace");
        }
        return item;
    }

    static Item of(Kind kind, JsonNode tree) {
        return new Item(kind, ((ObjectNode) tree).deepCopy());
    }

    static Item of(Kind kind, GenericKubernetesResource resource) {
        return new Item(kind, JSON.valueToTree(resource));
    }

    static JsonNode json(Object value) {
        return JSON.valueToTree(value);
    }

    static ObjectNode object() {
        return NODES.objectNode();
    }

    /** The present, as Kubernetes writes it: UTC, whole seconds. */
    static String now() {
        return Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    Item copy() {
        return new Item(kind, tree.deepCopy());
    }

    GenericKubernetesResource resource() {
        try {
            return JSON.treeToValue(tree, GenericKubernetesResource.class);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    Kind kind() {
        return kind;
    }

    ObjectNode tree() {
        return tree;
    }

    String name() {
        return text("metadata", "name");
    }

    String namespace() {
        return text("metadata", "namespace");
    }

    String key() {
        return namespace() + "/" + name();
    }

    String uid() {
        return text("metadata", "uid");
    }

    long version() {
        String version = text("metadata", "resourceVersion");
        return version.isEmpty() ? 0 : Long.parseLong(version);
    }

    long generation() {
        return node("metadata", "generation").asLong();
    }

    boolean deleting() {
        return has("metadata", "deletionTimestamp");
    }

    Instant created() {
        return Instant.parse(text("metadata", "creationTimestamp"));
    }

    String label(String key) {
        return text("metadata", "labels", key);
    }

    String annotation(String key) {
        return text("metadata", "annotations", key);
    }

    boolean annotated(String key) {
        return has("metadata", "annotations", key);
    }

    JsonNode node(String... path) {
        JsonNode at = tree;
        for (String step : path) {
            at = at.path(step);
        }
        return at.isNull() ? MissingNode.getInstance() : at;
    }

    boolean has(String... path) {
        return !node(path).isMissingNode();
    }

    String text(String... path) {
        return node(path).asText("");
    }

    boolean flag(String... path) {
        return node(path).asBoolean(false);
    }

    List<ObjectNode> list(String... path) {
        List<ObjectNode> found = new ArrayList<>();
        node(path).forEach(each -> {
            if (each instanceof ObjectNode object) {
                found.add(object);
            }
        });
        return found;
    }

    /** Sets a field, making the objects that lead to it; null takes it out. */
    Item set(@Nullable Object value, String... path) {
        ObjectNode at = parent(path);
        String last = path[path.length - 1];
        if (value == null) {
            at.remove(last);
        } else {
            at.set(last, JSON.valueToTree(value));
        }
        return this;
    }

    void remove(String... path) {
        JsonNode at = tree;
        for (int i = 0; i < path.length - 1; i++) {
            at = at.path(path[i]);
        }
        if (at instanceof ObjectNode object) {
            object.remove(path[path.length - 1]);
        }
    }

    /** Appends to a list, making it if missing. */
    void append(JsonNode value, String... path) {
        ObjectNode at = parent(path);
        at.withArray("/" + escaped(path[path.length - 1])).add(value);
    }

    private ObjectNode parent(String... path) {
        ObjectNode at = tree;
        for (int i = 0; i < path.length - 1; i++) {
            at = at.get(path[i]) instanceof ObjectNode next ? next : at.putObject(path[i]);
        }
        return at;
    }

    private static String escaped(String step) {
        return step.replace("~", "~0").replace("/", "~1");
    }

    Optional<ObjectNode> condition(String type) {
        return list("status", "conditions").stream()
                .filter(each -> type.equals(each.path("type").asText()))
                .findFirst();
    }

    boolean conditionIs(String type, String status) {
        return condition(type)
                .map(each -> status.equals(each.path("status").asText()))
                .orElse(false);
    }

    /** Sets a condition and its times, unless it says the same already; the transition time moves with the status. */
    void setCondition(String type, String status, String reason, String message) {
        Optional<ObjectNode> present = condition(type);
        if (present.isPresent()
                && present.get().path("status").asText().equals(status)
                && present.get().path("reason").asText().equals(reason)
                && present.get().path("message").asText().equals(message)) {
            return;
        }
        ObjectNode condition = present.orElseGet(() -> {
            ObjectNode added = object();
            append(added, "status", "conditions");
            return list("status", "conditions").getLast();
        });
        boolean moved = !condition.path("status").asText().equals(status);
        condition.put("type", type).put("status", status);
        putOrRemove(condition, "reason", reason);
        putOrRemove(condition, "message", message);
        if (moved) {
            condition.put("lastProbeTime", now()).put("lastTransitionTime", now());
        }
    }

    /** Sets a condition with the time of this change and no probe time, unless it says the same already. */
    void mark(String type, String status, String reason, String message) {
        ObjectNode condition = object().put("type", type).put("status", status);
        putOrRemove(condition, "reason", reason);
        putOrRemove(condition, "message", message);
        Optional<ObjectNode> present = condition(type);
        boolean same = present.isPresent()
                && present.get().path("status").equals(condition.path("status"))
                && present.get().path("reason").equals(condition.path("reason"))
                && present.get().path("message").equals(condition.path("message"));
        if (!same) {
            copyCondition(condition.put("lastTransitionTime", now()).putNull("lastProbeTime"));
        }
    }

    private static void putOrRemove(ObjectNode object, String field, String value) {
        if (value.isEmpty()) {
            object.remove(field);
        } else {
            object.put(field, value);
        }
    }

    /** Puts a condition of another object here, as it is there. */
    void copyCondition(ObjectNode condition) {
        dropCondition(condition.path("type").asText(), condition);
    }

    void dropCondition(String type) {
        dropCondition(type, null);
    }

    private void dropCondition(String type, @Nullable ObjectNode replacement) {
        ArrayNode kept = NODES.arrayNode();
        boolean placed = false;
        for (ObjectNode each : list("status", "conditions")) {
            if (!type.equals(each.path("type").asText())) {
                kept.add(each);
            } else if (replacement != null) {
                kept.add(replacement.deepCopy());
                placed = true;
            }
        }
        if (replacement != null && !placed) {
            kept.add(replacement.deepCopy());
        }
        set(kept.isEmpty() ? null : kept, "status", "conditions");
    }

    List<String> finalizers() {
        List<String> found = new ArrayList<>();
        node("metadata", "finalizers").forEach(each -> found.add(each.asText()));
        return found;
    }

    void addFinalizer(String finalizer) {
        append(NODES.textNode(finalizer), "metadata", "finalizers");
    }

    void removeFinalizer(String finalizer) {
        List<String> left = finalizers();
        left.remove(finalizer);
        set(left.isEmpty() ? null : left, "metadata", "finalizers");
    }

    boolean isControlledBy(Item owner) {
        return list("metadata", "ownerReferences").stream()
                .anyMatch(each -> each.path("controller").asBoolean()
                        && each.path("uid").asText().equals(owner.uid()));
    }

    void setController(Item owner) {
        ObjectNode reference = object();
        reference
                .put("apiVersion", owner.kind().apiVersion())
                .put("kind", owner.kind().kind)
                .put("name", owner.name())
                .put("uid", owner.uid())
                .put("controller", true)
                .put("blockOwnerDeletion", true);
        append(reference, "metadata", "ownerReferences");
    }

    /** Records when a phase was entered, once per phase and only if it is another than before. */
    void enterPhase(String phase) {
        if (text("status", "phase").equals(phase)) {
            return;
        }
        set(phase, "status", "phase");
        append(
                object().put("phase", phase).put("phaseTransitionTimestamp", now()),
                "status",
                "phaseTransitionTimestamps");
    }

    boolean sameAs(Item other, String... path) {
        return Objects.equals(node(path), other.node(path));
    }

    @Override
    public String toString() {
        return kind.kind + " " + key();
    }
}
