package io.kubevirt.ferry.controller;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.NodeSelectorTermBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.kubevirt.ferry.kubevirt.Condition;
import io.kubevirt.ferry.kubevirt.LauncherPod;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import io.kubevirt.ferry.placement.NarrowedAffinity;
import io.kubevirt.ferry.placement.NodeView;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlacementJudgeTest {
    private static final NodeSelectorTerm TERM = new NodeSelectorTermBuilder()
            .addNewMatchExpression()
            .withKey("rack")
            .withOperator("In")
            .withValues("r7")
            .endMatchExpression()
            .build();
    private static final Affinity NARROWED = NarrowedAffinity.and(null, TERM).affinity();
    private static final Condition UNSCHEDULABLE =
            new Condition("PodScheduled", "False", "Unschedulable", "0/2 nodes are available");

    private static final List<NodeView> NODES = List.of(
            new NodeView("right", Map.of("rack", "r7", "kubevirt.io/schedulable", "true"), List.of(), false, true),
            new NodeView("wrong", Map.of("rack", "r8", "kubevirt.io/schedulable", "true"), List.of(), false, true));

    private static VirtualMachineInstanceMigration migration(String phase) {
        VirtualMachineInstanceMigration migration = new VirtualMachineInstanceMigration();
        migration.setMetadata(new ObjectMetaBuilder().withName("m").withUid("u").build());
        migration.setStatus(new VirtualMachineInstanceMigration.Status(phase, null, List.of()));
        return migration;
    }

    private static LauncherPod pod(@Nullable String node, @Nullable Affinity affinity, Condition... conditions) {
        LauncherPod pod = new LauncherPod();
        pod.setMetadata(new ObjectMetaBuilder().withName("virt-launcher-db-x").build());
        pod.setSpec(new LauncherPod.Spec(node, affinity, Map.of(), List.of(), List.of()));
        pod.setStatus(new LauncherPod.Status("Pending", List.of(conditions)));
        return pod;
    }

    private static PlacementJudge.Judgement judge(String phase, LauncherPod pod) {
        return PlacementJudge.judge(new Sighting(migration(phase), TERM, pod, NODES, Optional.of("wrong")));
    }

    private static Placement said(PlacementJudge.Judgement judgement) {
        return judgement.placement().orElseThrow();
    }

    @Test
    void aPodThatTheSchedulerHasNotLookedAtSaysNothing() {
        assertThat(judge("Scheduling", pod(null, NARROWED))).isEqualTo(PlacementJudge.Judgement.NOTHING_YET);
        assertThat(judge("Scheduling", pod("", null))).isEqualTo(PlacementJudge.Judgement.NOTHING_YET);
    }

    @Test
    void aNarrowedPodOnANodeHasTheTermApplied() {
        Placement placement = said(judge("Scheduled", pod("right", NARROWED)));

        assertThat(placement.status()).isEqualTo("True");
        assertThat(placement.reason()).isEqualTo(Placement.Reason.TermApplied);
        assertThat(placement.message()).isEqualTo("target pod virt-launcher-db-x is on right; 1 node qualifies");
    }

    @Test
    void aPodThatFitsNowhereIsExplainedWithTheSchedulersWords() {
        Placement placement = said(judge("Scheduling", pod(null, NARROWED, UNSCHEDULABLE)));

        assertThat(placement.reason()).isEqualTo(Placement.Reason.Unschedulable);
        assertThat(placement.status()).isEqualTo("False");
        assertThat(placement.message()).contains("right", "the scheduler says: 0/2 nodes are available");
    }

    @Test
    void aPodThatGotPastToARightNodeIsApproved() {
        PlacementJudge.Judgement judgement = judge("Running", pod("right", null));

        assertThat(judgement.deletePod()).isFalse();
        assertThat(said(judgement).reason()).isEqualTo(Placement.Reason.TermApplied);
        assertThat(said(judgement).message()).contains("satisfies the term all the same");
    }

    @ParameterizedTest
    @CsvSource({"Scheduling, true", "Running, true", "Succeeded, false", "Failed, false"})
    void aPodThatGotPastToAWrongNodeIsDeletedUnlessTheMigrationIsOver(String phase, boolean deleted) {
        PlacementJudge.Judgement judgement = judge(phase, pod("wrong", null));

        assertThat(judgement.deletePod()).isEqualTo(deleted);
        assertThat(said(judgement).reason()).isEqualTo(Placement.Reason.Bypassed);
        assertThat(said(judgement).eventType()).isEqualTo("Warning");
    }

    @Test
    void aPodInWhichTheGuestRunsIsNeverDeleted() {
        LauncherPod pod = pod("wrong", null);
        pod.getMetadata().setAnnotations(Map.of(LauncherPod.GUEST_RUNS_ANNOTATION, "2026-06-01T12:00:00Z"));

        PlacementJudge.Judgement judgement = judge("Running", pod);

        assertThat(judgement.deletePod()).isFalse();
        assertThat(said(judgement).message()).contains("left alone", "create another directed migration");
    }

    @Test
    void aNodeThatNobodyHasSeenYetIsWaitedFor() {
        assertThat(judge("Running", pod("just-joined", null))).isEqualTo(PlacementJudge.Judgement.NOTHING_YET);
    }

    private static VirtualMachineInstanceMigration approved(String message) {
        VirtualMachineInstanceMigration approved = migration("Running");
        approved.setStatus(new VirtualMachineInstanceMigration.Status(
                "Running",
                null,
                List.of(),
                List.of(JsonNodeFactory.instance
                        .objectNode()
                        .put("type", "TargetPlacement")
                        .put("status", "True")
                        .put("message", message))));
        return approved;
    }

    @Test
    void anApprovalOfAPodWithALongerNameIsNotThisOnes() {
        VirtualMachineInstanceMigration approved =
                approved("target pod virt-launcher-db-xy is on right; 1 node qualifies");

        PlacementJudge.Judgement judgement =
                PlacementJudge.judge(new Sighting(approved, TERM, pod("wrong", null), NODES, Optional.of("wrong")));

        assertThat(judgement.deletePod()).isTrue();
    }

    @Test
    void ofSeveralPodsTheOneThatGotPastCountsThenTheOneThatFitsNowhereThenTheOneThatWaits() {
        PlacementJudge.Judgement applied = judge("Running", pod("right", NARROWED));
        PlacementJudge.Judgement waits = judge("Running", pod(null, NARROWED));
        PlacementJudge.Judgement nowhere = judge("Running", pod(null, NARROWED, UNSCHEDULABLE));
        PlacementJudge.Judgement past = judge("Running", pod("wrong", null));

        assertThat(PlacementJudge.gravest(List.of(applied, past, nowhere, waits)))
                .isEqualTo(past);
        assertThat(PlacementJudge.gravest(List.of(applied, nowhere, waits))).isEqualTo(nowhere);
        assertThat(PlacementJudge.gravest(List.of(applied, waits))).isEqualTo(waits);
        assertThat(PlacementJudge.gravest(List.of(applied))).isEqualTo(applied);
        assertThat(PlacementJudge.gravest(List.of())).isEqualTo(PlacementJudge.Judgement.NOTHING_YET);
    }

    @Test
    void anApprovalStandsWhateverBecomesOfTheNodesLabels() {
        VirtualMachineInstanceMigration approved =
                approved("target pod virt-launcher-db-x is on wrong; 1 node qualifies");

        assertThat(PlacementJudge.judge(new Sighting(approved, TERM, pod("wrong", null), NODES, Optional.of("right"))))
                .isEqualTo(PlacementJudge.Judgement.NOTHING_YET);
    }
}
