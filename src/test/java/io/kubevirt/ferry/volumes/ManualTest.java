package io.kubevirt.ferry.volumes;

import static io.kubevirt.ferry.volumes.ForwardTest.manual;
import static io.kubevirt.ferry.volumes.Scene.NEW;
import static io.kubevirt.ferry.volumes.Scene.template;
import static io.kubevirt.ferry.volumes.Scene.vmim;
import static io.kubevirt.ferry.volumes.Scene.volume;
import static io.kubevirt.ferry.volumes.Scene.volumes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.kubevirt.ferry.api.Names;
import io.kubevirt.ferry.api.VolumeMigrationState;
import io.kubevirt.ferry.api.VolumeMigrationState.State;
import io.kubevirt.ferry.kubevirt.Condition;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A VM that its user changes: what he is told, and what is believed of a guest that is on the destinations already. */
class ManualTest {

    @Test
    void templatesAreOnlySpokenOfWhereThereAreSome() {
        assertThat(message(manual(new Scene()))).doesNotContain("dataVolumeTemplates");
        assertThat(message(manual(new Scene()).with(s -> s.templates = List.of(template("old-data")))))
                .contains("take the dataVolumeTemplates of the old claims out");
    }

    static Stream<Arguments> inPart() {
        return Stream.of(
                arguments("without the strategy", (Consumer<Scene>) s -> s.strategy = null),
                arguments("with another strategy", (Consumer<Scene>) s -> s.strategy = "Replacement"),
                arguments("one volume only", (Consumer<Scene>)
                        s -> s.machineVolumes = List.of(volume("root", "new-root"), volume("data", "old-data"))),
                arguments("refused by KubeVirt", (Consumer<Scene>) s -> {
                    s.strategy = null;
                    s.machineConditions.add(new Condition(
                            VirtualMachine.RESTART_REQUIRED, "True", null, "a non-live-updatable field was changed"));
                }));
    }

    /** Above all not to restart the VM, which would start it on the empty destinations. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("inPart")
    void whoHasChangedTheVmInAnotherWayIsToldToUndoThat(String what, Consumer<Scene> change) {
        var scene = changedByUser().with(change);
        assertThat(Told.of(scene)).as(what).isEqualTo("RemoveFinalizer");
        scene.finalizers.clear();
        assertThat(Told.of(scene)).as(what).isEqualTo("waits, VirtualMachineNotSettled");
        assertThat(message(scene))
                .as(what)
                .contains("write volume root on claim old-root")
                .endsWith(" again before the VM restarts, then change all at once");
        assertThat(scene.decide().status().volumeMigrationStates())
                .first()
                .extracting(VolumeMigrationState::state)
                .isEqualTo(State.Pending);
    }

    @Test
    void whereTheGuestHasStartedOnTheDestinationsNobodyIsToldToPutThemBack() {
        var scene = changedByUser().with(s -> {
            s.strategy = null;
            s.instanceVolumes = volumes(NEW);
        });
        assertThat(message(scene))
                .contains("The guest runs on new-root, new-data")
                .contains("look into old and new claims");
    }

    @Test
    void afterARefusedChangeOfSomebodyElsesNobodyIsToldToRestart() {
        var scene = new Scene().with(s -> {
            s.machineVolumes = List.of(volume("root", "x"), volume("data", "old-data"));
            s.machineConditions.add(new Condition(
                    VirtualMachine.RESTART_REQUIRED, "True", null, "a non-live-updatable field was changed"));
        });
        assertThat(Checks.findings(Checks.BEFORE_CHANGE, scene.subject()))
                .filteredOn(finding -> finding.reason() == Reason.RestartRequired)
                .singleElement()
                .satisfies(finding -> assertThat(finding.message())
                        .contains("write volume root on claim old-root again; a restart would start it on the others")
                        .contains("a non-live-updatable field was changed"));
    }

    @Test
    void aVmThatMovesThereFromOtherClaimsIsNotTakenOver() {
        var scene = changedByUser().with(s -> {
            s.finalizers.clear();
            s.instanceVolumes = List.of(volume("root", "third"), volume("data", "old-data"));
        });
        assertThat(Told.of(scene)).isEqualTo("waits, VirtualMachineNotSettled");
        assertThat(message(scene)).contains("The guest comes to new-root from third, not from old-root");
    }

    @Test
    void aVmThatKubeVirtStillMovesElsewhereIsNotTakenOver() {
        var scene = changedByUser().takeUp().with(s -> {
            s.finalizers.clear();
            s.instanceVolumes = List.of(volume("root", "third"), volume("data", "new-data"));
            s.moving = List.of(
                    Scene.migrated("root", "old-root", "third"), Scene.migrated("data", "old-data", "new-data"));
        });
        assertThat(Told.of(scene)).isEqualTo("waits, VirtualMachineNotSettled");
        assertThat(message(scene)).contains("KubeVirt moves volume root already, and not from old-root to new-root");
    }

    static Stream<Arguments> inTheWay() {
        return Stream.of(
                arguments("there is no KubeVirt", Reason.KubeVirtNotReady, (Consumer<Scene>)
                        s -> s.kubeVirt = Optional.empty()),
                arguments("the VM is off", Reason.VirtualMachineNotRunning, (Consumer<Scene>)
                        s -> s.instanceThere = false),
                arguments("an older VolumeMigration wants it", Reason.AnotherVolumeMigrationActive, (Consumer<Scene>)
                        s -> s.others.add(Scene.otherMigration("older", "2026-05-01T10:00:00Z", "x", "new-root"))),
                arguments("another run has locked the VM", Reason.AnotherVolumeMigrationActive, (Consumer<Scene>)
                        s -> s.machineAnnotations.put(Names.VOLUME_MIGRATION, "other-uid/1/")),
                arguments("the term could match nothing", Reason.VolumesRejected, (Consumer<Scene>)
                        s -> s.term = new NodeSelectorTerm()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("inTheWay")
    void aChangedVmIsNotTakenOver(String what, Reason reason, Consumer<Scene> change) {
        var scene = changedByUser().with(change);
        scene.finalizers.clear();
        assertThat(Told.of(scene)).as(what).isEqualTo("waits, " + reason);
    }

    static Stream<Arguments> guests() {
        Consumer<Scene> started = s -> {
            s.instanceVolumes = volumes(NEW);
            s.pods.clear();
        };
        Consumer<Scene> record = Scene::recordedByKubeVirt;
        return Stream.of(
                arguments("it is on the sources", (Consumer<Scene>) s -> {}, false),
                arguments("KubeVirt is moving it", (Consumer<Scene>) Scene::takeUp, false),
                arguments("it is on the destinations, and nothing tells why", started, true),
                arguments("KubeVirt began to move it, and it was stopped at once", started.andThen(record), true),
                arguments(
                        "KubeVirt began to move it, and has since moved it as any other",
                        started.andThen(record).andThen(s -> s.migrations.add(vmim("drain", "Succeeded"))),
                        true),
                arguments(
                        "KubeVirt began to move it, and the migration failed",
                        started.andThen(record).andThen(s -> s.migrations.add(forVolumes("Failed"))),
                        true),
                arguments(
                        "KubeVirt has moved other volumes of it",
                        started.andThen(s -> s.migrations.add(forVolumes("Succeeded"))),
                        true),
                arguments(
                        "KubeVirt has moved it",
                        started.andThen(record).andThen(s -> s.migrations.add(forVolumes("Succeeded"))),
                        false));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("guests")
    void theSourcesStayWhereItCannotBeToldThatKubeVirtHasMovedTheGuest(
            String what, Consumer<Scene> guest, boolean kept) {
        var run = changedByUser().with(guest).decide().status().run().orElseThrow();
        assertThat(run.progress().keepSources()).as(what).isEqualTo(kept);
    }

    @Test
    void andTheMessageSaysSo() {
        var scene = manual(Scene.moved())
                .attempts(attempts -> attempts.withHandedOver("vmim-1"))
                .progress(progress -> progress.keepingSources());
        var moved = scene.decide().status().run().orElseThrow().progress();
        assertThat(moved.message()).contains("look into both before you delete the old claims");
    }

    private static VirtualMachineInstanceMigration forVolumes(String phase) {
        return Scene.kubeVirts(vmim("updater", phase));
    }

    private static Scene changedByUser() {
        return manual(new Scene()).with(s -> {
            s.machineVolumes = volumes(NEW);
            s.strategy = VirtualMachine.MIGRATION;
            s.generation = 2;
            s.finalizers.add(Names.VOLUME_MIGRATION);
        });
    }

    private static String message(Scene scene) {
        return scene.decide().status().condition("Ready").orElseThrow().message();
    }
}
