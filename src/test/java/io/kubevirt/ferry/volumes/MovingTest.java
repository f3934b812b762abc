package io.kubevirt.ferry.volumes;

import static io.kubevirt.ferry.volumes.ForwardTest.manual;
import static io.kubevirt.ferry.volumes.Scene.NEW;
import static io.kubevirt.ferry.volumes.Scene.OLD;
import static io.kubevirt.ferry.volumes.Scene.changed;
import static io.kubevirt.ferry.volumes.Scene.kubeVirts;
import static io.kubevirt.ferry.volumes.Scene.launcher;
import static io.kubevirt.ferry.volumes.Scene.moved;
import static io.kubevirt.ferry.volumes.Scene.pod;
import static io.kubevirt.ferry.volumes.Scene.state;
import static io.kubevirt.ferry.volumes.Scene.takenUp;
import static io.kubevirt.ferry.volumes.Scene.target;
import static io.kubevirt.ferry.volumes.Scene.vmim;
import static io.kubevirt.ferry.volumes.Scene.volumes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.fabric8.kubernetes.api.model.NodeSelectorTermBuilder;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.kubevirt.ferry.api.Names;
import io.kubevirt.ferry.api.Progress.Waiting;
import io.kubevirt.ferry.api.Verdict;
import io.kubevirt.ferry.kubevirt.Condition;
import io.kubevirt.ferry.kubevirt.MigrationState;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstance;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import io.kubevirt.ferry.kubevirt.Volume;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The VM names the destinations: what is waited for, what counts as an attempt, what as success, what rolls back. */
class MovingTest {

    static Stream<Arguments> courses() {
        return Stream.of(
                arguments("KubeVirt has not seen the change", changed(), "waits, UpdatingVirtualMachine"),
                arguments(
                        "KubeVirt is between its two writes",
                        changed().with(s -> s.underWay = true),
                        "waits, UpdatingVirtualMachine"),
                arguments(
                        "the VMI names the destinations, and nobody says yet that volumes change",
                        takenUp().with(s -> s.instanceConditions.clear()),
                        "waiting since for TakenUp"),
                arguments("KubeVirt has taken the change up", takenUp(), "CreateMigration"),
                arguments(
                        "KubeVirt's own migration came first",
                        takenUp().with(s -> s.migrations.add(kubeVirts(vmim("kubevirts", "Pending")))),
                        "under way kubevirts"),
                arguments(
                        "a drain's counts as well",
                        takenUp().with(s -> s.migrations.add(vmim("drain", "Scheduling"))),
                        "under way drain"),
                arguments(
                        "it is under way",
                        takenUp().attempts(a -> a.underWay("m")).with(s -> s.migrations.add(vmim("m", "Running"))),
                        "waits, Migrating"),
                arguments(
                        "a target pod mounts a source",
                        takenUp()
                                .attempts(a -> a.underWay("m"))
                                .with(s -> s.migrations.add(vmim("m", "Scheduling")))
                                .with(s -> s.pods.add(target("wrong", "m", "node-2", "Pending", OLD))),
                        "DeletePod"),
                arguments(
                        "one that may have the guest already is left alone",
                        takenUp()
                                .attempts(a -> a.underWay("m"))
                                .with(s -> s.migrations.add(vmim("m", "Running")))
                                .with(s -> s.pods.add(target("wrong", "m", "node-2", "Running", OLD))),
                        "waits, Migrating"),
                arguments(
                        "that the guest was handed over is written down at once",
                        takenUp()
                                .attempts(a -> a.underWay("m"))
                                .with(s -> s.migrations.add(vmim("m", "Running")))
                                .with(s -> s.migrationState = state("m", false, false, "now")),
                        "handed over m"),
                arguments(
                        "but not of a migration before the run",
                        takenUp()
                                .lastBefore("m")
                                .with(s -> s.migrations.add(vmim("m", "Succeeded")))
                                .with(s -> s.migrationState = state("m", true, false, "then")),
                        "CreateMigration"),
                arguments(
                        "nor to a pod on the sources",
                        takenUp()
                                .attempts(a -> a.underWay("m"))
                                .with(s -> s.migrations.add(vmim("m", "Running")))
                                .with(s -> s.pods.add(target("target", "m", "node-2", "Running", OLD)))
                                .with(s -> s.migrationState = state("m", false, false, "now")),
                        "waits, Migrating"),
                arguments("the guest has moved, and that has to be written down", moved(), "handed over vmim-1"),
                arguments(
                        "then it is a success",
                        moved().attempts(a -> a.withHandedOver("vmim-1")),
                        "verdict Success, for Migrated"),
                arguments(
                        "not while a migration is unfinished",
                        moved().attempts(a -> a.withHandedOver("vmim-1").underWay("next"))
                                .with(s -> s.migrations.add(vmim("next", "Pending"))),
                        "waits, Migrating"),
                arguments(
                        "not while migratedVolumes has entries",
                        moved().attempts(a -> a.withHandedOver("vmim-1")).with(s -> s.underWay = true),
                        "waiting since for Finished"),
                arguments(
                        "not where the pod cannot be seen",
                        moved().attempts(a -> a.withHandedOver("vmim-1")).with(s -> s.pods.clear()),
                        "waits, UpdatingVirtualMachine"),
                arguments(
                        "not where a volume of two is on its source",
                        moved().attempts(a -> a.withHandedOver("vmim-1")).with(s -> {
                            s.pods.clear();
                            s.pods.add(target("half", "vmim-1", "node-2", "Running", List.of("new-root", "old-data")));
                        }),
                        "waiting since for Between"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("courses")
    void goesOn(String what, Scene scene, String then) {
        assertThat(Told.of(scene)).as(what).isEqualTo(then);
    }

    static Stream<Arguments> rollsBack() {
        return Stream.of(
                arguments("the VolumeMigration is deleted", takenUp().with(s -> s.deleted = true), Reason.Cancelled),
                arguments("the VM stops", takenUp().with(s -> s.instanceDeleting = true), Reason.RolledBack),
                arguments("the guest ends", takenUp().ended(), Reason.RolledBack),
                arguments("the VMI is gone", takenUp().with(s -> s.instanceThere = false), Reason.RolledBack),
                arguments("the VMI is another", takenUp().with(s -> s.instanceUid = "another"), Reason.RolledBack),
                arguments(
                        "KubeVirt refuses",
                        changed()
                                .with(s -> s.machineConditions.add(new Condition(
                                        VirtualMachine.RESTART_REQUIRED, "True", null, "shareable: [root]"))),
                        Reason.RolledBack),
                arguments(
                        "a migration went past the volumes",
                        takenUp().with(s -> {
                            s.instanceConditions.clear();
                            s.underWay = false;
                        }),
                        Reason.RolledBack),
                arguments(
                        "a user who changes the VM himself puts it back",
                        manual(takenUp()).with(s -> s.machineVolumes = volumes(OLD)),
                        Reason.Cancelled));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rollsBack")
    void rollsBackWhere(String what, Scene scene, Reason reason) {
        assertThat(Told.of(scene)).as(what).isEqualTo("verdict RollBack, for " + reason);
    }

    static Stream<Arguments> taken() {
        return Stream.of(
                arguments("the lock is gone", takenUp().with(s -> s.machineAnnotations.clear())),
                arguments(
                        "the lock is another's",
                        takenUp().with(s -> s.machineAnnotations.put(Names.VOLUME_MIGRATION, "other-uid/1/"))),
                arguments("the VM names the sources", takenUp().with(s -> s.machineVolumes = volumes(OLD))),
                arguments(
                        "the VM names third claims",
                        takenUp().with(s -> s.machineVolumes = volumes(List.of("new-root", "third")))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("taken")
    void whoeverElseChangesTheVolumesHasThem(String what, Scene scene) {
        assertThat(Told.of(scene)).as(what).isEqualTo("verdict Changed, for VirtualMachineChanged");
    }

    @Test
    void aFailedAttemptIsCountedOnceWithItsReason() {
        var scene = takenUp().attempts(a -> a.underWay("m")).with(s -> s.migrations.add(failed("m", "no space")));
        assertThat(Told.of(scene)).isEqualTo("under way , failed [m], for AttemptFailed");
        var status = scene.decide().status();
        assertThat(status.condition("Migrated").orElseThrow().reason()).isEqualTo("AttemptFailed");
        assertThat(status.condition("Migrated").orElseThrow().message()).isEqualTo("Attempt 1 of 2 failed: no space");
        scene.run = status.run().orElseThrow();
        assertThat(Told.of(scene)).isEqualTo("waiting since for NextMigration");
    }

    @Test
    void aMigrationThatSomebodyDeletesIsAFailedAttempt() {
        var scene = takenUp().attempts(a -> a.underWay("m"));
        assertThat(Told.of(scene)).isEqualTo("under way , failed [m], for AttemptFailed");
    }

    @Test
    void oneFailedAttemptTooManyRollsBack() {
        var scene = takenUp()
                .attempts(a -> a.withFailed("first").underWay("m"))
                .with(s -> s.migrations.add(failed("m", "no space")));
        assertThat(Told.of(scene))
                .isEqualTo("under way , failed [first, m], verdict RollBack, for BackoffLimitExceeded");
    }

    @Test
    void theNextAttemptIsKubeVirtsForTenSecondsThenOurs() {
        var scene = takenUp()
                .attempts(a -> a.withFailed("first"))
                .progress(p -> p.waitingFor(Optional.of(new Waiting("NextMigration", Scene.NOW.toString()))));
        scene.now = Scene.NOW.plusSeconds(9);
        assertThat(Told.of(scene)).isEqualTo("waits, AttemptFailed");
        assertThat(scene.decide().again()).contains(Duration.ofSeconds(1));
        scene.now = Scene.NOW.plusSeconds(10);
        assertThat(Told.of(scene)).isEqualTo("CreateMigration");
    }

    @Test
    void ourMigrationIsOneThatKubeVirtAbortsAndHasAnAttemptsName() {
        var create = (Action.CreateMigration) takenUp().decide().action().orElseThrow();
        assertThat(create.name()).matches("to-ceph-[0-9a-f]{8}-1");
        assertThat(create.labels()).isEqualTo(Map.of(VirtualMachineInstanceMigration.VOLUME_UPDATE_LABEL, "db"));
        assertThat(create.annotations())
                .isEqualTo(Map.of(VirtualMachineInstanceMigration.WORKLOAD_UPDATE_ANNOTATION, ""));
        var again = (Action.CreateMigration) takenUp().decide().action().orElseThrow();
        assertThat(again).as("whoever takes over makes no second one").isEqualTo(create);
    }

    @Test
    void ourMigrationHasTheTerm() {
        var scene = takenUp();
        scene.term = new NodeSelectorTermBuilder()
                .addNewMatchExpression()
                .withKey("rack")
                .withOperator("In")
                .withValues("r7")
                .endMatchExpression()
                .build();
        var create = (Action.CreateMigration) scene.decide().action().orElseThrow();
        assertThat(create.annotations().get(Names.ADDED_NODE_SELECTOR_TERM))
                .isEqualTo("{\"matchExpressions\":[{\"key\":\"rack\",\"operator\":\"In\",\"values\":[\"r7\"]}]}");
    }

    @Test
    void aChangeThatKubeVirtHangsOnIsRolledBackAfterAWhile() {
        var scene = changed()
                .with(s -> s.instanceConditions.add(
                        new Condition(VirtualMachineInstance.VOLUMES_CHANGE, "True", null, "migrate volumes")));
        assertThat(Told.of(scene)).isEqualTo("waiting since for TakenUp");
        scene.progress(p -> p.waitingFor(Optional.of(new Waiting("TakenUp", Scene.NOW.toString()))));
        scene.now = Scene.NOW.plusSeconds(30);
        assertThat(Told.of(scene)).isEqualTo("verdict RollBack, for RolledBack");
    }

    @Test
    void aChangeThatKubeVirtMakesAndNeverSaysSoIsRolledBackAfterAWhile() {
        var scene = takenUp().with(s -> s.instanceConditions.clear());
        assertThat(Told.of(scene)).isEqualTo("waiting since for TakenUp");
        scene.progress(p -> p.waitingFor(Optional.of(new Waiting("TakenUp", Scene.NOW.toString()))));
        scene.now = Scene.NOW.plusSeconds(30);
        assertThat(Told.of(scene)).isEqualTo("verdict RollBack, for RolledBack");
    }

    @Test
    void whatIsNoLongerWaitedForIsForgottenFirst() {
        var scene = takenUp().progress(p -> p.waitingFor(Optional.of(new Waiting("TakenUp", Scene.NOW.toString()))));
        assertThat(Told.of(scene)).isEqualTo("waiting no more");
    }

    @Test
    void whatKubeVirtSaysOfAMissingClaimIsPassedOn() {
        var scene = changed()
                .with(s -> s.instanceConditions.add(new Condition(
                        VirtualMachineInstance.VOLUMES_CHANGE, "False", null, "the pvc new-root doesn't exist")));
        assertThat(scene.decide().status().condition("Ready").orElseThrow().message())
                .isEqualTo(
                        "KubeVirt waits: the pvc new-root doesn't exist. Put that right, or delete the VolumeMigration");
    }

    @Test
    void aHotpluggedVolumeIsWhereItsAttachmentPodHasIt() {
        var hot = new Volume(Scene.volume("data", "new-data").json().deepCopy());
        hot.json().withObject("/persistentVolumeClaim").put("hotpluggable", true);
        var scene = moved().attempts(a -> a.withHandedOver("vmim-1")).with(s -> {
            s.instanceVolumes = List.of(s.instanceVolumes.getFirst(), hot);
            s.pods.clear();
            s.pods.add(target("target", "vmim-1", "node-2", "Running", List.of("new-root")));
        });
        assertThat(Told.of(scene)).isEqualTo("waits, UpdatingVirtualMachine");

        var attachment = pod("attachment", "node-2", "Running", Map.of(), List.of("new-data"));
        attachment
                .getMetadata()
                .setOwnerReferences(List.of(new OwnerReferenceBuilder()
                        .withKind("Pod")
                        .withName("target")
                        .withUid("target-uid")
                        .build()));
        scene.pods.add(attachment);
        assertThat(Told.of(scene)).isEqualTo("verdict Success, for Migrated");
    }

    @Test
    void vmAndVmiThatNameTheDestinationsProveNothing() {
        assertThat(takenUp().machineVolumes).isEqualTo(volumes(NEW));
        assertThat(takenUp().instanceVolumes).isEqualTo(volumes(NEW));
        assertThat(Told.of(takenUp())).isNotEqualTo("verdict Success, for Migrated");
    }

    static VirtualMachineInstanceMigration failed(String name, String why) {
        var vmim = vmim(name, "Failed");
        vmim.setStatus(new VirtualMachineInstanceMigration.Status(
                "Failed", new MigrationState(name, true, true, why, null, null, null, null, null, null), List.of()));
        return vmim;
    }

    @Test
    void aGuestThatAMigrationOfBeforeTheFenceTookHalfwayIsForAPersonToJudge() {
        var scene = manual(moved()).with(s -> {
            s.pods.clear();
            s.pods.add(launcher("half", "node-2", "Running", List.of("new-root", "old-data")));
        });
        assertThat(Told.of(scene)).isEqualTo("waiting since for Between");
        scene.progress(p -> p.waitingFor(Optional.of(new Waiting("Between", Scene.NOW.toString()))));
        scene.now = Scene.NOW.plusSeconds(29);
        assertThat(Told.of(scene)).isEqualTo("waits, UpdatingVirtualMachine");
        scene.now = Scene.NOW.plusSeconds(30);
        assertThat(Told.of(scene)).isEqualTo("verdict DataLocationUnknown, for DataLocationUnknown");
        scene.verdict(Verdict.DataLocationUnknown, Reason.DataLocationUnknown);
        assertThat(scene.decide().status().condition("Ready").orElseThrow().message())
                .contains("what its pod mounts: volume root on claim new-root, volume data on claim old-data");
    }

    @Test
    void aMigrationThatTheFenceKeepsOutDoesNotHideThatTheGuestWasLeftBehind() {
        var scene = takenUp().attempts(a -> a.underWay("drain")).with(s -> {
            s.instanceConditions.clear();
            s.underWay = false;
            s.migrations.add(vmim("drain", "Pending"));
        });
        assertThat(Told.of(scene)).isEqualTo("verdict RollBack, for RolledBack");
        scene.pods.add(target("let-in", "drain", "node-2", "Pending", NEW));
        assertThat(Told.of(scene)).isEqualTo("waits, Migrating");
    }

    @Test
    void aMoveThatKubeVirtNeverFinishesIsForARestart() {
        var scene = moved().attempts(a -> a.withHandedOver("vmim-1"))
                .with(s -> {
                    s.underWay = true;
                    s.migrations.add(vmim("drain", "Pending"));
                })
                .attempts(a -> a.underWay("drain"))
                .progress(p -> p.waitingFor(Optional.of(new Waiting("Finished", Scene.NOW.toString()))));
        assertThat(Told.of(scene)).isEqualTo("waits, Migrating");
        scene.now = Scene.NOW.plus(Duration.ofMinutes(5));
        assertThat(Told.of(scene)).isEqualTo("verdict RollBack, for RolledBack");
    }
}
