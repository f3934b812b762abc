package io.kubevirt.ferry.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Named.named;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TermReaderTest {

    private static final String ROOT = "spec.addedNodeSelectorTerm";
    private static final NodeSelectorTerm RACK_R7 =
            term(List.of(new NodeSelectorRequirement("rack", "In", List.of("r7"))), List.of());

    private static NodeSelectorTerm term(
            List<NodeSelectorRequirement> expressions, List<NodeSelectorRequirement> fields) {
        return new NodeSelectorTerm(expressions, fields);
    }

    private static NodeSelectorTerm valid(String text) {
        return switch (TermReader.read(ROOT, text)) {
            case TermReading.Valid(var term) -> term;
            case TermReading.Invalid(var errors) -> throw new AssertionError(errors);
        };
    }

    private static List<FieldError> errors(String text) {
        return switch (TermReader.read(ROOT, text)) {
            case TermReading.Valid(var term) -> throw new AssertionError("accepted: " + term);
            case TermReading.Invalid(var errors) -> errors;
        };
    }

    private static List<String> lines(String text) {
        return errors(text).stream().map(FieldError::toString).toList();
    }

    @Nested
    class AcceptsEveryWayToWriteATerm {

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "{\"matchExpressions\":[{\"key\":\"rack\",\"operator\":\"In\",\"values\":[\"r7\"]}]}",
                    "  \n {\"matchExpressions\": [{\"values\": [\"r7\"], \"operator\": \"In\", \"key\": \"r\\u0061ck\"}]} \n",
                    "{\"matchExpressions\":[{\"key\":\"rack\",\"operator\":\"In\",\"values\":[\"r7\"]}],\"matchFields\":[]}",
                    "{\"matchExpressions\":[{\"key\":\"rack\",\"operator\":\"In\",\"values\":[\"r7\"]}],\"matchFields\":null}",
                    "{matchExpressions: [{key: rack, operator: In, values: [r7]}]}",
                    "{\"matchExpressions\": [{\"key\": \"rack\", \"operator\": \"In\", \"values\": [\"r7\",]}]} # yaml",
                    "matchExpressions:\n- key: rack\n  operator: In\n  values:\n  - r7\n",
                    "---\nmatchExpressions:\n  - {key: 'rack', operator: \"In\", values: [r7]}\n...\n",
                    "# why\nmatchFields:\nmatchExpressions: [{key: rack, operator: In, values: [r7]}]",
                    "matchFields: ~\nmatchExpressions:\n- operator: In\n  key: >-\n    rack\n  values: [r7]",
                    "%YAML 1.1\n---\nmatchExpressions: [{key: rack, operator: In, values: [r7]}]",
                    "\uFEFFmatchExpressions: [{key: rack, operator: In, values: [r7]}]",
                })
        void rackR7(String text) {
            assertThat(valid(text)).isEqualTo(RACK_R7);
        }

        @Test
        void fieldsAlone() {
            assertThat(valid("matchFields: [{key: metadata.name, operator: In, values: [node-1]}]"))
                    .isEqualTo(term(
                            List.of(), List.of(new NodeSelectorRequirement("metadata.name", "In", List.of("node-1")))));
        }

        @Test
        void bothKindsOfRequirementInTheirOrder() {
            NodeSelectorTerm term = valid("""
                    matchFields:
                    - {key: metadata.name, operator: NotIn, values: [node-1]}
                    matchExpressions:
                    - {key: b, operator: Exists}
                    - {key: a, operator: Gt, values: ["5"]}
                    """);
            assertThat(term.getMatchExpressions())
                    .extracting(NodeSelectorRequirement::getKey)
                    .containsExactly("b", "a");
            assertThat(term.getMatchFields()).hasSize(1);
        }

        @Test
        void aRequirementThatIsThereTwice() {
            String requirement = "{key: a, operator: Exists}";
            assertThat(valid("matchExpressions: [" + requirement + ", " + requirement + "]")
                            .getMatchExpressions())
                    .hasSize(2);
        }

        @ParameterizedTest
        @ValueSource(
                strings = {"\"5\"", "'true'", "\"null\"", "\"\"", "''", "2024-01-01", "1.2.3", "r7", "0x", "e5", "yEs"})
        void aYamlValueThatIsAText(String value) {
            assertThat(valid("matchExpressions: [{key: a, operator: In, values: [" + value + "]}]")
                            .getMatchExpressions()
                            .getFirst()
                            .getValues())
                    .containsExactly(value.replaceAll("['\"]", ""));
        }

        @Test
        void aTermThatNamesEachNodeOfTheLargestCluster() {
            var values = new StringBuilder("node-0");
            for (int i = 1; i < 5_000; i++) {
                values.append(",node-").append(i);
            }
            assertThat(valid("matchExpressions: [{key: kubernetes.io/hostname, operator: NotIn, values: [" + values
                                    + "]}]")
                            .getMatchExpressions()
                            .getFirst()
                            .getValues())
                    .hasSize(5_000);
        }
    }

    static Stream<Arguments> mistakes() {
        return Stream.of(
                mistake(
                        "an unknown field of the term",
                        "{\"matchLabels\": {\"a\": \"b\"}, \"matchExpressions\": [{\"key\": \"a\", \"operator\": \"Exists\"}]}",
                        ".matchLabels: is not a known field: use matchExpressions, matchFields"),
                mistake(
                        "a field in the wrong case",
                        "{\"MatchExpressions\": [{\"key\": \"a\", \"operator\": \"Exists\"}]}",
                        ".MatchExpressions: is not a known field (did you mean matchExpressions?): use matchExpressions, matchFields"),
                mistake(
                        "a misspelt field, of which nobody says that it is missing",
                        "matchExpressions: [{key: a, oparator: In, values: [b]}]",
                        ".matchExpressions[0].oparator: is not a known field (did you mean operator?): use key, operator, values"),
                mistake(
                        "value for values",
                        "matchExpressions: [{key: a, operator: In, value: [b]}]",
                        ".matchExpressions[0].value: is not a known field (did you mean values?): use key, operator, values"),
                mistake(
                        "a field name that nobody should see raw",
                        "{\"a\\nb.c\": 1, \"matchExpressions\": [{\"key\": \"a\", \"operator\": \"Exists\"}]}",
                        "[\"a\\u000ab.c\"]: is not a known field: use matchExpressions, matchFields"),
                mistake(
                        "a JSON key twice",
                        "{\"matchExpressions\": [{\"key\": \"a\", \"key\": \"b\", \"operator\": \"Exists\"}]}",
                        ".matchExpressions[0].key: is given more than once"),
                mistake(
                        "a JSON key twice, once written with an escape",
                        "{\"matchExpressions\": [{\"key\": \"a\", \"k\\u0065y\": \"a\", \"operator\": \"Exists\"}]}",
                        ".matchExpressions[0].key: is given more than once"),
                mistake(
                        "a YAML key twice",
                        "matchExpressions: [{key: a, operator: Exists}]\nmatchExpressions: [{key: a, operator: Exists}]",
                        ".matchExpressions: is given more than once"),
                mistake(
                        "a list for the term",
                        "- {key: a, operator: Exists}",
                        ": must be an object with matchExpressions and matchFields, not a list"),
                mistake(
                        "a text for the term",
                        "rack=r7",
                        ": must be an object with matchExpressions and matchFields, not a text"),
                mistake(
                        "a number for the term",
                        "5",
                        ": must be an object with matchExpressions and matchFields, not a number"),
                mistake(
                        "an object for a list",
                        "matchExpressions: {key: a, operator: Exists}",
                        ".matchExpressions: must be a list of requirements, each with key and operator, not an object"),
                mistake(
                        "a text for a requirement",
                        "matchExpressions: [a]",
                        ".matchExpressions[0]: must be an object with key, operator and values, not a text",
                        ".matchExpressions[0].key: must name a label",
                        ".matchExpressions[0].operator: must be given: use one of In, NotIn, Exists, DoesNotExist, Gt, Lt"),
                mistake(
                        "null for a requirement",
                        "matchExpressions: [~]",
                        ".matchExpressions[0].key: must name a label",
                        ".matchExpressions[0].operator: must be given: use one of In, NotIn, Exists, DoesNotExist, Gt, Lt"),
                mistake(
                        "a text for the values",
                        "matchExpressions: [{key: a, operator: In, values: b}]",
                        ".matchExpressions[0].values: must be a list of texts, not a text"),
                mistake(
                        "a list for a key",
                        "matchExpressions: [{key: [a], operator: Exists}]",
                        ".matchExpressions[0].key: must be a text, not a list"),
                mistake(
                        "a number for a key",
                        "{\"matchExpressions\": [{\"key\": 5, \"operator\": \"Exists\"}]}",
                        ".matchExpressions[0].key: must be a text, not a number: quote it, \"5\""),
                mistake(
                        "values that are no texts, each of them",
                        "{\"matchExpressions\": [{\"key\": \"a\", \"operator\": \"In\", \"values\": [5, true, 1.5e3, null, \"b\", {}]}]}",
                        ".matchExpressions[0].values[0]: must be a text, not a number: quote it, \"5\"",
                        ".matchExpressions[0].values[1]: must be a text, not a boolean: quote it, \"true\"",
                        ".matchExpressions[0].values[2]: must be a text, not a number: quote it, \"1.5e3\"",
                        ".matchExpressions[0].values[3]: must be a text, not null; for the empty text write \"\"",
                        ".matchExpressions[0].values[5]: must be a text, not an object"),
                mistake(
                        "a mapping in values, by a colon too many",
                        "matchExpressions: [{key: a, operator: In, values: [r7: x]}]",
                        ".matchExpressions[0].values[0]: must be a text, not an object"),
                mistake(
                        "decoding and validation errors together",
                        "matchExpressions: [{key: a b, operator: In, values: [5, '!']}, {key: c, operator: exists, extra: 1}]",
                        ".matchExpressions[0].values[0]: must be a text, not a number: quote it, \"5\"",
                        ".matchExpressions[1].extra: is not a known field: use key, operator, values",
                        ".matchExpressions[0].key: \"a b\" is not a label key: it may have only the letters a-z and A-Z, digits, '-', '_' and '.'",
                        ".matchExpressions[0].values[1]: \"!\" is not a label value: it may have only the letters a-z and A-Z, digits, '-', '_' and '.'",
                        ".matchExpressions[1].operator: \"exists\" is not a valid operator (did you mean Exists?): use one of In, NotIn, Exists, DoesNotExist, Gt, Lt"));
    }

    private static Arguments mistake(String name, String text, String... errors) {
        return arguments(
                named(name, text), Stream.of(errors).map(error -> ROOT + error).toList());
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void namesEveryMistakeWithItsField(String text, List<String> errors) {
        assertThat(lines(text)).containsExactlyElementsOf(errors);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"matchExpressions\": []}",
                "{\"matchFields\": null}",
                "matchExpressions:",
                "null",
                "~",
                "---",
                "# only this"
            })
    void refusesATermThatWouldMatchNoNode(String text) {
        assertThat(lines(text))
                .containsExactly(
                        ROOT
                                + ": has no requirement and would match no node: give at least one in matchExpressions or matchFields");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\n\t "})
    void refusesAnEmptyTextAndShowsWhatToWrite(String text) {
        assertThat(lines(text)).singleElement().asString().startsWith(ROOT + ": is empty: write for instance {");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "5", "-5", "+5", "0x1F", "0o17", "017", "0b101", "1_000", "1.5", ".5", "5.", "1e3", "-.inf", ".NaN",
                "08", "y", "Y", "yes", "No", "n", "on", "OFF", "true", "False"
            })
    void asksToQuoteWhatYamlReadsAsANumberOrABoolean(String value) {
        assertThat(lines("matchExpressions: [{key: a, operator: In, values: [" + value + "]}]"))
                .singleElement()
                .asString()
                .startsWith(ROOT + ".matchExpressions[0].values[0]: must be a text, not a ")
                .endsWith(": quote it, \"" + value + "\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"~", "null", "Null", ""})
    void refusesANullValueWhichKubernetesWouldTakeForTheEmptyText(String value) {
        assertThat(lines("matchExpressions:\n- key: a\n  operator: In\n  values:\n  - " + value))
                .containsExactly(ROOT
                        + ".matchExpressions[0].values[0]: must be a text, not null; for the empty text write \"\"");
    }

    static Stream<Arguments> unreadable() {
        return Stream.of(
                arguments("{\"matchExpressions\": [", "is not JSON: Unexpected end-of-input"),
                arguments("{\"matchExpressions\": []} {}", "is not JSON: there is something after its end"),
                arguments("{\"matchExpressions\": []}}", "is not JSON: "),
                arguments("{matchExpressions: [}", "is not YAML: "),
                arguments("{matchExpressions:[{key: a, operator: Exists}]}", "is not YAML: "),
                arguments("a: b: c", "is not YAML: mapping values are not allowed here (line 1, column 5)"),
                arguments("\ta: b", "is not YAML: "),
                arguments("matchExpressions: []\n---\nmatchExpressions: []", "has more than one YAML document"),
                arguments(
                        "matchExpressions: []\n# a line separator\u2028x",
                        "is not YAML: it has a Unicode line separator"),
                arguments("a: &x 1", "has a YAML anchor at line 1, column 4: leave it out"),
                arguments("a: &x [1]\nb: *x", "has a YAML anchor at line 1, column 4: leave it out"),
                arguments("a: *x", "has a YAML alias at line 1, column 4: write the value out"),
                arguments("a: !!str 5", "has a YAML tag at line 1, column 4: leave it out"),
                arguments("a: !!binary aGk=", "has a YAML tag at line 1, column 4: leave it out"),
                arguments("a: !local [1]", "has a YAML tag at line 1, column 4: leave it out"),
                arguments("!!java.net.URL {a: b}", "has a YAML tag at line 1, column 1: leave it out"),
                arguments("{[a]: b}", "has a list for a field name at line 1, column 2"),
                arguments("? {a: b}\n: c", "has an object for a field name at line 1, column 3"));
    }

    @ParameterizedTest
    @MethodSource("unreadable")
    void saysWhyATextCannotBeReadAtAll(String text, String start) {
        assertThat(errors(text)).singleElement().satisfies(error -> {
            assertThat(error.field()).isEqualTo(ROOT);
            assertThat(error.message()).startsWith(start).doesNotContain("\n");
        });
    }

    @Test
    void whatIsNotJsonMayStillBeYaml() {
        assertThat(lines("{\"a\": 01}"))
                .containsExactly(ROOT + ".a: is not a known field: use matchExpressions, matchFields");
    }

    @Nested
    class GivesUpEarly {

        static Stream<Arguments> hostile() {
            int size = TermReader.LONGEST_TEXT;
            return Stream.of(
                    arguments(named("1 MiB of braces", "{".repeat(1 << 20)), "is longer than 262144 characters"),
                    arguments(named("1 MiB of a term", "a: b\n".repeat(1 << 18)), "is longer than 262144 characters"),
                    arguments(named("brackets", "[".repeat(size)), "is nested more than 16 levels deep"),
                    arguments(
                            named("nested objects", "{\"a\":".repeat(size / 5)), "is nested more than 16 levels deep"),
                    arguments(named("nested YAML", "- ".repeat(size / 2)), "is nested more than 16 levels deep"),
                    arguments(named("nested YAML keys", "? ".repeat(size / 2)), "is nested more than 16 levels deep"),
                    arguments(
                            named("items", "[" + "a,".repeat(size / 2 - 1) + "]"),
                            "has more than 16384 fields and values"),
                    arguments(
                            named(
                                    "empty requirements",
                                    "{\"matchExpressions\":[" + "{},".repeat(size / 3 - 10) + "{}]}"),
                            "has more than 16384 fields and values"),
                    arguments(
                            named("many fields", "{" + "\"a\":1,".repeat(size / 6 - 2) + "\"b\":1}"),
                            "has more than 16384 fields and values"),
                    arguments(named("documents", "---\n".repeat(size / 4)), "has more than one YAML document"),
                    arguments(named("billion laughs", """
                                    a: &a [x,x,x,x,x,x,x,x,x]
                                    b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]
                                    c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]
                                    """), "has a YAML anchor"));
        }

        @ParameterizedTest
        @MethodSource("hostile")
        void withOneError(String text, String start) {
            assertThat(errors(text))
                    .singleElement()
                    .satisfies(error -> assertThat(error.message()).startsWith(start));
        }

        @Test
        void withThirtyTwoErrorsAndACount() {
            List<FieldError> errors = errors("matchExpressions: [" + "{},".repeat(100) + "]");
            assertThat(errors).hasSize(33);
            assertThat(errors.getLast()).isEqualTo(new FieldError(ROOT, "has 168 more errors"));
        }

        @Test
        void withShortMessagesAboutLongValues() {
            String lengthy = "x".repeat(100_000);
            assertThat(errors("{\"" + lengthy + "\": 1, \"matchFields\": [{\"key\": \"" + lengthy + "\"}]}"))
                    .hasSizeGreaterThan(1)
                    .allSatisfy(error -> {
                        assertThat(error.field()).hasSizeLessThan(150);
                        assertThat(error.message()).hasSizeLessThan(300);
                    });
        }

        @Test
        void withNothingWorseThanAnErrorWhereACharacterIsSplitBetweenTheBuffersOfTheYamlParser() {
            assertThat(lines("a: " + "😀".repeat(2_000)))
                    .containsExactly(ROOT + ".a: is not a known field: use matchExpressions, matchFields");
        }
    }

    @Nested
    class ReadsATreeThatWasParsedBefore {

        private final ObjectMapper mapper = new ObjectMapper();

        @Test
        void asTheTextWouldBeRead() throws Exception {
            JsonNode tree = mapper.readTree(
                    "{\"matchExpressions\":[{\"key\":\"rack\",\"operator\":\"In\",\"values\":[\"r7\"]}]}");
            assertThat(TermReader.read(ROOT, tree)).isEqualTo(new TermReading.Valid(RACK_R7));
        }

        @Test
        void withTheSameErrors() throws Exception {
            String text = "{\"matchExpressions\":[{\"key\":5,\"operator\":true,\"values\":[1.5,null,[]],\"more\":{}}]}";
            assertThat(TermReader.read(ROOT, mapper.readTree(text))).isEqualTo(TermReader.read(ROOT, text));
        }

        @Test
        void nullAndNothingAreATermWithoutRequirements() {
            assertThat(List.of(
                            TermReader.read(ROOT, JsonNodeFactory.instance.nullNode()),
                            TermReader.read(ROOT, JsonNodeFactory.instance.missingNode())))
                    .allSatisfy(reading -> assertThat(reading.toString()).contains("has no requirement"));
        }

        @Test
        void andGivesUpOnADeepOne() {
            JsonNode tree = JsonNodeFactory.instance.arrayNode();
            for (int i = 0; i < 1_000; i++) {
                tree = JsonNodeFactory.instance.arrayNode().add(tree);
            }
            assertThat(TermReader.read(ROOT, tree).toString()).contains("is nested more than 16 levels deep");
        }

        @Test
        void andOnWhatIsNoJson() {
            assertThat(TermReader.read(ROOT, JsonNodeFactory.instance.pojoNode(new Object())))
                    .isEqualTo(new TermReading.Invalid(List.of(new FieldError(ROOT, "is not JSON"))));
        }
    }
}
