package io.kubevirt.ferry.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.NodeAffinity;
import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.PreferredSchedulingTerm;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class NodeMatcherTest {

    private static final String NODE = "node-1";
    private static final Map<String, String> LABELS =
            Map.of("rack", "r7", "cores", "16", "empty", "", "word", "seven", "huge", "9223372036854775808");

    private static NodeSelectorRequirement requirement(String key, String operator, String... values) {
        return new NodeSelectorRequirement(key, operator, List.of(values));
    }

    private static NodeSelectorTerm labels(NodeSelectorRequirement... requirements) {
        return new NodeSelectorTerm(List.of(requirements), List.of());
    }

    private static NodeSelectorTerm fields(NodeSelectorRequirement... requirements) {
        return new NodeSelectorTerm(List.of(), List.of(requirements));
    }

    private static boolean matches(NodeSelectorTerm... terms) {
        return NodeMatcher.of(new NodeSelector(List.of(terms))).matches(NODE, LABELS);
    }

    static Stream<Arguments> expressions() {
        return Stream.of(
                arguments("In", "rack", List.of("r7"), true),
                arguments("In", "rack", List.of("r6", "r7", "r8"), true),
                arguments("In", "rack", List.of("r7", "r7"), true),
                arguments("In", "rack", List.of("R7"), false),
                arguments("In", "rack", List.of(""), false),
                arguments("In", "empty", List.of(""), true),
                arguments("In", "absent", List.of("r7"), false),
                arguments("In", "absent", List.of(""), false),
                arguments("NotIn", "rack", List.of("r7"), false),
                arguments("NotIn", "rack", List.of("r6", "r7"), false),
                arguments("NotIn", "rack", List.of("r6"), true),
                arguments("NotIn", "absent", List.of("r7"), true),
                arguments("NotIn", "absent", List.of(""), true),
                arguments("Exists", "rack", List.of(), true),
                arguments("Exists", "empty", List.of(), true),
                arguments("Exists", "absent", List.of(), false),
                arguments("DoesNotExist", "rack", List.of(), false),
                arguments("DoesNotExist", "empty", List.of(), false),
                arguments("DoesNotExist", "absent", List.of(), true),
                arguments("Gt", "cores", List.of("15"), true),
                arguments("Gt", "cores", List.of("16"), false),
                arguments("Gt", "cores", List.of("0009"), true),
                arguments("Lt", "cores", List.of("17"), true),
                arguments("Lt", "cores", List.of("16"), false),
                arguments("Lt", "cores", List.of("9223372036854775807"), true),
                arguments("Gt", "absent", List.of("0"), false),
                arguments("Lt", "absent", List.of("0"), false));
    }

    @ParameterizedTest
    @MethodSource("expressions")
    void aRequirementOnALabel(String operator, String key, List<String> values, boolean matches) {
        assertThat(matches(labels(new NodeSelectorRequirement(key, operator, values))))
                .isEqualTo(matches);
    }

    @ParameterizedTest
    @CsvSource({"Gt,word", "Lt,word", "Gt,empty", "Lt,empty", "Gt,huge", "Lt,huge"})
    void aLabelThatIsNoIntegerOf64BitsIsNeitherMoreNorLess(String operator, String key) {
        assertThat(matches(labels(requirement(key, operator, "5")))).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"+17,true", "-3,false", "0017,true", "1_7,false", "0x11,false", "17.0,false", "٣٣,false", "' 17',false"
    })
    void aLabelIsReadAsAnIntegerTheWayGoDoes(String label, boolean isMoreThan16) {
        assertThat(NodeMatcher.of(labels(requirement("cores", "Gt", "16"))).matches(NODE, Map.of("cores", label)))
                .isEqualTo(isMoreThan16);
    }

    static Stream<Arguments> fieldRequirements() {
        return Stream.of(
                arguments("In", "metadata.name", "node-1", true),
                arguments("In", "metadata.name", "node-2", false),
                arguments("In", "metadata.name", "NODE-1", false),
                arguments("NotIn", "metadata.name", "node-1", false),
                arguments("NotIn", "metadata.name", "node-2", true));
    }

    @ParameterizedTest
    @MethodSource("fieldRequirements")
    void aRequirementOnTheName(String operator, String key, String value, boolean matches) {
        assertThat(matches(fields(requirement(key, operator, value)))).isEqualTo(matches);
    }

    @Test
    void allRequirementsOfATermMustHold() {
        NodeSelectorRequirement right = requirement("rack", "In", "r7");
        NodeSelectorRequirement wrong = requirement("rack", "In", "r8");
        NodeSelectorRequirement here = requirement("metadata.name", "In", NODE);
        NodeSelectorRequirement elsewhere = requirement("metadata.name", "In", "node-2");
        assertThat(matches(labels(right, right))).isTrue();
        assertThat(matches(labels(right, wrong))).isFalse();
        assertThat(matches(fields(here, here))).isTrue();
        assertThat(matches(fields(here, elsewhere))).isFalse();
        assertThat(matches(new NodeSelectorTerm(List.of(right), List.of(here)))).isTrue();
        assertThat(matches(new NodeSelectorTerm(List.of(right), List.of(elsewhere))))
                .isFalse();
        assertThat(matches(new NodeSelectorTerm(List.of(wrong), List.of(here)))).isFalse();
    }

    @Test
    void oneOfTheTermsIsEnough() {
        NodeSelectorTerm right = labels(requirement("rack", "In", "r7"));
        NodeSelectorTerm wrong = labels(requirement("rack", "In", "r8"));
        assertThat(matches(wrong, right)).isTrue();
        assertThat(matches(wrong, wrong)).isFalse();
    }

    @Test
    void anEmptyTermMatchesNoNode() {
        assertThat(matches(new NodeSelectorTerm())).isFalse();
        assertThat(matches(new NodeSelectorTerm(null, null))).isFalse();
        assertThat(NodeMatcher.of(new NodeSelectorTerm()).matches(NODE, LABELS)).isFalse();
    }

    @Test
    void aSelectorWithoutTermsMatchesNoNode() {
        assertThat(matches()).isFalse();
        assertThat(NodeMatcher.of(new NodeSelector(null)).matches(NODE, LABELS)).isFalse();
    }

    static Stream<NodeSelectorTerm> neverMatching() {
        return Stream.of(
                labels(requirement("rack", "in", "r7")),
                labels(requirement("rack", "In")),
                labels(requirement("absent", "NotIn")),
                labels(requirement("rack", "Exists", "r7")),
                labels(requirement("absent", "DoesNotExist", "r7")),
                labels(requirement("cores", "Gt")),
                labels(requirement("cores", "Gt", "5", "6")),
                labels(requirement("cores", "Gt", "five")),
                labels(requirement("cores", "Lt", "9223372036854775808")),
                labels(requirement("cores", "Gt", "-5")),
                labels(requirement("-", "DoesNotExist")),
                labels(requirement("absent", "NotIn", "not a value")),
                labels(requirement("rack", "In", "r7", "not a value")),
                labels(requirement("rack", "In", "r7"), requirement("", "")),
                fields(requirement("metadata.name", "Exists")),
                fields(requirement("metadata.name", "In")),
                fields(requirement("metadata.name", "NotIn", "a", "b")),
                new NodeSelectorTerm(
                        List.of(requirement("rack", "In", "r7")), List.of(requirement("metadata.name", "Gt", "1"))));
    }

    @ParameterizedTest
    @MethodSource("neverMatching")
    void aTermThatCannotBeParsedMatchesNoNodeAndLeavesTheOthersAlone(NodeSelectorTerm term) {
        assertThat(matches(term)).isFalse();
        assertThat(matches(term, labels(requirement("rack", "In", "r7")))).isTrue();
    }

    @Test
    void noRequiredAffinityMatchesEveryNode() {
        var preferred = new PreferredSchedulingTerm(labels(requirement("rack", "In", "r8")), 1);
        assertThat(Stream.of(
                                null,
                                new Affinity(),
                                new Affinity(new NodeAffinity(), null, null),
                                new Affinity(new NodeAffinity(List.of(preferred), null), null, null))
                        .map(NodeMatcher::ofRequired))
                .allMatch(matcher -> matcher.matches(NODE, LABELS));
    }

    @Test
    void requiredAffinityIsWhatIsRequired() {
        var required = new NodeSelector(List.of(labels(requirement("rack", "In", "r7"))));
        var matcher = NodeMatcher.ofRequired(new Affinity(new NodeAffinity(List.of(), required), null, null));
        assertThat(matcher.matches(NODE, LABELS)).isTrue();
        assertThat(matcher.matches(NODE, Map.of())).isFalse();
    }

    /** What one would not expect, and Kubernetes does all the same. */
    @Test
    void ofANodeWithoutANameNoFieldIsLookedAt() {
        var matcher = NodeMatcher.of(fields(requirement("metadata.name", "In", "node-1")));
        assertThat(matcher.matches("", Map.of())).isTrue();
    }

    /** As above: validation refuses such a term, the scheduler does not. */
    @Test
    void anUnknownFieldIsEmpty() {
        assertThat(matches(fields(requirement("metadata.namespace", "In", "")))).isTrue();
        assertThat(matches(fields(requirement("metadata.namespace", "NotIn", "default"))))
                .isTrue();
        assertThat(matches(fields(requirement("metadata.namespace", "In", "default"))))
                .isFalse();
    }
}
