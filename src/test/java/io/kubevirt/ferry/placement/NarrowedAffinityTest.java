package io.kubevirt.ferry.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Named.named;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class NarrowedAffinityTest {

    private static final String RACK_R7 = "{key: rack, operator: In, values: [r7]}";
    private static final String NO_GPU = "{key: gpu, operator: DoesNotExist}";
    private static final String NODE_1 = "{key: metadata.name, operator: In, values: [node-1]}";

    private static Affinity affinity(String yaml) {
        return Serialization.unmarshal("---\n" + yaml, Affinity.class);
    }

    private static Affinity required(String... terms) {
        return affinity("nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: ["
                + String.join(", ", terms) + "]}}");
    }

    private static NodeSelectorTerm term(String yaml) {
        return Serialization.unmarshal("---\n" + yaml, NodeSelectorTerm.class);
    }

    private static Arguments narrowing(String name, Affinity existing, String added, Affinity expected) {
        return arguments(named(name, existing), term(added), expected);
    }

    static Stream<Arguments> narrowed() {
        String added = "{matchExpressions: [" + RACK_R7 + "]}";
        return Stream.of(
                narrowing("no affinity", null, added, required(added)),
                narrowing("empty affinity", affinity("{}"), added, required(added)),
                narrowing("empty node affinity", affinity("nodeAffinity: {}"), added, required(added)),
                narrowing(
                        "one term",
                        required("{matchExpressions: [" + NO_GPU + "]}"),
                        added,
                        required("{matchExpressions: [" + NO_GPU + ", " + RACK_R7 + "]}")),
                narrowing(
                        "several terms, in their order",
                        required("{matchExpressions: [" + NO_GPU + "]}", "{matchFields: [" + NODE_1 + "]}"),
                        added,
                        required(
                                "{matchExpressions: [" + NO_GPU + ", " + RACK_R7 + "]}",
                                "{matchFields: [" + NODE_1 + "], matchExpressions: [" + RACK_R7 + "]}")),
                narrowing(
                        "expressions and fields",
                        required("{matchExpressions: [" + NO_GPU + "]}"),
                        "{matchExpressions: [" + RACK_R7 + "], matchFields: [" + NODE_1 + "]}",
                        required("{matchExpressions: [" + NO_GPU + ", " + RACK_R7 + "], matchFields: [" + NODE_1
                                + "]}")),
                narrowing(
                        "an empty term among others stays empty",
                        required("{}", "{matchExpressions: [" + NO_GPU + "]}"),
                        added,
                        required("{}", "{matchExpressions: [" + NO_GPU + ", " + RACK_R7 + "]}")),
                narrowing(
                        "a requirement that some terms have already",
                        required("{matchExpressions: [" + RACK_R7 + "]}", "{matchExpressions: [" + NO_GPU + "]}"),
                        added,
                        required(
                                "{matchExpressions: [" + RACK_R7 + "]}",
                                "{matchExpressions: [" + NO_GPU + ", " + RACK_R7 + "]}")),
                narrowing(
                        "requirements of which a term has the one and lacks the other",
                        required("{matchExpressions: [" + RACK_R7 + "]}"),
                        "{matchExpressions: [" + RACK_R7 + ", " + NO_GPU + "]}",
                        required("{matchExpressions: [" + RACK_R7 + ", " + NO_GPU + "]}")),
                narrowing(
                        "a requirement added twice",
                        required("{matchExpressions: [" + NO_GPU + "]}"),
                        "{matchExpressions: [" + RACK_R7 + ", " + RACK_R7 + "]}",
                        required("{matchExpressions: [" + NO_GPU + ", " + RACK_R7 + "]}")),
                narrowing(
                        "a requirement that differs in its values alone",
                        required("{matchExpressions: [{key: rack, operator: In, values: [r7, r8]}]}"),
                        added,
                        required("{matchExpressions: [{key: rack, operator: In, values: [r7, r8]}, " + RACK_R7 + "]}")),
                narrowing(
                        "requirements that contradict each other",
                        required("{matchExpressions: [{key: rack, operator: NotIn, values: [r7]}]}"),
                        added,
                        required("{matchExpressions: [{key: rack, operator: NotIn, values: [r7]}, " + RACK_R7 + "]}")),
                narrowing(
                        "a term that never matched",
                        required("{matchExpressions: [{key: rack, operator: Nope}]}"),
                        added,
                        required("{matchExpressions: [{key: rack, operator: Nope}, " + RACK_R7 + "]}")),
                narrowing("preferred terms and pod affinities, left as they were", affinity("""
                                nodeAffinity:
                                  preferredDuringSchedulingIgnoredDuringExecution:
                                  - {weight: 5, preference: {matchExpressions: [{key: a, operator: Exists}]}}
                                podAffinity:
                                  preferredDuringSchedulingIgnoredDuringExecution:
                                  - {weight: 5, podAffinityTerm: {topologyKey: zone}}
                                podAntiAffinity:
                                  requiredDuringSchedulingIgnoredDuringExecution:
                                  - {topologyKey: kubernetes.io/hostname}
                                """), added, affinity("""
                                nodeAffinity:
                                  preferredDuringSchedulingIgnoredDuringExecution:
                                  - {weight: 5, preference: {matchExpressions: [{key: a, operator: Exists}]}}
                                  requiredDuringSchedulingIgnoredDuringExecution:
                                    nodeSelectorTerms: [{matchExpressions: [{key: rack, operator: In, values: [r7]}]}]
                                podAffinity:
                                  preferredDuringSchedulingIgnoredDuringExecution:
                                  - {weight: 5, podAffinityTerm: {topologyKey: zone}}
                                podAntiAffinity:
                                  requiredDuringSchedulingIgnoredDuringExecution:
                                  - {topologyKey: kubernetes.io/hostname}
                                """)),
                narrowing(
                        "fields that this version does not know, at every level", affinity("""
                                new1: 1
                                nodeAffinity:
                                  new2: 2
                                  requiredDuringSchedulingIgnoredDuringExecution:
                                    new3: 3
                                    nodeSelectorTerms:
                                    - {new4: 4, matchExpressions: [{key: a, operator: Exists, new5: 5}]}
                                """), added, affinity("""
                                new1: 1
                                nodeAffinity:
                                  new2: 2
                                  requiredDuringSchedulingIgnoredDuringExecution:
                                    new3: 3
                                    nodeSelectorTerms:
                                    - new4: 4
                                      matchExpressions:
                                      - {key: a, operator: Exists, new5: 5}
                                      - {key: rack, operator: In, values: [r7]}
                                """)),
                narrowing(
                        "an added term that is empty and matches nothing",
                        required("{matchExpressions: [" + NO_GPU + "]}", "{}"),
                        "{}",
                        required("{}", "{}")),
                narrowing("an added term that is empty, and nothing required before", null, "{}", required("{}")));
    }

    @ParameterizedTest
    @MethodSource("narrowed")
    void isNarrowed(Affinity existing, NodeSelectorTerm added, Affinity expected) {
        String before = Serialization.asJson(existing) + Serialization.asJson(added);
        NarrowedAffinity narrowed = NarrowedAffinity.and(existing, added);
        assertThat(narrowed.affinity()).isEqualTo(expected);
        assertThat(narrowed.changed()).isTrue();
        assertThat(Serialization.asJson(existing) + Serialization.asJson(added)).isEqualTo(before);
    }

    static Stream<Arguments> unchanged() {
        String added = "{matchExpressions: [" + RACK_R7 + "]}";
        return Stream.of(
                arguments(named("only empty terms", required("{}", "{}")), term(added)),
                arguments(named("a selector without terms, which Kubernetes refuses", required()), term(added)),
                arguments(
                        named(
                                "a selector whose list of terms is missing",
                                affinity("nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {}}")),
                        term(added)),
                arguments(named("the term itself", required(added)), term(added)),
                arguments(
                        named(
                                "terms that have it all, in another order",
                                required("{matchFields: [" + NODE_1 + "], matchExpressions: [" + NO_GPU + ", " + RACK_R7
                                        + "]}")),
                        term("{matchExpressions: [" + RACK_R7 + ", " + NO_GPU + "], matchFields: [" + NODE_1 + "]}")),
                arguments(
                        named(
                                "an exists whose values are null",
                                required("{matchExpressions: [{key: gpu, operator: DoesNotExist, values: null}]}")),
                        term("{matchExpressions: [" + NO_GPU + "]}")));
    }

    @ParameterizedTest
    @MethodSource("unchanged")
    void isLeftAsItIs(Affinity existing, NodeSelectorTerm added) {
        NarrowedAffinity narrowed = NarrowedAffinity.and(existing, added);
        assertThat(narrowed.affinity()).isSameAs(existing);
        assertThat(narrowed.changed()).isFalse();
    }

    @Test
    void whoChangesTheAddedTermLaterDoesNotChangeTheResult() {
        NodeSelectorTerm added = term("{matchExpressions: [" + RACK_R7 + "]}");
        Affinity alone = NarrowedAffinity.and(null, added).affinity();
        Affinity appended = NarrowedAffinity.and(required("{matchExpressions: [" + NO_GPU + "]}"), added)
                .affinity();
        added.getMatchExpressions().getFirst().setValues(List.of("r8"));
        assertThat(Serialization.asJson(alone) + Serialization.asJson(appended)).doesNotContain("r8");
    }
}
