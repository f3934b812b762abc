package io.kubevirt.ferry.admission;

import static io.kubevirt.ferry.admission.Reviews.after;
import static io.kubevirt.ferry.admission.Reviews.update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.kubevirt.ferry.placement.FieldError;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MigrationAdmissionTest {
    private static final String ANNOTATED = """
            metadata:
              name: m
              annotations:
                migration.kubevirt.io/added-node-selector-term: |
                  matchExpressions: [{key: rack, operator: In, values: [r7]}]
            spec: {vmiName: db}
            """;
    private static final String TYPED = """
            metadata: {name: m}
            spec:
              vmiName: db
              addedNodeSelectorTerm: {matchExpressions: [{key: rack, operator: In, values: [r7]}]}
            """;
    private static final String BOTH = ANNOTATED.replace(
            "spec: {vmiName: db}",
            "spec: {vmiName: db, addedNodeSelectorTerm: {matchExpressions: [{key: rack, operator: In, values: [r7]}]}}");
    private static final String DIFFERENT = BOTH.replace("values: [r7]}]}}", "values: [r8]}]}}");

    private final MigrationAdmission admission = new MigrationAdmission(new EmptyCluster(), Permissions.unrestricted());

    @Test
    void aValidAnnotationPassesAsItIsWritten() {
        assertThat(admission.judge(Reviews.create(ANNOTATED))).isEqualTo(Verdict.Allowed.silently());
    }

    @Test
    void theTypedFieldMovesIntoTheAnnotation() {
        JsonNode migration = after(TYPED, admission.judge(Reviews.create(TYPED)));

        assertThat(migration.at("/spec")).isEqualTo(Reviews.yaml("{vmiName: db}"));
        assertThat(migration.at("/metadata/annotations").size()).isEqualTo(1);
        assertThat(migration
                        .at("/metadata/annotations/migration.kubevirt.io~1added-node-selector-term")
                        .asText())
                .isEqualTo("{\"matchExpressions\":[{\"key\":\"rack\",\"operator\":\"In\",\"values\":[\"r7\"]}]}");
    }

    /** What a template makes of a value that nobody gave: whoever wrote the field did not mean anywhere. */
    @Test
    void aFieldThatIsNullIsRefusedWhenTheMigrationIsCreated() {
        String object = TYPED.substring(0, TYPED.indexOf("addedNodeSelectorTerm:")) + "addedNodeSelectorTerm: null";

        assertThat(fields(admission.judge(Reviews.create(object)))).containsExactly("spec.addedNodeSelectorTerm");
    }

    @Test
    void aFieldThatIsNullIsTakenOutOfAMigrationThatExists() {
        String object = TYPED.substring(0, TYPED.indexOf("addedNodeSelectorTerm:")) + "addedNodeSelectorTerm: null";

        JsonNode migration = after(object, admission.judge(update(ANNOTATED, object)));

        assertThat(migration.at("/spec").has("addedNodeSelectorTerm")).isFalse();
    }

    @Test
    void otherAnnotationsStayWhenTheFieldMoves() {
        String object = TYPED.replace("metadata: {name: m}", "metadata: {name: m, annotations: {a/b: c}}");

        JsonNode migration = after(object, admission.judge(Reviews.create(object)));

        assertThat(migration.at("/metadata/annotations/a~1b").asText()).isEqualTo("c");
    }

    @Test
    void theSameTermInBothPlacesKeepsTheTextOfTheAnnotation() {
        JsonNode migration = after(BOTH, admission.judge(Reviews.create(BOTH)));

        assertThat(migration).isEqualTo(Reviews.yaml(ANNOTATED));
    }

    @Test
    void differentTermsInTheTwoPlacesAreRefused() {
        assertThat(fields(admission.judge(Reviews.create(DIFFERENT)))).containsExactly("spec.addedNodeSelectorTerm");
    }

    @Test
    void anUpdateThatRepeatsTheTermPasses() {
        JsonNode migration = after(BOTH, admission.judge(update(ANNOTATED, BOTH)));

        assertThat(migration).isEqualTo(Reviews.yaml(ANNOTATED));
    }

    @Test
    void anUpdateThatChangesTheTermIsRefused() {
        assertThat(fields(admission.judge(update(ANNOTATED, DIFFERENT)))).contains("spec.addedNodeSelectorTerm");
        assertThat(fields(admission.judge(update(ANNOTATED, TYPED.replace("r7", "r8")))))
                .containsExactly("spec.addedNodeSelectorTerm");
    }

    @Test
    void anUpdateThatAddsATermLateIsRefused() {
        assertThat(fields(admission.judge(update("{metadata: {name: m}, spec: {vmiName: db}}", TYPED))))
                .containsExactly("spec.addedNodeSelectorTerm");
    }

    @Test
    void allErrorsOfBothPlacesComeAtOnce() {
        String object = """
                metadata:
                  annotations: {migration.kubevirt.io/added-node-selector-term: "{matchLabels: {a: b}}"}
                spec:
                  addedNodeSelectorTerm: {matchExpressions: [{key: "a b", operator: in}]}
                """;

        assertThat(fields(admission.judge(Reviews.create(object))))
                .contains(
                        "metadata.annotations[migration.kubevirt.io/added-node-selector-term].matchLabels",
                        "spec.addedNodeSelectorTerm.matchExpressions[0].key",
                        "spec.addedNodeSelectorTerm.matchExpressions[0].operator");
    }

    @Test
    void aTermWhereAnotherClusterMakesTheTargetPodIsRefused() {
        assertThat(fields(admission.judge(Reviews.create(
                        TYPED.replace("  vmiName: db", "  vmiName: db\n  sendTo: {migrationID: x, connectURL: y}")))))
                .containsExactly("spec.sendTo");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  ", "{}", "matchExpressions: []"})
    void anEmptyTermIsRefused(String term) {
        String object = "{metadata: {annotations: {migration.kubevirt.io/added-node-selector-term: \"" + term
                + "\"}}, spec: {vmiName: db}}";

        assertThat(fields(admission.judge(Reviews.create(object))))
                .containsExactly("metadata.annotations[migration.kubevirt.io/added-node-selector-term]");
    }

    @Test
    void anAnnotationThatIsNoStringIsNoReviewOfAnApiServer() {
        assertThatThrownBy(
                        () -> admission.judge(
                                Reviews.create(
                                        "{metadata: {annotations: {migration.kubevirt.io/added-node-selector-term: {a: b}}}, spec: {}}")))
                .isInstanceOf(MalformedReviewException.class);
    }

    private static List<String> fields(Verdict verdict) {
        if (verdict instanceof Verdict.Denied denied) {
            return denied.errors().stream().map(FieldError::field).toList();
        }
        throw new AssertionError("not denied: " + verdict);
    }
}
