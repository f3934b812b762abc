package io.kubevirt.ferry.volumes;

import static io.kubevirt.ferry.volumes.ForwardTest.manual;
import static io.kubevirt.ferry.volumes.Scene.NEW;
import static io.kubevirt.ferry.volumes.Scene.OLD;
import static io.kubevirt.ferry.volumes.Scene.at;
import static io.kubevirt.ferry.volumes.Scene.kubeVirts;
import static io.kubevirt.ferry.volumes.Scene.moved;
import static io.kubevirt.ferry.volumes.Scene.takenUp;
import static io.kubevirt.ferry.volumes.Scene.vmim;
import static io.kubevirt.ferry.volumes.Scene.volumes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.kubevirt.ferry.api.Names;
import io.kubevirt.ferry.api.Progress.Guest;
import io.kubevirt.ferry.api.Progress.Step;
import io.kubevirt.ferry.api.ReclaimPolicy;
import io.kubevirt.ferry.api.Verdict;
import io.kubevirt.ferry.api.VolumeMigrationCondition;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** How runs let go, verdict by verdict: always the lock first. */
class OutcomesTest {

    static Stream<Arguments> givenUp() {
        return Stream.of(
                arguments("the lock first", given(at(Step.Locked)), "Unlock"),
                arguments("then hold and fence", given(at(Step.Quiet)), "Release"),
                arguments("then it waits again", given(at(Step.Quiet)).with(OutcomesTest::letGo), "closed"),
                arguments(
                        "a VM that a late write has changed is rolled back",
                        given(at(Step.Locked)).with(s -> s.machineVolumes = volumes(NEW)),
                        "verdict RollBack, for RolledBack"),
                arguments(
                        "one that somebody else has changed is let go of",
                        given(at(Step.Quiet)).with(s -> s.machineVolumes = volumes(NEW)),
                        "Release"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("givenUp")
    void givenUp(String what, Scene scene, String then) {
        assertThat(Told.of(scene)).as(what).isEqualTo(then);
    }

    @Test
    void whatWasGivenUpWaitsForABetterMomentAndBeginsAnotherRun() {
        var scene = given(at(Step.Quiet)).with(OutcomesTest::letGo).progress(p -> p.closed());
        assertThat(Told.of(scene)).isEqualTo("run 2");
        scene.migrations.add(vmim("drain", "Running"));
        assertThat(Told.of(scene)).isEqualTo("RemoveFinalizer");
        assertThat(Told.reason(scene.decide())).isEqualTo("MigrationInFlight");
    }

    @Test
    void afterASuccessTheStrategyStaysAsLongAsTheVmi() {
        var unlock = (Action.Unlock) success().decide().action().orElseThrow();
        assertThat(unlock.restore()).contains("vmi-uid/");
        unlock = (Action.Unlock) success()
                .with(s -> s.machineAnnotations.put(Names.RESTORE_STRATEGY, "vmi-uid/Replacement"))
                .decide()
                .action()
                .orElseThrow();
        assertThat(unlock.restore()).as("what an earlier run left stands").isEmpty();
        unlock = (Action.Unlock)
                success().with(s -> s.strategy = null).decide().action().orElseThrow();
        assertThat(unlock.restore()).as("somebody took the strategy out").isEmpty();
    }

    static Stream<Arguments> rolledForward() {
        return Stream.of(
                arguments("the strategy goes", forward(), "ChangeStrategy"),
                arguments("then the lock", forward().with(s -> s.strategy = null), "Unlock"),
                arguments(
                        "hold and fence not before KubeVirt has seen it",
                        forward().with(OutcomesTest::unlocked).with(s -> s.generation++),
                        "waits, RollingBack"),
                arguments("hold and fence", forward().with(OutcomesTest::unlocked), "Release"),
                arguments(
                        "then it has ended",
                        forward().with(OutcomesTest::unlocked).with(OutcomesTest::letGo),
                        "closed"),
                arguments("a VM of its user's waits for him", manual(forward()), "waits, WaitingForUser"),
                arguments("who has taken the strategy out", manual(forward()).with(s -> s.strategy = null), "Release"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rolledForward")
    void rolledForward(String what, Scene scene, String then) {
        assertThat(Told.of(scene)).as(what).isEqualTo(then);
    }

    @Test
    void aStrategyThatWasAlwaysMigrationComesBackWhenTheVmiIsGone() {
        var scene = forward().with(s -> {
            s.run = RunRecords.withStrategy(s.run(), VirtualMachine.MIGRATION);
        });
        var drop = (Action.ChangeStrategy) scene.decide().action().orElseThrow();
        assertThat(drop.strategy().after()).isEmpty();
        scene.strategy = null;
        var unlock = (Action.Unlock) scene.decide().action().orElseThrow();
        assertThat(unlock.restore()).contains("vmi-uid/Migration");
    }

    @Test
    void whatAnEarlierRunLeftToBePutBackStaysUntilTheVmiIsGone() {
        var scene = forward().with(s -> {
            s.run = RunRecords.withStrategy(s.run(), VirtualMachine.MIGRATION);
            s.machineAnnotations.put(Names.RESTORE_STRATEGY, "vmi-uid/Replacement");
        });
        var drop = (Action.ChangeStrategy) scene.decide().action().orElseThrow();
        assertThat(drop.strategy().after()).contains("Replacement");
        scene.strategy = "Replacement";
        var unlock = (Action.Unlock) scene.decide().action().orElseThrow();
        assertThat(unlock.restore()).isEmpty();
    }

    static Stream<Arguments> changed() {
        return Stream.of(
                arguments(
                        "what we began is stopped",
                        taken(takenUp()).with(s -> s.migrations.add(kubeVirts(vmim("m", "Pending")))),
                        "DeleteMigration"),
                arguments("it is looked where the guest is", taken(takenUp()), "guest Sources"),
                arguments("the lock goes where it is still ours", looked(taken(takenUp())), "Unlock"),
                arguments(
                        "hold and fence", looked(taken(takenUp())).with(s -> s.machineAnnotations.clear()), "Release"),
                arguments("what cannot be seen is let be", taken(takenUp()).with(s -> s.pods.clear()), "Unlock"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("changed")
    void takenOverBySomebodyElse(String what, Scene scene, String then) {
        assertThat(Told.of(scene)).as(what).isEqualTo(then);
    }

    @Test
    void whereTheGuestIsOnOtherClaimsThanTheVmNamesTheMessageSaysWhatToWrite() {
        var scene = looked(taken(takenUp())).with(s -> {
            s.machineAnnotations.clear();
            s.machineVolumes = volumes(List.of("third", "new-data"));
            letGo(s);
        });
        assertThat(scene.decide().status().condition("Ready").orElseThrow().message())
                .isEqualTo(
                        "why; the guest is on other claims than the VM names: to keep its data write volume root on claim"
                                + " old-root, volume data on claim old-data before its next restart");
    }

    static Stream<Arguments> unknown() {
        return Stream.of(
                arguments("nobody chooses", lost(), "waits, DataLocationUnknown"),
                arguments(
                        "a user has chosen the destinations",
                        lost().with(s -> s.machineAnnotations.clear()),
                        "verdict Changed, for VirtualMachineChanged"),
                arguments(
                        "a user has chosen the sources",
                        lost().with(s -> s.machineVolumes = volumes(OLD)),
                        "verdict Changed, for VirtualMachineChanged"),
                arguments("the VolumeMigration is deleted: let go", lost().with(s -> s.deleted = true), "Unlock"),
                arguments(
                        "the VolumeMigration is deleted, and the hold keeps the VM from starting on the wrong claims",
                        kept().with(s -> s.deleted = true),
                        "waits, DataLocationUnknown"),
                arguments(
                        "the VolumeMigration is deleted, and the VM would start on the wrong claims when its guest stops",
                        manual(takenUp())
                                .verdict(Verdict.DataLocationUnknown, Reason.DataLocationUnknown)
                                .with(s -> s.deleted = true),
                        "waits, DataLocationUnknown"),
                arguments("a user's own VM waits for him", kept(), "waits, DataLocationUnknown"),
                arguments(
                        "he has chosen the destinations",
                        kept().with(s -> s.strategy = null),
                        "verdict Changed, for VirtualMachineChanged"),
                arguments(
                        "he has chosen the sources",
                        kept().with(s -> s.machineVolumes = volumes(OLD)),
                        "verdict Changed, for VirtualMachineChanged"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("unknown")
    void whereNobodyKnowsWhereTheNewestDataIs(String what, Scene scene, String then) {
        assertThat(Told.of(scene)).as(what).isEqualTo(then);
    }

    /** A VM that its user changes, which is over and held. */
    private static Scene kept() {
        return manual(takenUp().ended()).verdict(Verdict.DataLocationUnknown, Reason.DataLocationUnknown);
    }

    @Test
    void aUserWithoutALockIsNotToldToTakeItOff() {
        assertThat(kept().decide().status().condition("Ready").orElseThrow().message())
                .startsWith("A migration moved the guest before the VM ended, and the pod that it moved into is gone")
                .contains("that takes spec.updateVolumesStrategy out: either volume root on claim old-root");
    }

    @Test
    void bothWaysOutAreInTheMessage() {
        assertThat(lost().decide().status().condition("Ready").orElseThrow().message())
                .contains(
                        "takes the annotation storage.kubevirt.io/volume-migration and spec.updateVolumesStrategy out")
                .contains(
                        "volume root on claim old-root, volume data on claim old-data, or volume root on claim new-root");
    }

    static Stream<Arguments> leaving() {
        return Stream.of(
                arguments(
                        "the VM is being deleted, and its guest runs",
                        takenUp().with(s -> s.machineDeleting = true),
                        "waits, VirtualMachineDeleted"),
                arguments(
                        "the VM is being deleted, and its VMI too",
                        takenUp().with(s -> s.machineDeleting = true).with(s -> s.instanceDeleting = true),
                        "Release"),
                arguments("the VM is gone", takenUp().with(s -> s.machineThere = false), "Release"),
                arguments(
                        "the namespace goes",
                        takenUp().with(s -> s.namespaceTerminating = true).with(s -> s.instanceDeleting = true),
                        "Release"),
                arguments(
                        "then it has ended",
                        takenUp().with(s -> s.machineThere = false).with(OutcomesTest::letGo),
                        "verdict Changed, for VirtualMachineDeleted, closed"),
                arguments(
                        "sources of a VM that had moved stay",
                        success().with(s -> s.machineThere = false).with(OutcomesTest::letGo),
                        "closed, sources stay"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("leaving")
    void aVmThatGoesIsLetGoAtOnce(String what, Scene scene, String then) {
        assertThat(Told.of(scene)).as(what).isEqualTo(then);
    }

    static Stream<Arguments> ends() {
        return Stream.of(
                arguments(ended(Verdict.Success, Reason.Migrated), "Ready", "Migrated", "Migrated=True/Migrated"),
                arguments(
                        ended(Verdict.RollForward, Reason.RolledForward),
                        "Ready",
                        "RolledForward",
                        "Migrated=True/RolledForward"),
                arguments(
                        ended(Verdict.RollBack, Reason.BackoffLimitExceeded),
                        "Stalled",
                        "BackoffLimitExceeded",
                        "Migrated=False/RolledBack"),
                arguments(
                        ended(Verdict.RollBack, Reason.Cancelled), "Stalled", "Cancelled", "Migrated=False/RolledBack"),
                arguments(
                        ended(Verdict.RollBack, Reason.RolledBack),
                        "Stalled",
                        "RolledBack",
                        "Migrated=False/RolledBack"),
                arguments(
                        ended(Verdict.Changed, Reason.VirtualMachineChanged),
                        "Stalled",
                        "VirtualMachineChanged",
                        "Migrated=False/VirtualMachineChanged"),
                arguments(
                        ended(Verdict.Changed, Reason.VirtualMachineDeleted),
                        "Stalled",
                        "VirtualMachineDeleted",
                        "Migrated=False/VirtualMachineDeleted"));
    }

    @ParameterizedTest(name = "{2}")
    @MethodSource("ends")
    void theEndShows(Scene scene, String condition, String reason, String migrated) {
        var decision = scene.decide();
        var status = decision.status();
        var shown = status.condition(condition).orElseThrow();
        assertThat(shown.holds()).isTrue();
        assertThat(shown.reason()).isEqualTo(reason);
        assertThat(status.condition("Reconciling").map(VolumeMigrationCondition::holds))
                .contains(false);
        var was = status.condition("Migrated").orElseThrow();
        assertThat("Migrated=" + was.status() + "/" + was.reason()).isEqualTo(migrated);
        assertThat(status.endTimestamp()).isEqualTo("2026-05-01T12:00:00Z");
        assertThat(decision.action()).get().isInstanceOf(Action.RemoveFinalizer.class);
    }

    @Test
    void aHandOverThatMayNotHaveBeenReportedIsSaid() {
        var scene = ended(Verdict.RollBack, Reason.RolledBack).progress(p -> p.withHandOverUnseen());
        assertThat(scene.decide().status().condition("Ready").orElseThrow().message())
                .contains("if the guest was handed over in that very second, the destinations hold its last writes");
    }

    @Test
    void aFinishedOneIsDeletedAfterItsTimeToLive() {
        var scene = ended(Verdict.RollBack, Reason.RolledBack).with(s -> {
            s.finalizers.clear();
            s.ttl = 60;
        });
        scene.status = scene.decide().status();
        scene.now = Scene.NOW.plusSeconds(59);
        assertThat(scene.decide().action()).isEmpty();
        assertThat(scene.decide().again()).contains(java.time.Duration.ofSeconds(1));
        scene.now = Scene.NOW.plusSeconds(60);
        assertThat(scene.decide().action())
                .contains(new Action.DeleteVolumeMigration(new Action.Ref("to-ceph", "volmig-uid"), "5"));
    }

    @Test
    void aDeletedOneThatHasEndedIsLetGo() {
        var scene = ended(Verdict.Success, Reason.Migrated).with(s -> s.deleted = true);
        assertThat(Told.of(scene)).isEqualTo("RemoveFinalizer");
        scene = new Scene().with(s -> s.deleted = true);
        assertThat(scene.decide().action()).isEmpty();
    }

    // Scenes

    private static Scene given(Scene scene) {
        return scene.verdict(Verdict.GiveUp, Reason.MigrationInFlight);
    }

    /** Nothing to reclaim. */
    private static Scene success() {
        return moved().attempts(a -> a.withHandedOver("vmim-1"))
                .with(s -> s.reclaim = ReclaimPolicy.Retain)
                .verdict(Verdict.Success, Reason.Migrated);
    }

    private static Scene forward() {
        return takenUp()
                .ended()
                .progress(p -> p.with(Guest.Destinations))
                .verdict(Verdict.RollForward, Reason.RolledForward);
    }

    private static Scene taken(Scene scene) {
        return scene.verdict(Verdict.Changed, Reason.VirtualMachineChanged);
    }

    private static Scene looked(Scene scene) {
        return scene.progress(p -> p.with(Guest.Sources));
    }

    private static Scene lost() {
        return takenUp().with(s -> s.instanceThere = false).verdict(Verdict.DataLocationUnknown, Reason.RolledBack);
    }

    private static Scene ended(Verdict verdict, Reason reason) {
        return success()
                .with(OutcomesTest::unlocked)
                .with(OutcomesTest::letGo)
                .verdict(verdict, reason)
                .progress(p -> p.closed());
    }

    private static void unlocked(Scene scene) {
        scene.machineAnnotations.remove(Names.VOLUME_MIGRATION);
        scene.strategy = null;
    }

    private static void letGo(Scene scene) {
        scene.instanceFinalizers.remove(Names.VOLUME_MIGRATION);
        scene.instanceLabels.remove(Names.VOLUME_MIGRATION);
    }

    @Test
    void theLockGoesFromExactlyTheVolumesThatWereRead() {
        var unlock = (Action.Unlock) success().decide().action().orElseThrow();
        assertThat(unlock.volumes())
                .containsExactly(
                        new Action.Placed<>(0, volumes(NEW).get(0)),
                        new Action.Placed<>(1, volumes(NEW).get(1)));
        assertThat(Optional.of(unlock.lock())).contains(Scene.LOCK);
    }
}
