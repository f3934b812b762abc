package io.kubevirt.ferry.admission;

import static io.kubevirt.ferry.admission.Reviews.after;
import static io.kubevirt.ferry.admission.Reviews.yaml;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TargetPodAdmissionTest {
    private static final String TERM = "{matchFields: [{key: metadata.name, operator: In, values: [node-7]}]}";
    private static final String MARKS = """
            metadata:
              labels: {kubevirt.io: virt-launcher, kubevirt.io/migrationJobUID: u-1}
              annotations: {kubevirt.io/migrationJobName: m}
            """;
    private static final String POD = MARKS + """
            spec:
              nodeSelector: {kubevirt.io/schedulable: "true"}
              affinity:
                podAntiAffinity: {unknownToUs: [1, 2]}
                nodeAffinity:
                  preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {}}]
                  requiredDuringSchedulingIgnoredDuringExecution:
                    nodeSelectorTerms:
                    - matchExpressions: [{key: zone, operator: In, values: [a]}]
                    - {}
                    - matchExpressions: [{key: zone, operator: In, values: [b]}]
            """;

    private static TargetPodAdmission answering(Migrations.Found found) {
        return new TargetPodAdmission(
                (namespace, name, uid) -> namespace.equals("shop") && name.equals("m") && uid.equals("u-1")
                        ? found
                        : new Migrations.Found.None());
    }

    private final TargetPodAdmission directed = answering(new Migrations.Found.Migration(Optional.of(TERM)));
    private final TargetPodAdmission unanswered = answering(new Migrations.Found.Unanswered("down"));

    @Test
    void whatIsKnownIsAnsweredAtOnceAndTheRestIsLookedUp() {
        var found = new Migrations.Found.Migration(Optional.of(TERM));
        Migrations knowing = new Migrations() {
            @Override
            public Found find(String namespace, String name, String uid) {
                throw new AssertionError("looked up though it is known");
            }

            @Override
            public Optional<Found> known(String namespace, String name, String uid) {
                return Optional.of(found);
            }
        };

        assertThat(new TargetPodAdmission(knowing).judgeAtOnce(Reviews.create(POD)))
                .contains(directed.judge(Reviews.create(POD)));
        assertThat(directed.judgeAtOnce(Reviews.create(POD))).isEmpty();
        assertThat(directed.judgeAtOnce(Reviews.create("{metadata: {}, spec: {}}")))
                .contains(Verdict.Allowed.silently());
    }

    @Test
    void theTermGoesIntoEachTermThatIsNotEmptyAndNothingElseChanges() {
        JsonNode expected = yaml(POD);
        ArrayNode terms = (ArrayNode) expected.at(
                "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms");
        JsonNode fields = yaml(TERM).get("matchFields");
        ((ObjectNode) terms.get(0)).set("matchFields", fields);
        ((ObjectNode) terms.get(2)).set("matchFields", fields);

        assertThat(after(POD, directed.judge(Reviews.create(POD)))).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "spec: {}",
                "spec: {affinity: {}}",
                "spec: {affinity: {nodeAffinity: {}}}",
                "spec: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: null}}}"
            })
    void aPodWithoutRequiredNodeAffinityGetsTheTermAlone(String spec) {
        JsonNode pod = after(MARKS + spec, directed.judge(Reviews.create(MARKS + spec)));

        assertThat(pod.at("/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution"))
                .isEqualTo(yaml("{nodeSelectorTerms: [" + TERM + "]}"));
    }

    @Test
    void aPodThatSaysItAlreadyPassesWithoutAPatch() {
        String pod = MARKS
                + "spec: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: ["
                + TERM + "]}}}}";

        assertThat(directed.judge(Reviews.create(pod))).isEqualTo(Verdict.Allowed.silently());
    }

    @Test
    void thePodOfAnOrdinaryMigrationPassesUntouched() {
        assertThat(answering(new Migrations.Found.Migration(Optional.empty())).judge(Reviews.create(POD)))
                .isEqualTo(Verdict.Allowed.silently());
    }

    @ParameterizedTest
    @CsvSource({"u-1, u-2", "migrationJobName: m, migrationJobName: other", "virt-launcher, other"})
    void aPodThatBelongsToNoMigrationPassesUntouched(String mark, String forged) {
        assertThat(directed.judge(Reviews.create(POD.replace(mark, forged)))).isEqualTo(Verdict.Allowed.silently());
    }

    @Test
    void aMigrationOfAnotherNamespaceIsNotLookedAt() {
        Admitted elsewhere = new Admitted(
                Admitted.Operation.CREATE, "elsewhere", Reviews.NOBODY, yaml(POD), Reviews.JSON.missingNode());

        assertThat(directed.judge(elsewhere)).isEqualTo(Verdict.Allowed.silently());
    }

    @Test
    void aPodIsHeldByOurGateWhenNobodyKnowsItsMigration() {
        JsonNode pod = after(POD, unanswered.judge(Reviews.create(POD)));

        assertThat(pod.at("/spec/schedulingGates"))
                .isEqualTo(yaml("[{name: migration.kubevirt.io/added-node-selector-term}]"));
        ((ObjectNode) pod.at("/spec")).remove("schedulingGates");
        assertThat(pod).isEqualTo(yaml(POD));
    }

    @Test
    void theGatesOfOthersStay() {
        String gated = POD.replace("spec:\n", "spec:\n  schedulingGates: [{name: kubevirt.io/aaq}]\n");

        assertThat(after(gated, unanswered.judge(Reviews.create(gated))).at("/spec/schedulingGates"))
                .isEqualTo(yaml("[{name: kubevirt.io/aaq}, {name: migration.kubevirt.io/added-node-selector-term}]"));
    }

    @Test
    void aPodThatIsShownASecondTimeGetsNoSecondGate() {
        String once = after(POD, unanswered.judge(Reviews.create(POD))).toString();

        assertThat(unanswered.judge(Reviews.create(once))).isEqualTo(Verdict.Allowed.silently());
    }

    @Test
    void aTermThatNobodyCheckedStopsThePodAndNamesTheField() {
        Verdict verdict = answering(new Migrations.Found.Migration(Optional.of("{matchLabels: {}}")))
                .judge(Reviews.create(POD));

        assertThat(verdict)
                .isInstanceOfSatisfying(
                        Verdict.Denied.class,
                        denied -> assertThat(denied.errors())
                                .extracting(error -> error.field())
                                .containsExactly(
                                        "metadata.annotations[migration.kubevirt.io/added-node-selector-term].matchLabels"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "spec: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: 5}}}",
                "spec: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: 5}}}}",
                "spec: {affinity: 5}",
                "spec: 5"
            })
    void whatNoApiServerWouldSendIsMalformed(String spec) {
        assertThatThrownBy(() -> directed.judge(Reviews.create(MARKS + spec)))
                .isInstanceOf(MalformedReviewException.class);
    }
}
