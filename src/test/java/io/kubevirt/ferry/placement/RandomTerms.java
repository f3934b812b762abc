package io.kubevirt.ferry.placement;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.NodeAffinity;
import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.PodAntiAffinity;
import io.fabric8.kubernetes.api.model.PreferredSchedulingTerm;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.Toleration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Random terms, affinities and nodes out of few keys and values, so that they meet often. */
final class RandomTerms {

    private static final List<String> OPERATORS = List.of("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt");
    private static final List<String> KEYS =
            List.of("rack", "zone", "cores", "example.com/gen", "kubernetes.io/hostname", "A_b.c-d");
    private static final List<String> VALUES =
            List.of("r1", "r2", "ssd", "", "5", "10", "007", "a.b_c-D", "true", "no", "null", "1e3");
    private static final List<String> INTEGERS = List.of("0", "5", "7", "007", "10", "9223372036854775807");
    private static final List<String> NAMES = List.of("node-1", "node-2", "node-3", "10.0.0.7", "a.example.com");

    private static final List<String> BAD_KEYS = List.of(
            "",
            "/",
            "/x",
            "a/",
            "a/b/c",
            "Upper.example/x",
            "bad key",
            "-a",
            "a-",
            ".a",
            "ключ",
            "x\n",
            "a..b/c",
            "_/a",
            "a".repeat(64),
            "a".repeat(254) + "/x",
            "x/" + "a".repeat(64),
            "a".repeat(500));
    private static final List<String> BAD_VALUES = List.of(
            "bad value",
            "-3",
            "+5",
            "a/b",
            "é",
            "a\n",
            "\n",
            "日本",
            "a-",
            "_a",
            "٣",
            "x\u0000y",
            "😀",
            "\uFFFD",
            "x".repeat(64),
            "x".repeat(300));
    private static final List<String> NOT_INTEGERS =
            List.of("ssd", "", "5.0", "1e3", "0x10", "9223372036854775808", "99999999999999999999", "1_0", "a5");
    private static final List<String> BAD_NAMES =
            List.of("", "Node-1", "node_1", "-node", "node-", "a..b", "node 1", "nöde", "a.", "n".repeat(254));
    private static final List<String> LABELS_OF_NODES = List.of(
            "r1",
            "r2",
            "ssd",
            "",
            "5",
            "6",
            "007",
            "11",
            "+5",
            "-3",
            "٣",
            "9223372036854775807",
            "9223372036854775808",
            "-9223372036854775808",
            "true",
            "日本",
            "1e3",
            "00000000000000000000000000000006");

    private static final List<String> TAINTS =
            List.of("gpu", "example.com/dedicated", "node.kubernetes.io/unschedulable", "node.kubernetes.io/not-ready");
    private static final List<String> EFFECTS = List.of("NoSchedule", "NoExecute", "PreferNoSchedule");
    private static final List<String> TOLERATION_OPERATORS = List.of("", "Equal", "Exists", "Gt", "Lt", "exists");

    private final RandomGenerator random;

    RandomTerms(RandomGenerator random) {
        this.random = random;
    }

    <T> T pick(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    /** Whether one of {@code n} came up. */
    boolean once(int n) {
        return random.nextInt(n) == 0;
    }

    /** A term that Kubernetes accepts and that can match: one requirement at least. */
    NodeSelectorTerm valid() {
        int expressions = random.nextInt(4);
        int fields = expressions == 0 ? 1 + random.nextInt(2) : random.nextInt(2);
        return new NodeSelectorTerm(list(expressions, this::expression), list(fields, this::field));
    }

    /** A term that is refused, though it decodes. */
    NodeSelectorTerm invalid() {
        NodeSelectorTerm term = valid();
        if (once(3)) {
            term.getMatchFields().add(random.nextInt(term.getMatchFields().size() + 1), badField());
        } else {
            term.getMatchExpressions()
                    .add(random.nextInt(term.getMatchExpressions().size() + 1), badExpression());
        }
        return term;
    }

    /** A term of the kind where implementations come apart. */
    NodeSelectorTerm edge() {
        return switch (random.nextInt(8)) {
            case 0 -> new NodeSelectorTerm();
            case 1 -> repeated();
            case 2 -> new NodeSelectorTerm(List.of(comparison()), new ArrayList<>());
            case 3 -> new NodeSelectorTerm(list(1, () -> requirement("absent", "NotIn", VALUES, 1)), new ArrayList<>());
            case 4 -> new NodeSelectorTerm(new ArrayList<>(), list(1 + random.nextInt(3), this::field));
            case 5 -> new NodeSelectorTerm(list(1, this::expression), list(1, this::field));
            case 6 ->
                new NodeSelectorTerm(list(1, () -> requirement(pick(KEYS), "In", BAD_VALUES, 2)), list(1, this::field));
            default -> lengthy();
        };
    }

    /** Any term at all. */
    NodeSelectorTerm any() {
        return switch (random.nextInt(3)) {
            case 0 -> edge();
            case 1 -> once(3) ? invalid() : valid();
            default -> valid();
        };
    }

    private NodeSelectorTerm repeated() {
        NodeSelectorTerm term = valid();
        term.getMatchExpressions().addAll(List.copyOf(term.getMatchExpressions()));
        term.getMatchFields().addAll(List.copyOf(term.getMatchFields()));
        term.getMatchExpressions()
                .forEach(requirement -> requirement
                        .getValues()
                        .addAll(
                                requirement.getOperator().endsWith("In")
                                        ? List.copyOf(requirement.getValues())
                                        : List.of()));
        return term;
    }

    private NodeSelectorTerm lengthy() {
        List<String> values = IntStream.range(0, 20 + random.nextInt(80))
                .mapToObj(i -> "value-" + i)
                .toList();
        var many = new NodeSelectorRequirement(pick(KEYS), pick(List.of("In", "NotIn")), new ArrayList<>(values));
        String longest = "x".repeat(once(10) ? 20_000 : 62 + random.nextInt(3));
        var one = new NodeSelectorRequirement(
                once(2) ? "rack" : "d".repeat(252 + random.nextInt(3)) + "/" + longest,
                "NotIn",
                new ArrayList<>(List.of(longest)));
        return new NodeSelectorTerm(new ArrayList<>(List.of(many, one)), new ArrayList<>());
    }

    private NodeSelectorRequirement comparison() {
        List<String> values = pick(List.of(INTEGERS, NOT_INTEGERS, BAD_VALUES));
        return requirement(pick(KEYS), pick(List.of("Gt", "Lt")), values, once(8) ? random.nextInt(3) : 1);
    }

    private NodeSelectorRequirement expression() {
        String operator = pick(OPERATORS);
        return switch (operator) {
            case "Exists", "DoesNotExist" -> requirement(pick(KEYS), operator, VALUES, 0);
            case "Gt", "Lt" -> requirement(pick(KEYS), operator, INTEGERS, 1);
            default -> requirement(pick(KEYS), operator, VALUES, 1 + random.nextInt(4));
        };
    }

    private NodeSelectorRequirement field() {
        return requirement("metadata.name", pick(List.of("In", "NotIn")), NAMES, 1);
    }

    private NodeSelectorRequirement badExpression() {
        return switch (random.nextInt(9)) {
            case 0 ->
                requirement(pick(KEYS), pick(List.of("", "in", "IN", "Equals", "=", "In ", "NotIn\n")), VALUES, 1);
            case 1 -> requirement(pick(KEYS), pick(List.of("In", "NotIn")), VALUES, 0);
            case 2 -> requirement(pick(KEYS), pick(List.of("Exists", "DoesNotExist")), VALUES, 1 + random.nextInt(2));
            case 3 -> requirement(pick(KEYS), pick(List.of("Gt", "Lt")), INTEGERS, once(2) ? 0 : 2);
            case 4 -> requirement(pick(KEYS), pick(List.of("Gt", "Lt")), NOT_INTEGERS, 1);
            case 5, 6 -> requirement(pick(BAD_KEYS), pick(List.of("In", "NotIn")), VALUES, 1);
            case 7 -> requirement(pick(KEYS), pick(OPERATORS), BAD_VALUES, 1);
            default -> requirement(pick(BAD_KEYS), "Nope", BAD_VALUES, 2);
        };
    }

    private NodeSelectorRequirement badField() {
        return switch (random.nextInt(4)) {
            case 0 -> requirement(pick(List.of("metadata.namespace", "", "metadata.Name", "rack")), "In", NAMES, 1);
            case 1 ->
                requirement("metadata.name", pick(List.of("Exists", "DoesNotExist", "Gt", "Lt", "in", "")), NAMES, 1);
            case 2 -> requirement("metadata.name", pick(List.of("In", "NotIn")), NAMES, once(2) ? 0 : 2);
            default -> requirement("metadata.name", pick(List.of("In", "NotIn")), BAD_NAMES, 1);
        };
    }

    private NodeSelectorRequirement requirement(String key, String operator, List<String> values, int count) {
        return new NodeSelectorRequirement(key, operator, list(count, () -> pick(values)));
    }

    private <T> List<T> list(int size, Supplier<T> item) {
        var list = new ArrayList<T>();
        for (int i = 0; i < size; i++) {
            list.add(item.get());
        }
        return list;
    }

    @Nullable Affinity affinity() {
        if (once(8)) {
            return null;
        }
        var affinity = new Affinity();
        if (once(2)) {
            affinity.setPodAntiAffinity(new PodAntiAffinity());
        }
        if (!once(8)) {
            affinity.setNodeAffinity(nodeAffinity());
        }
        return affinity;
    }

    private NodeAffinity nodeAffinity() {
        List<PreferredSchedulingTerm> preferred =
                list(random.nextInt(2), () -> new PreferredSchedulingTerm(valid(), 1 + random.nextInt(100)));
        NodeSelector required =
                once(6) ? null : new NodeSelector(list(once(20) ? 0 : 1 + random.nextInt(3), this::any));
        return new NodeAffinity(preferred, required);
    }

    List<Oracle.Node> nodes() {
        return list(4, this::node);
    }

    private Oracle.Node node() {
        Map<String, String> labels = new LinkedHashMap<>();
        for (String key : KEYS) {
            if (!once(4)) {
                labels.put(key, pick(once(2) ? VALUES : LABELS_OF_NODES));
            }
        }
        return new Oracle.Node(once(10) ? "" : pick(NAMES), labels, list(random.nextInt(3), this::taint), once(4));
    }

    private Taint taint() {
        return new Taint(pick(EFFECTS), pick(TAINTS), null, pick(List.of("", "true", "5")));
    }

    List<Toleration> tolerations() {
        return list(random.nextInt(4), this::toleration);
    }

    private Toleration toleration() {
        return new Toleration(
                once(2) ? null : pick(EFFECTS),
                once(4) ? null : pick(TAINTS),
                pick(TOLERATION_OPERATORS),
                null,
                once(2) ? null : pick(List.of("true", "5")));
    }

    Map<String, String> nodeSelector() {
        return once(2) ? Map.of() : Map.of(pick(KEYS), pick(VALUES));
    }
}
