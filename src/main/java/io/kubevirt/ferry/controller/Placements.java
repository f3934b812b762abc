package io.kubevirt.ferry.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import io.kubevirt.ferry.patch.JsonPatch;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the condition {@value Placement#TYPE} of migrations, with an event for each change.
 *
 * <p>The list of conditions has no merge key and others write to it: each write is a JSON patch that tests the list that
 * was read.
 */
public final class Placements {
    private static final Logger log = LoggerFactory.getLogger(Placements.class);
    private static final String STATUS = "/status";
    private static final String CONDITIONS = STATUS + "/conditions";

    /** The words of a condition that stands may change this often: the scheduler's change with every node. */
    private static final Duration SAME_REASON = Duration.ofSeconds(10);

    private static final Duration AFTER_CONFLICT = Duration.ofSeconds(1);

    private final KubernetesClient client;
    private final Events events;
    private final Clock clock;
    private final MeterRegistry metrics;

    /** @param metrics count what is said, by reason */
    public Placements(KubernetesClient client, Events events, Clock clock, MeterRegistry metrics) {
        this.metrics = metrics;
        this.client = client;
        this.events = events;
        this.clock = clock;
    }

    /**
     * Sees to it that the condition says so. Where it does already nothing is written.
     *
     * @return when to come back, if it is too early to change the words, or others write at the same time
     */
    Optional<Duration> say(VirtualMachineInstanceMigration migration, Placement placement) {
        ArrayNode cached =
                JsonNodeFactory.instance.arrayNode().addAll(migration.status().conditions());
        Optional<ObjectNode> standing = standing(cached);
        if (standing.filter(condition -> says(condition, placement)).isPresent()) {
            return Optional.empty();
        }
        Optional<Duration> early = standing.flatMap(condition -> tooEarly(condition, placement));
        if (early.isPresent()) {
            return early;
        }
        boolean written =
                patch(migration, seen(migration, cached), placement) || patch(migration, live(migration), placement);
        if (written) {
            Counter.builder("ferry.placements")
                    .description("Changes of the condition TargetPlacement")
                    .tag("reason", placement.reason().name())
                    .register(metrics)
                    .increment();
            events.emit(migration, placement);
            return Optional.empty();
        }
        log.info(
                "the conditions of migration {}/{} changed while one was set; looking again in {} s",
                migration.getMetadata().getNamespace(),
                migration.getMetadata().getName(),
                AFTER_CONFLICT.toSeconds());
        return Optional.of(AFTER_CONFLICT);
    }

    /** The status as the cache has it: one that KubeVirt has not written yet is missing whole. */
    private static JsonNode seen(VirtualMachineInstanceMigration migration, ArrayNode conditions) {
        if (migration.getStatus() == null) {
            return MissingNode.getInstance();
        }
        ObjectNode status = JsonNodeFactory.instance.objectNode();
        return conditions.isEmpty() ? status : status.set("conditions", conditions);
    }

    /** Where the pod is does not change any more; how many other nodes qualified then is of no interest later. */
    private static boolean says(ObjectNode condition, Placement placement) {
        boolean sameReason = condition.path("status").asText().equals(placement.status())
                && condition.path("reason").asText().equals(placement.reason().name());
        String message = condition.path("message").asText();
        return sameReason
                && (message.equals(placement.message())
                        || (placement.reason() == Placement.Reason.TermApplied
                                && PodOnNode.agree(message, placement.message())));
    }

    private Optional<Duration> tooEarly(ObjectNode condition, Placement placement) {
        if (!condition.path("reason").asText().equals(placement.reason().name())) {
            return Optional.empty();
        }
        return untilWordsMayChange(condition, clock.instant());
    }

    static Optional<Duration> untilWordsMayChange(ObjectNode condition, Instant now) {
        Instant before;
        try {
            before = Instant.parse(condition.path("lastProbeTime").asText());
        } catch (DateTimeParseException e) {
            // Others may have written it: nobody knows when, so long ago.
            return Optional.empty();
        }
        Duration since = Duration.between(before, now);
        // A replica whose clock is ahead wrote it: the words must not stand until our clock has come that far.
        boolean early = !since.isNegative() && since.compareTo(SAME_REASON) < 0;
        return early ? Optional.of(SAME_REASON.minus(since)) : Optional.empty();
    }

    private static Optional<ObjectNode> standing(JsonNode conditions) {
        return position(conditions).stream()
                .mapToObj(i -> (ObjectNode) conditions.get(i))
                .findFirst();
    }

    private static java.util.OptionalInt position(JsonNode conditions) {
        return IntStream.range(0, conditions.size())
                .filter(i -> conditions.get(i).path("type").asText().equals(Placement.TYPE))
                .findFirst();
    }

    /** The status as it is now; missing if there is none. */
    private JsonNode live(VirtualMachineInstanceMigration migration) {
        return Live.read(
                        client,
                        "/apis/kubevirt.io/v1/namespaces/"
                                + migration.getMetadata().getNamespace() + "/virtualmachineinstancemigrations/"
                                + migration.getMetadata().getName())
                .map(whole -> whole.path("status"))
                .orElse(MissingNode.getInstance());
    }

    /** Whether the patch is in; not if the conditions are no longer those of that status. */
    private boolean patch(VirtualMachineInstanceMigration migration, JsonNode status, Placement placement) {
        JsonNode conditions = status.path("conditions");
        JsonPatch patch = JsonPatch.start()
                .test("/metadata/uid", TextNode.valueOf(migration.getMetadata().getUid()));
        ObjectNode condition = condition(standing(conditions), placement);
        if (status.isMissingNode()) {
            patch.test(STATUS, NullNode.getInstance())
                    .add(STATUS, JsonNodeFactory.instance.objectNode())
                    .add(CONDITIONS, JsonNodeFactory.instance.arrayNode().add(condition));
        } else if (conditions.isMissingNode()) {
            patch.test(CONDITIONS, NullNode.getInstance())
                    .add(CONDITIONS, JsonNodeFactory.instance.arrayNode().add(condition));
        } else {
            patch.test(CONDITIONS, conditions);
            position(conditions)
                    .ifPresentOrElse(
                            i -> patch.replace(CONDITIONS + "/" + i, condition),
                            () -> patch.add(CONDITIONS + "/-", condition));
        }
        try {
            VirtualMachineInstanceMigration ignored = client.resource(migration)
                    .subresource("status")
                    .patch(PatchContext.of(PatchType.JSON), patch.build().toString());
            return true;
        } catch (KubernetesClientException e) {
            if (Live.isStale(e)) {
                return false;
            }
            throw e;
        }
    }

    private ObjectNode condition(Optional<ObjectNode> before, Placement placement) {
        String now = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
        String since = before.filter(
                        condition -> condition.path("status").asText().equals(placement.status()))
                .map(condition -> condition.path("lastTransitionTime").asText(now))
                .orElse(now);
        return JsonNodeFactory.instance
                .objectNode()
                .put("type", Placement.TYPE)
                .put("status", placement.status())
                .put("reason", placement.reason().name())
                .put("message", placement.message())
                .put("lastProbeTime", now)
                .put("lastTransitionTime", since);
    }
}
