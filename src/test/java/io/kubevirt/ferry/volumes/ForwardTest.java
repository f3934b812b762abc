package io.kubevirt.ferry.volumes;

import static io.kubevirt.ferry.volumes.Scene.NEW;
import static io.kubevirt.ferry.volumes.Scene.at;
import static io.kubevirt.ferry.volumes.Scene.dataVolume;
import static io.kubevirt.ferry.volumes.Scene.state;
import static io.kubevirt.ferry.volumes.Scene.template;
import static io.kubevirt.ferry.volumes.Scene.vmim;
import static io.kubevirt.ferry.volumes.Scene.volume;
import static io.kubevirt.ferry.volumes.Scene.volumes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.kubevirt.ferry.api.Attempts;
import io.kubevirt.ferry.api.Before.DroppedTemplate;
import io.kubevirt.ferry.api.MachineUpdatePolicy;
import io.kubevirt.ferry.api.Names;
import io.kubevirt.ferry.api.Progress.Step;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** From nothing to a VM that names the destinations: each step, and what makes it give up. */
class ForwardTest {

    static Stream<Arguments> steps() {
        return Stream.of(
                arguments("first the finalizer", new Scene(), "AddFinalizer"),
                arguments(
                        "then what to put back",
                        new Scene().with(s -> s.finalizers.add(Names.VOLUME_MIGRATION)),
                        "run 1"),
                arguments(
                        "a late end of an earlier run may have taken the finalizer off",
                        at(Step.Recorded).with(s -> s.finalizers.clear()),
                        "AddFinalizer"),
                arguments("then hold and fence", at(Step.Recorded), "Hold"),
                arguments("which have to be seen", at(Step.Recorded).hold(), "step Held"),
                arguments("then a list without an unfinished migration", at(Step.Held), "step Quiet"),
                arguments("then the lock", at(Step.Quiet), "Lock"),
                arguments(
                        "which has to be seen",
                        at(Step.Quiet).with(s -> s.machineAnnotations.put(Names.VOLUME_MIGRATION, Scene.LOCK)),
                        "step Locked"),
                arguments("then the VM is changed", at(Step.Locked), "ChangeVolumes"),
                arguments("and seen to be", at(Step.Locked).with(s -> s.machineVolumes = volumes(NEW)), "step Changed"),
                arguments(
                        "without the lists nobody knows who uses the claims",
                        at(Step.Locked).with(s -> s.usage = false),
                        "waits, UpdatingVirtualMachine"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("steps")
    void oneStepAtATime(String what, Scene scene, String then) {
        assertThat(Told.of(scene)).as(what).isEqualTo(then);
    }

    static Stream<Arguments> givenUp() {
        return Stream.of(Step.Recorded, Step.Held, Step.Quiet, Step.Locked)
                .flatMap(step -> Stream.of(
                        arguments("a migration begins", at(step).with(s -> s.migrations.add(vmim("drain", "Pending")))),
                        arguments("the VM stops", at(step).with(s -> s.instanceDeleting = true)),
                        arguments("the guest ends", at(step).with(s -> s.phase = "Succeeded")),
                        arguments("the VM has another VMI", at(step).with(s -> s.instanceUid = "another")),
                        arguments("a volume was changed", at(step).with(s -> {
                            s.machineVolumes = List.of(volume("root", "old-root"), volume("data", "third"));
                            s.instanceVolumes = s.machineVolumes;
                        })),
                        arguments("the strategy was changed", at(step).with(s -> s.strategy = "Replacement")),
                        arguments(
                                "a destination is gone",
                                at(step).with(s -> s.claims.removeIf(
                                        claim -> claim.getMetadata().getName().equals("new-root")))),
                        arguments("the VolumeMigration is deleted", at(step).with(s -> s.deleted = true)),
                        arguments("the hold is gone", at(step).with(s -> {
                            s.instanceFinalizers.remove(Names.VOLUME_MIGRATION);
                            s.instanceLabels.put(
                                    Names.VOLUME_MIGRATION, step == Step.Recorded ? "other-uid.1" : Scene.MARK);
                        })),
                        arguments(
                                "another run's lock",
                                at(step).with(s -> s.machineAnnotations.put(Names.VOLUME_MIGRATION, "other-uid/1/")))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("givenUp")
    void untilTheVmIsChangedAnythingInTheWayGivesUp(String what, Scene scene) {
        assertThat(Told.of(scene)).as(what).startsWith("verdict GiveUp");
    }

    @Test
    void aLockThatSomebodyTookOffBeforeTheChangeGivesUp() {
        assertThat(Told.of(at(Step.Locked).with(s -> s.machineAnnotations.clear())))
                .startsWith("verdict GiveUp");
    }

    @Test
    void whatIsToBePutBackIsRecordedWhole() {
        var scene = new Scene().with(s -> {
            s.finalizers.add(Names.VOLUME_MIGRATION);
            s.machineVolumes = List.of(dataVolume("root", "old-root"), volume("data", "old-data"));
            s.instanceVolumes = s.machineVolumes;
            s.templates = List.of(template("kept"), template("old-root"));
            s.strategy = "Replacement";
        });
        var run = scene.decide().status().run().orElseThrow();
        assertThat(run.before().volumes())
                .containsExactly(
                        dataVolume("root", "old-root").json(),
                        volume("data", "old-data").json());
        assertThat(run.before().dataVolumeTemplates()).containsExactly(new DroppedTemplate(1, template("old-root")));
        assertThat(run.before().updateVolumesStrategy()).isEqualTo("Replacement");
        assertThat(run.before().claims()).extracting("uid").containsExactly("old-data-uid", "old-root-uid");
        assertThat(run.virtualMachineInstanceUid()).isEqualTo("vmi-uid");
    }

    @Test
    void oneWriteChangesVolumesTemplatesAndStrategy() {
        var scene = at(Step.Locked).with(s -> {
            s.machineVolumes = List.of(dataVolume("root", "old-root"), volume("data", "old-data"));
            s.instanceVolumes = s.machineVolumes;
            s.templates = List.of(template("kept"), template("old-root"));
            s.run = new Scene()
                    .with(same -> {
                        same.finalizers.add(Names.VOLUME_MIGRATION);
                        same.machineVolumes = s.machineVolumes;
                        same.instanceVolumes = s.machineVolumes;
                        same.templates = s.templates;
                    })
                    .decide()
                    .status()
                    .run()
                    .orElseThrow()
                    .with(s.run().progress());
        });
        var change = (Action.ChangeVolumes) scene.decide().action().orElseThrow();
        assertThat(change.volumes()).extracting(Action.Change::before).containsExactlyElementsOf(scene.machineVolumes);
        assertThat(change.volumes()).extracting(Action.Change::after).containsExactlyElementsOf(volumes(NEW));
        assertThat(change.templates().after()).contains(List.of(template("kept")));
        assertThat(change.strategy().after()).contains(VirtualMachine.MIGRATION);
        assertThat(change.machine()).isEqualTo(new Action.Machine("db", "vm-uid", 1));
        assertThat(change.lock()).isEqualTo(Scene.LOCK);
    }

    @Test
    void migrationsThatWereOverBeforeAreNoneOfTheRun() {
        var scene = at(Step.Held).with(s -> {
            s.migrations.add(vmim("old", "Failed"));
            s.migrationState = state("old", true, true, "then");
        });
        var attempts = scene.decide().status().run().orElseThrow().attempts();
        assertThat(attempts.before()).containsExactly("old");
        assertThat(attempts.lastBefore()).isEqualTo("old");
        assertThat(attempts.handedOver()).isEmpty();
    }

    @Test
    void aMigrationThatNeverCompletedBeforeIsNoneOfTheRunEither() {
        var scene = at(Step.Held).with(s -> s.migrationState = state("lost", false, false, "then"));
        assertThat(scene.decide().status().run().orElseThrow().attempts().lastBefore())
                .isEqualTo("lost");
        scene.policy = MachineUpdatePolicy.Manual;
        scene.machineVolumes = volumes(NEW);
        assertThat(scene.decide().status().run().orElseThrow().attempts().lastBefore())
                .as("of a VM that its user has changed it may have moved the volumes")
                .isEmpty();
    }

    @Test
    void theLockNamesTheLastMigrationBeforeTheRun() {
        var scene = at(Step.Quiet).attempts(a -> new Attempts("old", List.of("old"), "", List.of(), ""));
        var lock = (Action.Lock) scene.decide().action().orElseThrow();
        assertThat(lock.lock()).isEqualTo("volmig-uid/1/old");
    }

    // A VM that its user changes

    static Stream<Arguments> manual() {
        return Stream.of(
                arguments("nothing is touched before the user's change", manual(new Scene()), "waits, WaitingForUser"),
                arguments("then the finalizer", changedByUser(), "AddFinalizer"),
                arguments(
                        "then the record",
                        changedByUser().with(s -> s.finalizers.add(Names.VOLUME_MIGRATION)),
                        "run 1"),
                arguments(
                        "then hold and fence",
                        manual(Scene.changed()).with(s -> {
                            s.run = at(Step.Recorded).run();
                            s.instanceLabels.remove(Names.VOLUME_MIGRATION);
                            s.instanceFinalizers.remove(Names.VOLUME_MIGRATION);
                        }),
                        "Hold"),
                arguments(
                        "which have to be seen",
                        manual(Scene.changed())
                                .with(s -> s.run = at(Step.Recorded).run()),
                        "step Held"),
                arguments(
                        "and no lock",
                        manual(Scene.changed()).with(s -> s.run = at(Step.Held).run()),
                        "step Changed"),
                arguments(
                        "the VM put back meanwhile",
                        manual(at(Step.Recorded)),
                        "verdict GiveUp, for VirtualMachineNotSettled"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("manual")
    void aVmThatItsUserChangesIsNeverWritten(String what, Scene scene, String then) {
        assertThat(Told.of(scene)).as(what).isEqualTo(then);
    }

    @Test
    void theUserIsToldWordForWordWhatToWrite() {
        var status = manual(new Scene()).decide().status();
        assertThat(status.condition("Accepted").orElseThrow().holds()).isTrue();
        assertThat(status.condition("Ready").orElseThrow().message())
                .isEqualTo("Change the VM in one update: volume root on claim new-root, volume data on claim new-data,"
                        + " and set spec.updateVolumesStrategy to Migration");
    }

    private static Scene changedByUser() {
        return manual(new Scene()).with(s -> {
            s.machineVolumes = volumes(NEW);
            s.strategy = VirtualMachine.MIGRATION;
            s.generation = 2;
        });
    }

    static Scene manual(Scene scene) {
        scene.policy = MachineUpdatePolicy.Manual;
        scene.machineAnnotations.clear();
        return scene;
    }
}
