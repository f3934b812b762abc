package io.kubevirt.ferry.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.NodeAffinity;
import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** What holds of the AND for any affinity and any term, right ones and wrong ones. */
class NarrowedAffinityLawsTest {

    /** An affinity, maybe none, and a term. */
    record Inputs(Optional<Affinity> existing, NodeSelectorTerm added, List<Oracle.Node> nodes) {

        NarrowedAffinity and() {
            return NarrowedAffinity.and(existing.orElse(null), added);
        }
    }

    @Provide
    Arbitrary<Inputs> inputs() {
        return Arbitraries.randoms().map(java -> {
            var random = new RandomTerms(new SplittableRandom(java.nextLong()));
            return new Inputs(Optional.ofNullable(random.affinity()), random.any(), random.nodes());
        });
    }

    private static Optional<NodeAffinity> node(Optional<Affinity> affinity) {
        return affinity.map(Affinity::getNodeAffinity);
    }

    private static Optional<NodeSelector> required(Optional<Affinity> affinity) {
        return node(affinity).map(NodeAffinity::getRequiredDuringSchedulingIgnoredDuringExecution);
    }

    private static List<NodeSelectorTerm> terms(NarrowedAffinity narrowed) {
        return required(Optional.of(narrowed.affinity())).orElseThrow().getNodeSelectorTerms();
    }

    @Property
    void acceptedAfterwardsAreJustTheNodesAcceptedBeforeThatMatchTheTerm(@ForAll("inputs") Inputs inputs) {
        NodeMatcher before = NodeMatcher.ofRequired(inputs.existing().orElse(null));
        NodeMatcher term = NodeMatcher.of(inputs.added());
        NodeMatcher after = NodeMatcher.ofRequired(inputs.and().affinity());
        assertThat(inputs.nodes())
                .allSatisfy(node -> assertThat(after.matches(node.name(), node.labels()))
                        .isEqualTo(before.matches(node.name(), node.labels())
                                && term.matches(node.name(), node.labels())));
    }

    @Property
    void doingItTwiceChangesNothing(@ForAll("inputs") Inputs inputs) {
        Affinity once = inputs.and().affinity();
        assertThat(NarrowedAffinity.and(once, inputs.added())).isEqualTo(new NarrowedAffinity(once, false));
    }

    @Property
    void itSaysThatItChangedJustWhenItDid(@ForAll("inputs") Inputs inputs) {
        assertThat(inputs.and().changed())
                .isEqualTo(!inputs.existing().equals(Optional.of(inputs.and().affinity())));
    }

    @Property
    void theOrderOfTermsAndTheirRequirementsIsKept(@ForAll("inputs") Inputs inputs) {
        List<NodeSelectorTerm> before = required(inputs.existing())
                .map(NodeSelector::getNodeSelectorTerms)
                .orElse(List.of(inputs.added()));
        List<NodeSelectorTerm> after = terms(inputs.and());
        assertThat(after).hasSameSizeAs(before);
        for (int i = 0; !Requirements.none(inputs.added()) && i < before.size(); i++) {
            assertStartsWith(after.get(i).getMatchExpressions(), before.get(i).getMatchExpressions());
            assertStartsWith(after.get(i).getMatchFields(), before.get(i).getMatchFields());
        }
    }

    private static void assertStartsWith(List<NodeSelectorRequirement> after, List<NodeSelectorRequirement> before) {
        assertThat(after.subList(0, before.size())).isEqualTo(before);
    }

    @Property
    void eachTermGetsWhatItLacksAndNothingElse(@ForAll("inputs") Inputs inputs) {
        List<NodeSelectorTerm> before = required(inputs.existing())
                .map(NodeSelector::getNodeSelectorTerms)
                .orElse(List.of());
        for (int i = 0; !Requirements.none(inputs.added()) && i < before.size(); i++) {
            if (Requirements.none(before.get(i))) {
                assertThat(terms(inputs.and()).get(i)).isEqualTo(before.get(i));
                continue;
            }
            assertAppended(
                    terms(inputs.and()).get(i).getMatchExpressions(),
                    before.get(i).getMatchExpressions(),
                    inputs.added().getMatchExpressions());
            assertAppended(
                    terms(inputs.and()).get(i).getMatchFields(),
                    before.get(i).getMatchFields(),
                    inputs.added().getMatchFields());
        }
    }

    private static void assertAppended(
            List<NodeSelectorRequirement> after,
            List<NodeSelectorRequirement> before,
            List<NodeSelectorRequirement> added) {
        assertThat(after).containsAll(added);
        assertThat(after.subList(before.size(), after.size()))
                .doesNotHaveDuplicates()
                .noneMatch(before::contains)
                .allMatch(added::contains);
    }

    @Property
    void everythingElseIsUntouched(@ForAll("inputs") Inputs inputs) {
        Affinity before = inputs.existing().orElseGet(Affinity::new);
        Affinity after = inputs.and().affinity();
        assertThat(after.getPodAffinity()).isEqualTo(before.getPodAffinity());
        assertThat(after.getPodAntiAffinity()).isEqualTo(before.getPodAntiAffinity());
        assertThat(after.getNodeAffinity().getPreferredDuringSchedulingIgnoredDuringExecution())
                .isEqualTo(node(inputs.existing())
                        .map(NodeAffinity::getPreferredDuringSchedulingIgnoredDuringExecution)
                        .orElse(List.of()));
    }

    @Property
    void theArgumentsAreNotChanged(@ForAll("inputs") Inputs inputs) {
        String before = written(inputs);
        assertThat(inputs.and().affinity()).isNotNull();
        assertThat(written(inputs)).isEqualTo(before);
    }

    private static String written(Inputs inputs) {
        return Serialization.asJson(inputs.existing().orElse(null)) + Serialization.asJson(inputs.added());
    }

    @Property
    void whatKubernetesAcceptedItGoesOnAccepting(@ForAll("inputs") Inputs inputs) {
        boolean wasRight = TermValidation.validate("", inputs.added()).isEmpty()
                && required(inputs.existing()).stream().allMatch(NarrowedAffinityLawsTest::isRight);
        if (wasRight) {
            assertThat(required(Optional.of(inputs.and().affinity())))
                    .hasValueSatisfying(selector -> assertThat(selector).matches(NarrowedAffinityLawsTest::isRight));
        }
    }

    private static boolean isRight(NodeSelector selector) {
        return !selector.getNodeSelectorTerms().isEmpty()
                && selector.getNodeSelectorTerms().stream()
                        .allMatch(term -> TermValidation.validate("", term).isEmpty());
    }

    @Property
    void theOrderInWhichTwoTermsAreAddedIsAllOneToTheNodes(
            @ForAll("inputs") Inputs inputs, @ForAll("inputs") Inputs other) {
        Affinity otherFirst = NarrowedAffinity.and(inputs.existing().orElse(null), other.added())
                .affinity();
        NodeMatcher one = NodeMatcher.ofRequired(
                NarrowedAffinity.and(inputs.and().affinity(), other.added()).affinity());
        NodeMatcher two = NodeMatcher.ofRequired(
                NarrowedAffinity.and(otherFirst, inputs.added()).affinity());
        assertThat(inputs.nodes())
                .allSatisfy(node -> assertThat(one.matches(node.name(), node.labels()))
                        .isEqualTo(two.matches(node.name(), node.labels())));
    }
}
