package io.kubevirt.ferry.placement;

import static java.util.stream.Collectors.toCollection;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.NodeAffinity;
import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.Toleration;
import io.kubevirt.ferry.placement.Oracle.Answer;
import io.kubevirt.ferry.placement.Oracle.Decoding;
import io.kubevirt.ferry.placement.Oracle.Judgement;
import io.kubevirt.ferry.placement.Oracle.Node;
import io.kubevirt.ferry.placement.Oracle.Places;
import io.kubevirt.ferry.placement.Oracle.Pod;
import io.kubevirt.ferry.placement.Oracle.Question;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One case with all that is asked of Kubernetes about it. */
record Asked(RandomCase random, NarrowedAffinity narrowed) {

    static Asked of(RandomCase random) {
        return new Asked(random, NarrowedAffinity.and(random.existing(), random.term()));
    }

    Question question() {
        var term = new NodeAffinity(List.of(), new NodeSelector(List.of(random.term())));
        return new Question(
                random.text(),
                random.term(),
                List.of(
                        Pod.with(random.existing()),
                        Pod.with(new Affinity(term, null, null)),
                        Pod.with(narrowed.affinity()),
                        new Pod(narrowed.affinity().getNodeAffinity(), random.nodeSelector(), tolerations())),
                random.nodes());
    }

    /** The pod's own and those that Kubernetes gives every pod. */
    private List<Toleration> tolerations() {
        var all = new ArrayList<>(random.tolerations());
        for (String taint : List.of("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")) {
            all.add(new Toleration("NoExecute", taint, "Exists", 300L, null));
        }
        return all;
    }

    /** What is answered otherwise here than by Kubernetes; empty if nothing is. */
    List<String> differences(Answer answer) {
        Decoding text = Objects.requireNonNull(answer.text());
        Judgement term = Objects.requireNonNull(answer.term());
        Places before = answer.pods().get(0);
        Places alone = answer.pods().get(1);
        Places after = answer.pods().get(2);
        return Stream.of(
                        reading(text),
                        text.term() == null ? Optional.<String>empty() : validation(text.term(), text.judgement()),
                        validation(random.term(), term),
                        matching("the affinity", NodeMatcher.ofRequired(random.existing()), before),
                        matching("the term", NodeMatcher.of(random.term()), alone),
                        matching("the AND", NodeMatcher.ofRequired(narrowed.affinity()), after),
                        conjunction(before, alone, after),
                        soundness(term, before, after),
                        obstacles(random.existing(), answer.pods().get(3)),
                        obstacles(narrowed.affinity(), answer.pods().get(3)))
                .flatMap(Optional::stream)
                .toList();
    }

    private Optional<String> reading(Decoding theirs) {
        TermReading ours = TermReader.read("", random.text());
        boolean accepted = theirs.isAccepted();
        return switch (ours) {
            case TermReading.Valid(var term)
            when !accepted -> Optional.of("read as " + term + ", but Kubernetes says " + theirs);
            case TermReading.Valid(var term)
            when !term.equals(theirs.term()) -> Optional.of("read as " + term + ", by Kubernetes as " + theirs.term());
            case TermReading.Invalid(var errors)
            when accepted && !mayBeRefused(theirs, errors) ->
                Optional.of("refused, " + errors + ", but Kubernetes reads " + theirs.term());
            case TermReading.Valid _, TermReading.Invalid _ -> Optional.empty();
        };
    }

    /**
     * Whether a text that Kubernetes reads may be refused here: for a null in values, which Kubernetes takes for the empty
     * text, and where characters were mangled into what is YAML to one parser and not to another.
     */
    private boolean mayBeRefused(Decoding theirs, List<FieldError> errors) {
        return (random.mangled() && theirs.yaml())
                || errors.stream().allMatch(error -> error.message().startsWith("must be a text, not null"));
    }

    private static Optional<String> validation(NodeSelectorTerm term, Judgement theirs) {
        Set<String> wanted = wantedErrors(theirs);
        List<FieldError> errors = TermValidation.validate("", term);
        Set<String> actual = errors.stream()
                .map(error -> error.field() + " " + type(error.message()))
                .collect(toCollection(TreeSet::new));
        if (!actual.equals(wanted)) {
            return Optional.of(term + " has " + errors + ", but Kubernetes says " + wanted);
        }
        return errors.isEmpty() && !theirs.parsing().isEmpty()
                ? Optional.of(term + " is right, but the scheduler says " + theirs.parsing())
                : Optional.empty();
    }

    /** The API server's errors, and the scheduler's about integers where the number of values is right. */
    private static Set<String> wantedErrors(Judgement theirs) {
        Set<String> wanted = new TreeSet<>();
        theirs.validation().forEach(error -> wanted.add(error.field() + " " + error.type()));
        for (Oracle.Problem error : theirs.parsing()) {
            String field = error.field().replace("nodeSelectorTerms[0].", "");
            String values = field.replaceFirst("\\[\\d+]$", "");
            if (error.detail().contains("must be an integer") && !wanted.contains(values + " FieldValueRequired")) {
                wanted.add(field + " FieldValueInvalid");
            }
        }
        return wanted;
    }

    private static String type(String message) {
        if (message.startsWith("must have")) {
            return "FieldValueRequired";
        }
        return message.startsWith("must be left out") ? "FieldValueForbidden" : "FieldValueInvalid";
    }

    private Optional<String> matching(String what, NodeMatcher matcher, Places theirs) {
        List<Boolean> ours = new ArrayList<>();
        for (Node node : random.nodes()) {
            ours.add(matcher.matches(node.name(), node.labels()));
        }
        return ours.equals(theirs.matches())
                ? Optional.empty()
                : Optional.of(what + " matches " + ours + ", by Kubernetes " + theirs.matches());
    }

    /** Accepted afterwards are just the nodes accepted before that match the term. */
    private static Optional<String> conjunction(Places before, Places term, Places after) {
        List<Boolean> both = new ArrayList<>();
        for (int i = 0; i < after.matches().size(); i++) {
            both.add(before.matches().get(i) && term.matches().get(i));
        }
        return both.equals(after.matches())
                ? Optional.empty()
                : Optional.of("the AND of " + before.matches() + " and " + term.matches() + " is " + after.matches());
    }

    /** Kubernetes accepts the AND if it accepts the affinity and the term. */
    private static Optional<String> soundness(Judgement term, Places before, Places after) {
        return term.validation().isEmpty()
                        && before.validation().isEmpty()
                        && !after.validation().isEmpty()
                ? Optional.of("the AND is refused: " + after.validation())
                : Optional.empty();
    }

    private static Map<String, String> withKubeVirt(Map<String, String> labels) {
        var all = new HashMap<>(labels);
        all.put(NodeRules.FOR_MACHINES, "true");
        return all;
    }

    /** Nothing is said against just the nodes that the scheduler would take, whichever affinity one goes by. */
    private Optional<String> obstacles(@Nullable Affinity affinity, Places theirs) {
        var rules = NodeRules.of(new Demands(
                random.term(),
                random.nodeSelector(),
                Optional.ofNullable(affinity),
                random.tolerations(),
                Optional.empty()));
        for (int i = 0; i < random.nodes().size(); i++) {
            Node node = random.nodes().get(i);
            List<Obstacle> obstacles = rules.obstacles(
                    new NodeView(node.name(), withKubeVirt(node.labels()), node.taints(), node.unschedulable(), true));
            if (obstacles.isEmpty()
                    != (theirs.matches().get(i) && theirs.tolerated().get(i))) {
                return Optional.of("on " + node + " there is " + obstacles + ", for Kubernetes " + theirs);
            }
        }
        return Optional.empty();
    }
}
