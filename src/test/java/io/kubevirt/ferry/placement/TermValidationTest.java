package io.kubevirt.ferry.placement;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TermValidationTest {

    private static final String CHARACTERS = "it may have only the letters a-z and A-Z, digits, '-', '_' and '.'";
    private static final String ENDS = "it starts and ends with a letter or a digit";
    private static final String PART_ENDS =
            "each part between dots starts and ends with a lower case letter or a digit";

    private static NodeSelectorRequirement requirement(String key, String operator, String... values) {
        return new NodeSelectorRequirement(key, operator, List.of(values));
    }

    private static List<String> ofExpression(String key, String operator, String... values) {
        return errors(new NodeSelectorTerm(List.of(requirement(key, operator, values)), List.of()));
    }

    private static List<String> ofField(String key, String operator, String... values) {
        return errors(new NodeSelectorTerm(List.of(), List.of(requirement(key, operator, values))));
    }

    private static List<String> errors(NodeSelectorTerm term) {
        return TermValidation.validate("t", term).stream()
                .map(FieldError::toString)
                .toList();
    }

    static Stream<Arguments> operatorsAndValues() {
        String atLeastOne = "t.matchExpressions[0].values: must have at least one value with the operator ";
        String none = "t.matchExpressions[0].values: must be left out with the operator ";
        String one = "t.matchExpressions[0].values: must have exactly one value, an integer, with the operator ";
        return Stream.of(
                arguments("In", List.of(), atLeastOne + "In"),
                arguments("In", List.of("a"), ""),
                arguments("In", List.of("a", "b", "a"), ""),
                arguments("NotIn", List.of(), atLeastOne + "NotIn"),
                arguments("NotIn", List.of(""), ""),
                arguments("Exists", List.of(), ""),
                arguments("Exists", List.of("a"), none + "Exists; to compare with values use In or NotIn"),
                arguments("DoesNotExist", List.of(), ""),
                arguments("DoesNotExist", List.of(""), none + "DoesNotExist; to compare with values use In or NotIn"),
                arguments("Gt", List.of(), one + "Gt, not 0"),
                arguments("Gt", List.of("5"), ""),
                arguments("Gt", List.of("5", "6"), one + "Gt, not 2"),
                arguments("Lt", List.of(), one + "Lt, not 0"),
                arguments("Lt", List.of("5"), ""),
                arguments("Lt", List.of("a", "b", "c"), one + "Lt, not 3"));
    }

    @ParameterizedTest
    @MethodSource("operatorsAndValues")
    void eachOperatorWantsItsNumberOfValues(String operator, List<String> values, String error) {
        assertThat(ofExpression("a", operator, values.toArray(String[]::new)))
                .containsExactlyElementsOf(error.isEmpty() ? List.of() : List.of(error));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "in     | (did you mean In?)",
                "NOTIN  | (did you mean NotIn?)",
                "exists | (did you mean Exists?)",
                "Exist  | (did you mean Exists?)",
                "gte    | (did you mean Gt?)",
                "Equals | ``",
                "=      | ``",
                "!=     | ``",
            })
    void anUnknownOperatorIsNamedWithThoseThereAre(String operator, String guess) {
        assertThat(ofExpression("a", operator, "b"))
                .containsExactly("t.matchExpressions[0].operator: \"" + operator + "\" is not a valid operator"
                        + (guess.isEmpty() ? "" : " " + guess)
                        + ": use one of In, NotIn, Exists, DoesNotExist, Gt, Lt");
    }

    @Test
    void anOperatorMustBeGiven() {
        assertThat(ofExpression("a", ""))
                .containsExactly(
                        "t.matchExpressions[0].operator: must be given: use one of In, NotIn, Exists, DoesNotExist, Gt, Lt");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"0", "7", "007", "9223372036854775807", "000000000000000000000000000000000000000000000000000005"
            })
    void anIntegerIsRightForGt(String value) {
        assertThat(ofExpression("a", "Gt", value)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "a",
                "5.0",
                "1e3",
                "0x10",
                "1_000",
                "9223372036854775808",
                "99999999999999999999",
                "٣",
                " 5",
                "+",
                "-"
            })
    void whatIsNoIntegerOf64BitsIsWrongForGtAndLtThoughTheApiServerTakesIt(String value) {
        assertThat(ofExpression("a", "Lt", value))
                .containsExactly("t.matchExpressions[0].values[0]: \"" + value
                        + "\" is not an integer of 64 bits, which the operator Lt compares with; no node would match");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-5", "+5", "-9223372036854775808"})
    void aSignIsNotAllowedSinceTheValueMustBeALabelValue(String value) {
        assertThat(ofExpression("a", "Gt", value))
                .containsExactly("t.matchExpressions[0].values[0]: \"" + value
                        + "\" is not a label value: a sign is not allowed, only digits");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                "A",
                "0",
                "a-b",
                "A_b.C-d",
                "example.com/a",
                "a.b.c/D",
                "1.2/3",
                "0-0.x/y",
                "kubernetes.io/hostname"
            })
    void aRightKey(String key) {
        assertThat(ofExpression(key, "Exists")).isEmpty();
    }

    @Test
    void theLongestKeyIsRightAndALongerOneIsNot() {
        String prefix = Stream.generate(() -> "d".repeat(50)).limit(4).collect(joining(".")) + "." + "d".repeat(49);
        String name = "n".repeat(63);
        assertThat(prefix).hasSize(253);
        assertThat(ofExpression(prefix + "/" + name, "Exists")).isEmpty();
        assertThat(ofExpression("d" + prefix + "/" + name, "Exists"))
                .singleElement()
                .asString()
                .endsWith(" is not a label key: the prefix before '/': it is longer than 253 characters");
        assertThat(ofExpression(prefix + "/" + name + "n", "Exists"))
                .singleElement()
                .asString()
                .endsWith(" is not a label key: it is longer than 63 characters");
    }

    static Stream<Arguments> wrongKeys() {
        return Stream.of(
                arguments("a/b/c", "a key has at most one '/', between a DNS prefix and a name"),
                arguments("//", "a key has at most one '/', between a DNS prefix and a name"),
                arguments("/a", "the prefix before '/' is empty"),
                arguments("a/", "the name is empty"),
                arguments("a b", CHARACTERS),
                arguments("a\n", CHARACTERS),
                arguments("größe", CHARACTERS),
                arguments("a,b", CHARACTERS),
                arguments("-a", ENDS),
                arguments("a-", ENDS),
                arguments(".a", ENDS),
                arguments("a_", ENDS),
                arguments("_", ENDS),
                arguments("Example.com/a", "the prefix before '/': " + PART_ENDS),
                arguments(
                        "eXample.com/a",
                        "the prefix before '/': it may have only lower case letters, digits, '-' and '.'"),
                arguments("a_b/c", "the prefix before '/': it may have only lower case letters, digits, '-' and '.'"),
                arguments("a..b/c", "the prefix before '/': " + PART_ENDS),
                arguments("a./c", "the prefix before '/': " + PART_ENDS),
                arguments("-a/c", "the prefix before '/': " + PART_ENDS),
                arguments("a/-c", ENDS));
    }

    @ParameterizedTest
    @MethodSource("wrongKeys")
    void aWrongKey(String key, String problem) {
        assertThat(ofExpression(key, "Exists"))
                .containsExactly("t.matchExpressions[0].key: " + Quoted.of(key) + " is not a label key: " + problem);
    }

    @Test
    void aKeyMustBeGiven() {
        assertThat(ofExpression("", "Exists")).containsExactly("t.matchExpressions[0].key: must name a label");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "a",
                "A-b_c.D",
                "0",
                "1.2.3",
                "x-------------------------------------------------------------x"
            })
    void aRightValue(String value) {
        assertThat(ofExpression("a", "In", value)).isEmpty();
    }

    static Stream<Arguments> wrongValues() {
        return Stream.of(
                arguments(" ", CHARACTERS),
                arguments("a b", CHARACTERS),
                arguments("a/b", CHARACTERS),
                arguments("a\n", CHARACTERS),
                arguments("é", CHARACTERS),
                arguments("日本", CHARACTERS),
                arguments("😀", CHARACTERS),
                arguments("a\u0000", CHARACTERS),
                arguments("\uD800", CHARACTERS),
                arguments("-", ENDS),
                arguments("-3", ENDS),
                arguments("a.", ENDS),
                arguments("x".repeat(64), "it is longer than 63 characters"));
    }

    @ParameterizedTest
    @MethodSource("wrongValues")
    void aWrongValue(String value, String problem) {
        assertThat(ofExpression("a", "NotIn", "right", value))
                .containsExactly(
                        "t.matchExpressions[0].values[1]: " + Quoted.of(value) + " is not a label value: " + problem);
    }

    @Test
    void valuesAreCheckedWhateverTheOperator() {
        assertThat(ofExpression("a", "Exists", "-"))
                .containsExactly(
                        "t.matchExpressions[0].values: must be left out with the operator Exists; to compare with values use In or NotIn",
                        "t.matchExpressions[0].values[0]: \"-\" is not a label value: " + ENDS);
        assertThat(ofExpression("a", "Nope", "-")).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({"In,node-1", "NotIn,node-1", "In,10.0.0.7", "NotIn,a.example.com", "In,0"})
    void aRightField(String operator, String value) {
        assertThat(ofField("metadata.name", operator, value)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"metadata.namespace", "metadata.Name", "name", "spec.unschedulable", "kubernetes.io/hostname"})
    void theOnlyFieldIsTheName(String key) {
        assertThat(ofField(key, "In", "node-1"))
                .containsExactly("t.matchFields[0].key: \"" + key
                        + "\" is not a field to match: the only one is metadata.name; labels go into matchExpressions");
    }

    @Test
    void valuesOfAnUnknownFieldAreNotCheckedFurther() {
        assertThat(ofField("", "In", "-"))
                .containsExactly("t.matchFields[0].key: must be metadata.name, the only field to match");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Exists", "DoesNotExist", "Gt", "Lt"})
    void aFieldHasTwoOperators(String operator) {
        assertThat(ofField("metadata.name", operator))
                .containsExactly("t.matchFields[0].operator: \"" + operator
                        + "\" is not a valid operator: use one of In, NotIn");
    }

    @Test
    void aFieldHasOneValue() {
        String error =
                "t.matchFields[0].values: must have exactly one value in matchFields, not %d; for several nodes use matchExpressions with the label kubernetes.io/hostname";
        assertThat(ofField("metadata.name", "In")).containsExactly(error.formatted(0));
        assertThat(ofField("metadata.name", "NotIn", "a", "b")).containsExactly(error.formatted(2));
    }

    static Stream<Arguments> wrongNames() {
        return Stream.of(
                arguments("", PART_ENDS),
                arguments("Node-1", PART_ENDS),
                arguments("nOde", "it may have only lower case letters, digits, '-' and '.'"),
                arguments("node_1", "it may have only lower case letters, digits, '-' and '.'"),
                arguments("node-", PART_ENDS),
                arguments("a..b", PART_ENDS),
                arguments("node-1\n", PART_ENDS),
                arguments("n".repeat(254), "it is longer than 253 characters"));
    }

    @ParameterizedTest
    @MethodSource("wrongNames")
    void aWrongNodeName(String name, String problem) {
        assertThat(ofField("metadata.name", "In", name))
                .containsExactly("t.matchFields[0].values[0]: " + Quoted.of(name) + " is not a node name: " + problem);
    }

    @Test
    void allErrorsComeAtOnceInTheOrderOfTheFields() {
        var term = new NodeSelectorTerm(
                List.of(requirement("a", "Exists"), requirement("-", "Nope", "-")),
                List.of(requirement("x", "Gt", "a"), requirement("metadata.name", "In", "A")));
        assertThat(TermValidation.validate("", term))
                .extracting(FieldError::field)
                .containsExactly(
                        "matchExpressions[1].key",
                        "matchExpressions[1].operator",
                        "matchExpressions[1].values[0]",
                        "matchFields[0].key",
                        "matchFields[0].operator",
                        "matchFields[1].values[0]");
    }

    @Test
    void aTermWithoutRequirementsIsRightAndMatchesNothing() {
        assertThat(errors(new NodeSelectorTerm())).isEmpty();
    }

    @Test
    void whatIsNullIsTakenForEmptyAsKubernetesDoes() {
        var nulls = new NodeSelectorTerm(null, Arrays.asList((NodeSelectorRequirement) null));
        assertThat(errors(nulls)).isEqualTo(ofField("", ""));
        assertThat(errors(new NodeSelectorTerm(
                        List.of(new NodeSelectorRequirement("a", "In", Arrays.asList("b", null))), null)))
                .isEmpty();
    }

    @Test
    void thePathsStartWithTheRoot() {
        var term = new NodeSelectorTerm(List.of(requirement("", "Exists")), List.of());
        assertThat(TermValidation.validate("metadata.annotations[a/b]", term))
                .extracting(FieldError::field)
                .containsExactly("metadata.annotations[a/b].matchExpressions[0].key");
    }
}
