package io.kubevirt.ferry.admission;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.kubevirt.ferry.fuzz.Fuzzer;
import io.kubevirt.ferry.placement.NodeMatcher;
import io.kubevirt.ferry.placement.NodeView;
import io.kubevirt.ferry.placement.TermReader;
import io.kubevirt.ferry.placement.TermReading;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/**
 * Judges random reviews, as they are and mutated: each gets an answer that an API server understands or one line that says
 * why there is none, and a pod may go afterwards where it might go before and its term lets it, nowhere else.
 */
public final class AdmissionFuzzer implements Fuzzer {
    private static final int BATCH = 1_000;
    private static final int MUTANTS = 4;
    private static final String REQUIRED = Widening.REQUIRED;

    /** Until then code is not compiled yet, and an answer says more of the JVM than of us. */
    private static final int WARM_UP = 5_000;

    private long answers;
    private long measured;
    private Duration slowest = Duration.ZERO;
    private long slowestSeed;

    @Override
    public String figures() {
        return "slowest of %,d answers %.1f ms (seed %d), after %,d to warm up"
                .formatted(measured, slowest.toNanos() / 1e6, slowestSeed, answers - measured);
    }

    @Override
    public int batch(long seed) {
        for (int i = 0; i < BATCH; i++) {
            RandomReview random = RandomReview.of(seed, i);
            byte[] sent = random.bytes();
            try {
                JsonNode response = answer(random, sent, seed)
                        .orElseThrow(() -> new AssertionError("a right review was refused unread"));
                switch (random.kind()) {
                    case POD -> checkPod(random, response);
                    case MIGRATION -> checkMigration(random, response);
                }
                var mutations = RandomReview.random(seed, -1 - i);
                for (int mutant = 0; mutant < MUTANTS; mutant++) {
                    sent = random.mutated(mutations);
                    byte[] bytes = sent;
                    answer(random, sent, seed).ifPresent(answered -> checkNarrower(random, bytes, answered));
                }
            } catch (AssertionError | RuntimeException | StackOverflowError e) {
                throw new AssertionError(
                        "seed %d, case %d: %s%n%s%n%s"
                                .formatted(seed, i, e, new String(sent, StandardCharsets.UTF_8), random.found()),
                        e);
            }
        }
        return BATCH * (1 + MUTANTS);
    }

    /** The response, which is a right one; empty where the review was refused unread. */
    private Optional<JsonNode> answer(RandomReview random, byte[] sent, long seed) {
        try {
            String body = timed(random.endpoint(), sent, seed);
            JsonNode answer = Reviews.JSON.readTree(body);
            check(answer.path("apiVersion").asText().equals("admission.k8s.io/v1"), "apiVersion");
            check(answer.path("kind").asText().equals("AdmissionReview"), "kind");
            JsonNode response = answer.path("response");
            check(response.path("uid").isTextual() && response.path("allowed").isBoolean(), "uid or allowed");
            check(!response.has("patch") || response.path("patchType").asText().equals("JSONPatch"), "patchType");
            boolean denied = !response.path("allowed").booleanValue();
            check(!denied || response.at("/status/code").intValue() == 422, "a denial without its code");
            check(!denied || !response.at("/status/message").asText().isBlank(), "a denial without a word");
            return Optional.of(response);
        } catch (MalformedReviewException e) {
            check(e.getMessage().lines().count() == 1 && e.getMessage().length() < 700, "a refusal of several lines");
            return Optional.empty();
        } catch (JsonProcessingException e) {
            throw new AssertionError("the answer is no JSON", e);
        }
    }

    /** Every exception but the one that stands for status 400 would be a 500: it escapes, and is found. */
    private String timed(AdmissionEndpoint endpoint, byte[] sent, long seed) {
        long start = System.nanoTime();
        try {
            return endpoint.answer(sent).body();
        } finally {
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            if (++answers > WARM_UP) {
                measured++;
                if (took.compareTo(slowest) > 0) {
                    slowest = took;
                    slowestSeed = seed;
                }
            }
        }
    }

    private static void checkPod(RandomReview random, JsonNode response) {
        JsonNode after = Widening.patched(random.object(), response);
        boolean allowed = response.path("allowed").booleanValue();
        switch (random.found()) {
            case Migrations.Found.Migration(Optional<String> text)
            when text.isPresent() -> {
                Optional<NodeSelectorTerm> term = valid(text.get());
                check(allowed == term.isPresent(), "denied, or not, against the term's being right");
                term.ifPresent(right -> checkNodes(random, after, NodeMatcher.of(right)));
                check(withoutAffinity(after).equals(withoutAffinity(random.object())), "more than affinity changed");
            }
            case Migrations.Found.Migration(Optional<String> ignored) ->
                check(allowed && after.equals(random.object()), "an ordinary migration's pod was touched");
            case Migrations.Found.None() ->
                check(allowed && after.equals(random.object()), "a pod of no migration was touched");
            case Migrations.Found.Unanswered(String ignored) -> {
                check(after.at("/spec/schedulingGates").size() == 1, "no gate");
                ((ObjectNode) after.at("/spec")).remove("schedulingGates");
                check(after.equals(random.object()), "more than a gate changed");
            }
        }
    }

    /** Afterwards the pod may go just to the nodes where it might go before and that the term matches. */
    private static void checkNodes(RandomReview random, JsonNode after, NodeMatcher term) {
        NodeMatcher before = Widening.matcher(random.object()).orElseThrow();
        NodeMatcher now = Widening.matcher(after).orElseThrow();
        for (NodeView node : random.nodes()) {
            boolean wanted = before.matches(node.name(), node.labels()) && term.matches(node.name(), node.labels());
            check(now.matches(node.name(), node.labels()) == wanted, "wrong for node " + node);
        }
    }

    private static void checkMigration(RandomReview random, JsonNode response) {
        JsonNode before = random.object();
        JsonNode after = Widening.patched(before, response);
        JsonNode field = before.at("/spec/" + DirectedMigration.FIELD);
        String text = after.path("metadata")
                .path("annotations")
                .path(DirectedMigration.ANNOTATION)
                .asText();
        if (!response.path("allowed").booleanValue()) {
            return;
        }
        check(!after.path("spec").has(DirectedMigration.FIELD), "the typed field is still there");
        NodeMatcher meant = NodeMatcher.of(valid(text).orElseThrow(() -> new AssertionError("a wrong term passed")));
        if (!field.isMissingNode()) {
            NodeMatcher asked = NodeMatcher.of(random.placement().term());
            for (NodeView node : random.nodes()) {
                check(
                        meant.matches(node.name(), node.labels()) == asked.matches(node.name(), node.labels()),
                        "the field was moved wrongly for " + node);
            }
        }
    }

    /** Whatever the review became on its way: the nodes of its object are no more afterwards. */
    private static void checkNarrower(RandomReview random, byte[] sent, JsonNode response) {
        if (response.has("patch")) {
            Widening.of(read(sent).at("/request/object"), response, random.nodes())
                    .ifPresent(wrong -> check(false, wrong));
        }
    }

    private static JsonNode withoutAffinity(JsonNode pod) {
        JsonNode copy = pod.deepCopy();
        if (copy.at(REQUIRED.substring(0, REQUIRED.lastIndexOf('/'))) instanceof ObjectNode node) {
            node.remove(REQUIRED.substring(REQUIRED.lastIndexOf('/') + 1));
        }
        if (copy.at("/spec/affinity/nodeAffinity").isEmpty() && copy.at("/spec/affinity") instanceof ObjectNode all) {
            all.remove("nodeAffinity");
        }
        if (copy.at("/spec/affinity").isEmpty() && copy.at("/spec") instanceof ObjectNode spec) {
            spec.remove("affinity");
        }
        return copy;
    }

    private static Optional<NodeSelectorTerm> valid(String text) {
        return TermReader.read("", text) instanceof TermReading.Valid(NodeSelectorTerm term)
                ? Optional.of(term)
                : Optional.empty();
    }

    private static JsonNode read(byte[] json) {
        try {
            // A byte that is no UTF-8 is another character, here as there.
            return Reviews.JSON.readTree(new String(json, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new AssertionError("answered what is no JSON", e);
        }
    }

    private static void check(boolean right, String wrong) {
        if (!right) {
            throw new AssertionError(wrong);
        }
    }

    @Override
    public void close() {}
}
