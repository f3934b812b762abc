package io.kubevirt.ferry.volumes;

import static io.kubevirt.ferry.volumes.ForwardTest.manual;
import static io.kubevirt.ferry.volumes.Scene.NEW;
import static io.kubevirt.ferry.volumes.Scene.OLD;
import static io.kubevirt.ferry.volumes.Scene.changed;
import static io.kubevirt.ferry.volumes.Scene.dataVolume;
import static io.kubevirt.ferry.volumes.Scene.kubeVirts;
import static io.kubevirt.ferry.volumes.Scene.launcher;
import static io.kubevirt.ferry.volumes.Scene.moved;
import static io.kubevirt.ferry.volumes.Scene.state;
import static io.kubevirt.ferry.volumes.Scene.takenUp;
import static io.kubevirt.ferry.volumes.Scene.target;
import static io.kubevirt.ferry.volumes.Scene.template;
import static io.kubevirt.ferry.volumes.Scene.vmim;
import static io.kubevirt.ferry.volumes.Scene.volume;
import static io.kubevirt.ferry.volumes.Scene.volumes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.kubevirt.ferry.api.Before;
import io.kubevirt.ferry.api.Names;
import io.kubevirt.ferry.api.Original;
import io.kubevirt.ferry.api.Progress.Guest;
import io.kubevirt.ferry.api.Progress.Waiting;
import io.kubevirt.ferry.api.Verdict;
import io.kubevirt.ferry.kubevirt.Condition;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstance;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import io.kubevirt.ferry.kubevirt.Volume;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Abort, look, put back; and where KubeVirt does not listen any more, wait for a restart. */
class RollBackTest {

    static Stream<Arguments> aborts() {
        return Stream.of(
                arguments("ours or KubeVirt's", kubeVirts(vmim("m", "Running")), true, "DeleteMigration"),
                arguments("anybody's without a target pod", vmim("m", "Pending"), false, "DeleteMigration"),
                arguments("anybody else's is waited for", vmim("m", "Running"), true, "waits, RollingBack"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("aborts")
    void firstUnfinishedMigrationsAreDeleted(
            String what, VirtualMachineInstanceMigration vmim, boolean withPod, String then) {
        var scene = rollingBack(takenUp()).with(s -> s.migrations.add(vmim));
        if (withPod) {
            scene.pods.add(target("target", "m", "node-2", "Running", NEW));
        }
        assertThat(Told.of(scene)).as(what).isEqualTo(then);
    }

    @Test
    void oneThatIsDeletedAlreadyIsWaitedFor() {
        var going = kubeVirts(vmim("m", "Running"));
        going.getMetadata().setDeletionTimestamp("now");
        assertThat(Told.of(rollingBack(takenUp()).with(s -> s.migrations.add(going))))
                .isEqualTo("waits, RollingBack");
    }

    @Test
    void itIsLookedOnlyWhenTheStateOfTheMigrationIsCompleted() {
        var scene = rollingBack(takenUp()).with(s -> s.migrationState = state("m", false, false, null));
        assertThat(Told.of(scene)).isEqualTo("waits, RollingBack");
        scene.migrationState = state("m", true, true, null);
        assertThat(Told.of(scene)).isEqualTo("guest Sources");
    }

    static Stream<Arguments> whereabouts() {
        return Stream.of(
                arguments("running, in a pod on the sources", takenUp(), "guest Sources"),
                arguments(
                        "running, in a pod on the destinations",
                        moved().attempts(a -> a.withHandedOver("vmim-1")),
                        "guest Destinations"),
                arguments(
                        "running, the pod not to be seen",
                        takenUp().with(s -> s.pods.clear()),
                        "waiting since for Looked"),
                arguments("over, nothing ever handed over", takenUp().ended(), "guest Sources"),
                arguments(
                        "over, after KubeVirt had finished",
                        moved().attempts(a -> a.withHandedOver("vmim-1")).ended(),
                        "guest Destinations"),
                arguments(
                        "over, handed over and not finished",
                        takenUp()
                                .ended()
                                .attempts(a -> a.withHandedOver("m"))
                                .with(s -> s.migrationState = state("m", true, true, "then")),
                        "guest Destinations"),
                arguments(
                        "over, handed over once and wiped since",
                        takenUp()
                                .ended()
                                .attempts(a -> a.withHandedOver("first"))
                                .with(s -> s.migrationState = state("second", false, false, null)),
                        "guest Destinations"),
                arguments(
                        "over, a VM of its user's, by a migration whose pod mounted the sources",
                        manual(takenUp().ended()).with(s -> {
                            s.migrationState = state("m", true, true, "then");
                            s.pods.clear();
                            s.pods.add(target("target", "m", "node-2", "Failed", OLD));
                        }),
                        "guest Sources"),
                arguments(
                        "over, a VM of its user's, by a migration whose pod mounted the destinations",
                        manual(takenUp().ended()).with(s -> {
                            s.migrationState = state("m", true, true, "then");
                            s.pods.clear();
                            s.pods.add(target("target", "m", "node-2", "Failed", NEW));
                        }),
                        "handed over m"),
                arguments(
                        "over, a VM of its user's, by a migration whose pod is gone",
                        manual(takenUp().ended()).with(s -> {
                            s.migrationState = state("m", true, true, "then");
                            s.pods.clear();
                        }),
                        "waiting since for Looked"),
                arguments(
                        "over, a VM of its user's, by a migration whose pod has lost an attachment pod",
                        manual(takenUp().ended()).with(s -> {
                            s.migrationState = state("m", true, true, "then");
                            s.pods.clear();
                            s.pods.add(target("target", "m", "node-2", "Failed", List.of("new-root")));
                        }),
                        "waiting since for Looked"),
                arguments(
                        "over, a VM of its user's, KubeVirt finished, and the last pod is gone",
                        manual(takenUp().ended()).with(s -> {
                            s.underWay = false;
                            s.instanceConditions.clear();
                            s.pods.clear();
                        }),
                        "waiting since for Looked"),
                arguments(
                        "over, a VM of its user's, KubeVirt finished, and the last pod was on the destinations",
                        manual(takenUp().ended()).with(s -> {
                            s.underWay = false;
                            s.instanceConditions.clear();
                            s.pods.clear();
                            s.pods.add(launcher("last", "node-1", "Failed", NEW));
                        }),
                        "guest Destinations"),
                arguments(
                        "over, handed over before the run",
                        takenUp().ended().lastBefore("m").with(s -> s.migrationState = state("m", true, false, "then")),
                        "guest Sources"),
                arguments(
                        "over, KubeVirt finished, but the last pod was on the sources",
                        takenUp().ended().with(s -> {
                            s.underWay = false;
                            s.instanceConditions.clear();
                            s.pods.clear();
                            s.pods.add(launcher("source", "node-1", "Failed", OLD));
                        }),
                        "guest Sources"),
                arguments(
                        "over, a migration ran to the end",
                        takenUp()
                                .ended()
                                .attempts(a -> a.underWay("m"))
                                .with(s -> s.migrations.add(withTransitions(vmim("m", "Failed"), "Running", "Failed"))),
                        "guest Sources, hand-over unseen"),
                arguments(
                        "over, the migration had not begun to copy",
                        takenUp()
                                .ended()
                                .attempts(a -> a.underWay("m"))
                                .with(s -> s.migrations.add(withTransitions(vmim("m", "Failed"), "Pending", "Failed"))),
                        "guest Sources"),
                arguments(
                        "gone, hold and all",
                        takenUp().with(s -> s.instanceThere = false),
                        "verdict DataLocationUnknown, for Cancelled"),
                arguments(
                        "gone, but seen on the destinations",
                        takenUp().attempts(a -> a.withHandedOver("m")).with(s -> s.instanceThere = false),
                        "guest Destinations"),
                arguments(
                        "another VMI runs, and may have written to what it booted from",
                        takenUp().progress(p -> p.with(Guest.Sources)).with(s -> s.instanceUid = "another"),
                        "verdict DataLocationUnknown, for Cancelled"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("whereabouts")
    void thenItIsLookedWhereTheGuestIs(String what, Scene scene, String then) {
        assertThat(Told.of(rollingBack(scene))).as(what).isEqualTo(then);
    }

    static Stream<Arguments> settled() {
        return Stream.of(
                arguments("KubeVirt has taken the change up", onSources(takenUp()), "PutBack"),
                arguments("the guest is off", onSources(takenUp()).ended(), "PutBack"),
                arguments("KubeVirt has refused", onSources(refused()), "PutBack"),
                arguments("a migration went past the volumes", onSources(leftBehind()), "PutBack"),
                arguments("KubeVirt has not seen the change", onSources(changed()), "waiting since for Settled"),
                arguments(
                        "KubeVirt is between its two writes",
                        onSources(changed()).with(s -> s.underWay = true),
                        "waiting since for Settled"),
                arguments(
                        "the VMI names the destinations, and nobody says yet that volumes change",
                        onSources(takenUp()).with(s -> s.instanceConditions.clear()),
                        "waiting since for Settled"),
                arguments(
                        "KubeVirt does not listen before a restart",
                        onSources(takenUp()).with(RollBackTest::owesARestart),
                        "waiting since for Settled"),
                arguments(
                        "the VM is about to stop",
                        onSources(changed()).with(s -> s.instanceDeleting = true),
                        "waits, RollingBack"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("settled")
    void theVmIsPutBackOnlyFromASettledState(String what, Scene scene, String then) {
        assertThat(Told.of(scene)).as(what).isEqualTo(then);
    }

    static Stream<Arguments> strategies() {
        return Stream.of(
                arguments("stays while KubeVirt has to cancel", onSources(takenUp()), false),
                arguments(
                        "goes at once where no guest runs", onSources(takenUp()).ended(), true),
                arguments("goes at once where KubeVirt refused", onSources(refused()), true),
                arguments("goes at once where KubeVirt takes the move for done", onSources(leftBehind()), true));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("strategies")
    void theStrategy(String what, Scene scene, boolean goes) {
        var putBack = (Action.PutBack) scene.decide().action().orElseThrow();
        assertThat(putBack.strategy().isPresent()).as(what).isEqualTo(goes);
    }

    @Test
    void volumesAndTemplatesComeBackExactlyAsRecorded() {
        var before = List.of(dataVolume("root", "old-root"), volume("data", "old-data"));
        var scene = onSources(takenUp()).with(s -> {
            s.templates = List.of(template("kept"), template("added"));
            var run = s.run();
            s.run = new Original(
                    run.virtualMachineUid(),
                    run.virtualMachineInstanceUid(),
                    1,
                    new Before(
                            before.stream().map(Volume::json).toList(),
                            List.of(new Before.DroppedTemplate(1, template("old-root"))),
                            run.before().claims(),
                            ""),
                    run.progress(),
                    run.attempts());
        });
        var putBack = (Action.PutBack) scene.decide().action().orElseThrow();
        assertThat(putBack.volumes()).extracting(Action.Change::after).containsExactlyElementsOf(before);
        assertThat(putBack.volumes()).extracting(Action.Change::before).containsExactlyElementsOf(volumes(NEW));
        assertThat(putBack.templates().after())
                .contains(List.of(template("kept"), template("old-root"), template("added")));
    }

    static Stream<Arguments> afterwards() {
        return Stream.of(
                arguments("KubeVirt cancels", back(), "waiting since for Cancelled"),
                arguments(
                        "its migration is still there",
                        back().with(s -> s.migrations.add(kubeVirts(vmim("m", "Pending")))),
                        "DeleteMigration"),
                arguments("it has cancelled", back().cancelled(), "ChangeStrategy"),
                arguments("the strategy is as it was", back().cancelled().with(s -> s.strategy = null), "Unlock"),
                arguments(
                        "the strategy is another user's",
                        back().cancelled().with(s -> s.strategy = "Replacement"),
                        "Unlock"),
                arguments("the guest is off", back().ended(), "ChangeStrategy"),
                arguments("unlocked, KubeVirt has seen it", unlocked(), "Release"),
                arguments(
                        "unlocked, KubeVirt starts VMs from an older one",
                        unlocked().with(s -> s.seenGeneration = s.generation - 1),
                        "waits, RollingBack"),
                arguments("let go", letGo(), "closed"),
                arguments("the VMI is gone", unlocked().with(s -> s.instanceThere = false), "closed"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("afterwards")
    void afterwardsTheStrategyTheLockAndTheHoldGoInThisOrder(String what, Scene scene, String then) {
        assertThat(Told.of(scene)).as(what).isEqualTo(then);
    }

    static Stream<Arguments> restart() {
        return Stream.of(
                arguments("KubeVirt does not listen", onSources(takenUp()).with(RollBackTest::owesARestart), "Settled"),
                arguments("KubeVirt never took it up", onSources(changed()), "Settled"),
                arguments(
                        "KubeVirt's cancel stopped half-way",
                        back().with(s -> s.instanceVolumes = volumes(OLD)),
                        "Cancelled"),
                arguments("KubeVirt does not cancel", back(), "Cancelled"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("restart")
    void aRestartIsNeededAfterThirtySecondsIn(String what, Scene scene, String limit) {
        scene.progress(p -> p.waitingFor(Optional.of(new Waiting(limit, Scene.NOW.toString()))));
        scene.now = Scene.NOW.plusSeconds(29);
        assertThat(Told.of(scene)).as(what).isEqualTo("waits, RollingBack");
        scene.now = Scene.NOW.plusSeconds(30);
        assertThat(Told.of(scene)).as(what).isEqualTo("verdict RestartNeeded, for Cancelled");
    }

    static Stream<Arguments> restarted() {
        return Stream.of(
                arguments(
                        "nothing has changed",
                        onSources(takenUp()).with(RollBackTest::owesARestart),
                        "waits, RestartNeeded"),
                arguments(
                        "the VMI has ended",
                        onSources(takenUp()).with(RollBackTest::owesARestart).ended(),
                        "verdict RollBack, for Cancelled"),
                arguments(
                        "what wanted the restart was undone", onSources(takenUp()), "verdict RollBack, for Cancelled"),
                arguments("KubeVirt has cancelled after all", back().cancelled(), "verdict RollBack, for Cancelled"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("restarted")
    void aNeededRestartIsWaitedForUntil(String what, Scene scene, String then) {
        scene.progress(p -> p.with(Verdict.RestartNeeded));
        assertThat(Told.of(scene)).as(what).isEqualTo(then);
    }

    @Test
    void aNeededRestartShowsAsStalledAndSaysWhatToDo() {
        var status = onSources(takenUp())
                .with(RollBackTest::owesARestart)
                .progress(p -> p.with(Verdict.RestartNeeded))
                .decide()
                .status();
        assertThat(status.condition("Stalled").orElseThrow().reason()).isEqualTo("RestartNeeded");
        assertThat(status.condition("Ready").orElseThrow().message()).startsWith("Restart the VM (virtctl restart db)");
    }

    @Test
    void aCancelThatCameTooLateIsASuccessThatKeepsTheSources() {
        var scene = rollingBack(moved().attempts(a -> a.withHandedOver("vmim-1")))
                .progress(p -> p.with(Guest.Destinations));
        assertThat(Told.of(scene)).isEqualTo("verdict Success, for Migrated, sources stay");
    }

    @Test
    void whereTheGuestEndedOnTheDestinationsItIsRolledForward() {
        var scene = rollingBack(takenUp()).ended().progress(p -> p.with(Guest.Destinations));
        assertThat(Told.of(scene)).isEqualTo("verdict RollForward, for RolledForward");
    }

    @Test
    void aVmThatSomebodyElseChangedIsLeftToThem() {
        var scene = rollingBack(takenUp()).with(s -> s.machineVolumes = volumes(List.of("third", "new-data")));
        assertThat(Told.of(scene)).isEqualTo("verdict Changed, for VirtualMachineChanged");
        scene = rollingBack(takenUp()).with(s -> s.machineAnnotations.clear());
        assertThat(Told.of(scene)).isEqualTo("verdict Changed, for VirtualMachineChanged");
    }

    @Test
    void aVmThatNamesTheSourcesWithoutUsHavingLookedWasPutBackBySomebodyElse() {
        var early = rollingBack(moved().attempts(a -> a.withHandedOver("vmim-1")))
                .putBack()
                .with(s -> s.machineAnnotations.clear());
        assertThat(Told.of(early)).isEqualTo("verdict Changed, for VirtualMachineChanged");
        var against = rollingBack(moved().attempts(a -> a.withHandedOver("vmim-1")))
                .progress(p -> p.with(Guest.Destinations))
                .putBack()
                .ended();
        assertThat(Told.of(against)).isEqualTo("verdict Changed, for VirtualMachineChanged");
        against.verdict(Verdict.Changed, Reason.VirtualMachineChanged)
                .progress(p -> p.with(Guest.Destinations).closed());
        assertThat(against.decide().status().condition("Ready").orElseThrow().message())
                .contains("to keep its data write volume root on claim new-root, volume data on claim new-data");
    }

    @Test
    void aMigrationThatKubeVirtNeverCompletesIsEndedByARestartAndTheMessageSaysSo() {
        var scene = rollingBack(takenUp()).with(s -> s.migrationState = state("m", false, false, null));
        assertThat(scene.decide().status().condition("Ready").orElseThrow().message())
                .endsWith("if it never does, restart the VM");
    }

    @Test
    void aUserWhoChangesTheVmIsToldWhatToPutBack() {
        var scene = manual(onSources(takenUp()));
        var decision = scene.decide();
        assertThat(Told.of(scene)).isEqualTo("waits, WaitingForUser");
        assertThat(decision.status().condition("Ready").orElseThrow().message())
                .isEqualTo(
                        "Rolling back: change the VM in one update: volume root on claim old-root, volume data on claim"
                                + " old-data, and leave spec.updateVolumesStrategy at Migration until this has ended");
    }

    @Test
    void aMigrationThatStartsWhileTheUserIsWaitedForIsLeftToTheFenceUnlessTheGuestHasMoved() {
        var pending = kubeVirts(vmim("m", "Pending"));
        assertThat(Told.of(manual(onSources(takenUp())).with(s -> s.migrations.add(pending))))
                .isEqualTo("waits, WaitingForUser");
        var hasMoved = manual(rollingBack(moved().attempts(a -> a.withHandedOver("vmim-1"))))
                .progress(p -> p.with(Guest.Destinations))
                .with(s -> s.migrations.add(pending));
        assertThat(Told.of(hasMoved)).isEqualTo("DeleteMigration");
    }

    @Test
    void aUserWhoPutsTheVmBackTooLateIsToldToNameTheDestinationsAgain() {
        var scene = manual(rollingBack(moved().attempts(a -> a.withHandedOver("vmim-1"))))
                .putBack();
        assertThat(Told.of(scene)).isEqualTo("guest Destinations");
        scene.progress(p -> p.with(Guest.Destinations));
        assertThat(Told.of(scene)).isEqualTo("waits, WaitingForUser");
        assertThat(scene.decide().status().condition("Ready").orElseThrow().message())
                .startsWith(
                        "Change the VM in one update: volume root on claim new-root, volume data on claim new-data, and"
                                + " set spec.updateVolumesStrategy to Migration");
        scene.migrations.add(kubeVirts(vmim("m", "Pending")));
        assertThat(Told.of(scene)).isEqualTo("waits, WaitingForUser");
        scene.migrations.clear();
        scene.machineVolumes = volumes(NEW);
        assertThat(Told.of(scene)).isEqualTo("verdict Success, for Migrated, sources stay");
    }

    @Test
    void aUserWhoseInstanceNamesTheOldClaimsAgainUnderAGuestThatMovedIsToldToRestartFirst() {
        var scene = manual(rollingBack(moved().attempts(a -> a.withHandedOver("vmim-1"))))
                .putBack()
                .progress(p -> p.with(Guest.Destinations))
                .with(s -> s.instanceVolumes = volumes(OLD));
        assertThat(Told.of(scene)).isEqualTo("verdict RestartNeeded, for Cancelled");
        scene.verdict(Verdict.RestartNeeded, Reason.Cancelled).progress(p -> p.with(Guest.Destinations));
        assertThat(Told.of(scene)).isEqualTo("waits, RestartNeeded");
        scene.ended();
        assertThat(Told.of(scene)).isEqualTo("verdict RollBack, for Cancelled");
        scene.verdict(Verdict.RollBack, Reason.Cancelled).progress(p -> p.with(Guest.Destinations));
        assertThat(scene.decide().status().condition("Ready").orElseThrow().message())
                .contains("volume root on claim new-root")
                .contains("take spec.updateVolumesStrategy out");
        scene.machineVolumes = volumes(NEW);
        assertThat(Told.of(scene)).isEqualTo("verdict RollForward, for RolledForward");
    }

    @Test
    void aGuestThatSomebodysEditHasBroughtHalfwayIsForAPersonToJudge() {
        var scene = rollingBack(takenUp()).with(s -> {
            s.pods.clear();
            s.pods.add(launcher("half", "node-1", "Running", List.of("new-root", "old-data")));
        });
        scene.progress(p -> p.waitingFor(Optional.of(new Waiting("Looked", Scene.NOW.toString()))));
        assertThat(Told.of(scene)).isEqualTo("waits, RollingBack");
        scene.now = Scene.NOW.plusSeconds(30);
        assertThat(Told.of(scene)).isEqualTo("verdict DataLocationUnknown, for Cancelled");
        scene.verdict(Verdict.DataLocationUnknown, Reason.Cancelled);
        assertThat(Told.of(scene)).isEqualTo("waits, DataLocationUnknown");
        assertThat(scene.decide().status().condition("Ready").orElseThrow().message())
                .startsWith("The guest runs in a pod that mounts neither all sources nor all destinations")
                .contains("volume root on claim old-root", "volume root on claim new-root");
    }

    @Test
    void whatKubeVirtDoesNotFinishUnderAGuestThatMovedWantsARestart() {
        var scene = rollingBack(takenUp().handOver("vmim-1").attempts(a -> a.withHandedOver("vmim-1")))
                .progress(p -> p.with(Guest.Destinations));
        assertThat(Told.of(scene)).isEqualTo("waiting since for Finished");
        scene.progress(p -> p.waitingFor(Optional.of(new Waiting("Finished", Scene.NOW.toString()))));
        assertThat(Told.of(scene)).isEqualTo("waits, RollingBack");
        scene.now = Scene.NOW.plusSeconds(30);
        assertThat(Told.of(scene)).isEqualTo("verdict RestartNeeded, for Cancelled");
        scene.verdict(Verdict.RestartNeeded, Reason.Cancelled).progress(p -> p.with(Guest.Destinations));
        assertThat(Told.of(scene)).isEqualTo("waits, RestartNeeded");
    }

    @Test
    void aGuestThatHasMovedHasMovedThoughTheWayBackWasCancelledSince() {
        var scene = rollingBack(moved().attempts(a -> a.withHandedOver("vmim-1")))
                .progress(p -> p.with(Guest.Destinations));
        scene.instanceConditions.add(new Condition(
                VirtualMachineInstance.VOLUMES_CHANGE, "False", "VolumesChangeCancellation", "cancelled"));
        assertThat(Told.of(scene)).isEqualTo("verdict Success, for Migrated, sources stay");
    }

    // Scenes

    private static Scene rollingBack(Scene scene) {
        return scene.verdict(Verdict.RollBack, Reason.Cancelled);
    }

    private static Scene onSources(Scene scene) {
        return rollingBack(scene).progress(p -> p.with(Guest.Sources));
    }

    /** Put back, with KubeVirt not through with it. */
    private static Scene back() {
        return onSources(takenUp()).putBack();
    }

    private static Scene unlocked() {
        return back().cancelled().with(s -> {
            s.strategy = null;
            s.generation++;
            s.seenGeneration = s.generation;
            s.machineAnnotations.remove(Names.VOLUME_MIGRATION);
        });
    }

    private static Scene letGo() {
        return unlocked().with(s -> {
            s.instanceFinalizers.remove(Names.VOLUME_MIGRATION);
            s.instanceLabels.remove(Names.VOLUME_MIGRATION);
        });
    }

    private static Scene refused() {
        return changed().with(s -> {
            s.seenGeneration = s.generation;
            owesARestart(s);
        });
    }

    private static Scene leftBehind() {
        return takenUp().with(s -> {
            s.underWay = false;
            s.instanceConditions.clear();
        });
    }

    private static Scene hotplugged(Scene scene) {
        return scene.with(s -> {
            var data = s.instanceVolumes.getLast().json().deepCopy();
            data.withObject("/persistentVolumeClaim").put("hotpluggable", true);
            s.instanceVolumes = List.of(s.instanceVolumes.getFirst(), new Volume(data));
        });
    }

    private static void owesARestart(Scene scene) {
        scene.machineConditions.add(new Condition(VirtualMachine.RESTART_REQUIRED, "True", null, "cpu changed"));
    }

    private static VirtualMachineInstanceMigration withTransitions(
            VirtualMachineInstanceMigration vmim, String... phases) {
        vmim.setStatus(new VirtualMachineInstanceMigration.Status(
                phases[phases.length - 1],
                null,
                Stream.of(phases)
                        .map(phase -> new VirtualMachineInstanceMigration.PhaseTransition(phase, null))
                        .toList()));
        return vmim;
    }

    @Test
    void aHotpluggedVolumeThatAMigrationWentPastIsNotTakenFromTheRunningGuest() {
        var scene = hotplugged(onSources(leftBehind()));
        assertThat(Told.of(scene)).isEqualTo("waiting since for Settled");
        scene.progress(p -> p.waitingFor(Optional.of(new Waiting("Settled", Scene.NOW.toString()))));
        scene.now = Scene.NOW.plusSeconds(30);
        assertThat(Told.of(scene)).isEqualTo("verdict RestartNeeded, for Cancelled");
        scene.verdict(Verdict.RestartNeeded, Reason.Cancelled).progress(p -> p.with(Guest.Sources));
        assertThat(Told.of(scene)).isEqualTo("waits, RestartNeeded");
        scene.ended();
        assertThat(Told.of(scene)).isEqualTo("verdict RollBack, for Cancelled");
        scene.verdict(Verdict.RollBack, Reason.Cancelled).progress(p -> p.with(Guest.Sources));
        assertThat(Told.of(scene)).isEqualTo("PutBack");
    }

    @Test
    void aVolumesChangeThatIsFalseAfterACancelIsNoneAnyMore() {
        assertThat(back().cancelled().instanceConditions)
                .extracting(Condition::type)
                .containsExactly(VirtualMachineInstance.VOLUMES_CHANGE);
        assertThat(Told.of(back().cancelled())).isEqualTo("ChangeStrategy");
    }
}
