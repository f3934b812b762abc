package io.kubevirt.ferry.standin;

import static io.kubevirt.ferry.testbed.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.kubevirt.ferry.standin.VirtualMachines.VirtualMachine;
import io.kubevirt.ferry.testbed.ControlPlane;
import io.kubevirt.ferry.testbed.ControlPlaneExtension;
import io.kubevirt.ferry.testbed.TestNamespace;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Volume migrations go as in the recordings of KubeVirt's own controllers, trap doors included. */
@ExtendWith({ControlPlaneExtension.class, KubeVirtExtension.class})
class VolumesIT {

    private static final String[] NODES = {"volumes-1", "volumes-2", "volumes-3"};

    private KubeVirtStandIn standIn;
    private Scene scene;
    private Claims claims;
    private Recorder recorder;

    @BeforeAll
    static void nodes(Nodes nodes) {
        nodes.create(NODES);
    }

    @AfterAll
    static void noNodes(Nodes nodes) {
        nodes.delete(NODES);
    }

    @BeforeEach
    void record(ControlPlane plane, KubeVirtStandIn running, TestNamespace test, Claims made) {
        standIn = running;
        scene = new Scene(plane.admin(), running, test.name());
        claims = made;
        recorder = new Recorder(scene.client(), scene.namespace());
    }

    @AfterEach
    void stop() {
        recorder.close();
    }

    /** The first last: whoever looks in between misses the same one as before. */
    private void destinations() {
        claims.createShared(scene.namespace(), "1Gi", "bench2", "vm-dst-1", "vm-dst-0");
    }

    /** A VM on the sources, which are made if they are not there. */
    private VirtualMachine start(String script) {
        if (scene.find(Kind.CLAIM, "vm-src-0").isEmpty()) {
            claims.createShared(scene.namespace(), "1Gi", "bench", "vm-src-0", "vm-src-1");
        }
        VirtualMachine vm = scene.vm()
                .withClaim("d0", "vm-src-0")
                .withClaim("d1", "vm-src-1")
                .whoseMachine(script)
                .start();
        scene.settle();
        return vm;
    }

    /** Whoever changes the VM does so when KubeVirt has taken note of what was before. */
    private void change(String jsonPatch) {
        scene.settle();
        scene.patch(Kind.VM, "vm", jsonPatch);
    }

    private void name(String operation, String first, String second) {
        change("""
                [{"op": "%s", "path": "/spec/updateVolumesStrategy", "value": "Migration"},
                 {"op": "replace", "path": "/spec/template/spec/volumes/0/persistentVolumeClaim/claimName", "value": "%s"},
                 {"op": "replace", "path": "/spec/template/spec/volumes/1/persistentVolumeClaim/claimName", "value": "%s"}]""".formatted(operation, first, second));
    }

    private void toDestinations() {
        name("add", "vm-dst-0", "vm-dst-1");
    }

    private void backToSources() {
        name("remove", "vm-src-0", "vm-src-1");
    }

    private void awaitVmi(Predicate<Item> until) {
        eventually().until(() -> scene.find(Kind.VMI, "vm").filter(until).isPresent());
    }

    private void awaitMigration(String phase) {
        eventually()
                .until(() -> scene.all(Kind.VMIM).stream()
                        .anyMatch(each -> each.text("status", "phase").equals(phase)));
    }

    @Test
    void volumesMigrateAndTakingTheStrategyAwayAsksForARestart() {
        destinations();
        start("ok");

        toDestinations();
        awaitMigration("Succeeded");
        awaitVmi(vmi -> vmi.label(Names.MIGRATION_TARGET_NODE).isEmpty());
        change("""
                [{"op": "remove", "path": "/spec/updateVolumesStrategy"}]""");

        assertAsRecorded("volumes-ok");
    }

    @Test
    void volumesPutBackUnderWayCancelTheMigration() {
        destinations();
        start("hang");

        toDestinations();
        awaitMigration("Running");
        backToSources();

        assertAsRecorded("volumes-cancel");
    }

    @Test
    void aClaimOfOneNodeLeftOutIsRefusedAndTheVmNamesTheDestination() {
        claims.createShared(scene.namespace(), "1Gi", "bench", "vm-src-0");
        claims.create(scene.namespace(), "vm-src-1", "1Gi", "bench", "ReadWriteOnce", "Block");
        destinations();
        start("ok");

        change("""
                [{"op": "add", "path": "/spec/updateVolumesStrategy", "value": "Migration"},
                 {"op": "replace", "path": "/spec/template/spec/volumes/0/persistentVolumeClaim/claimName", "value": "vm-dst-0"}]""");
        eventually().until(() -> scene.read(Kind.VM, "vm").conditionIs("RestartRequired", "True"));
        change("""
                [{"op": "remove", "path": "/spec/updateVolumesStrategy"},
                 {"op": "replace", "path": "/spec/template/spec/volumes/0/persistentVolumeClaim/claimName", "value": "vm-src-0"}]""");

        assertAsRecorded("volumes-refused");
    }

    @Test
    void destinationsThatComeLateAreWaitedFor() {
        start("ok");

        toDestinations();
        awaitVmi(vmi -> vmi.condition("VolumesChange").isPresent());
        scene.settle();
        destinations();

        awaitMigration("Succeeded");
        assertAsRecorded("volumes-missing");
    }

    @Test
    void aMigrationOfSomebodyElseMovesTheVolumes() {
        destinations();
        VirtualMachine vm = start("ok");

        try (var _ = standIn.holdUpdater()) {
            toDestinations();
            awaitVmi(vmi -> Volumes.changing(vmi));
            scene.settle();
            vm.migration("ours").create();

            awaitMigration("Succeeded");
            assertAsRecorded("volumes-own-vmim", "ours");
        }
    }

    /** Trap door: the guest stays on the sources, and everything looks like a success. */
    @Test
    void aMigrationUnderWayWhenTheVmChangesLeavesTheGuestOnTheSources() {
        destinations();
        VirtualMachine vm = start("ok hold=prepare");
        vm.migration("ordinary").create();
        awaitMigration("PreparingTarget");

        toDestinations();
        awaitVmi(vmi -> Volumes.changing(vmi));
        scene.settle();
        vm.rescript("ok");

        awaitMigration("Succeeded");
        assertAsRecorded("volumes-during-migration", "ordinary");
        assertThat(scene.targetPods())
                .singleElement()
                .satisfies(pod -> assertThat(pod.getSpec().getVolumes())
                        .extracting(volume -> volume.getPersistentVolumeClaim().getClaimName())
                        .contains("vm-src-0", "vm-src-1"));
    }

    /** Trap door: VM and VMI name the sources, the guest runs on the destinations, and no condition says so. */
    @Test
    void volumesPutBackDuringTheHandOverEndAsASuccessOnTheDestinations() {
        destinations();
        VirtualMachine vm = start("ok hold=handover");

        toDestinations();
        awaitVmi(vmi -> vmi.flag("status", "migrationState", "targetNodeDomainDetected"));
        try (var _ = standIn.holdUpdater()) {
            backToSources();
            awaitVmi(vmi -> vmi.conditionIs("VolumesChange", "False"));
            scene.settle();
            vm.rescript("ok");

            awaitMigration("Succeeded");
            assertAsRecorded("volumes-cancel-at-handover");
        }
    }

    @Test
    void volumesPutBackInPartsAreNotTakenUp() {
        destinations();
        start("hang");

        toDestinations();
        awaitMigration("Running");
        change("""
                [{"op": "replace", "path": "/spec/template/spec/volumes/0/persistentVolumeClaim/claimName", "value": "vm-src-0"}]""");
        eventually().until(() -> scene.read(Kind.VM, "vm").conditionIs("Failure", "True"));
        change("""
                [{"op": "remove", "path": "/spec/updateVolumesStrategy"},
                 {"op": "replace", "path": "/spec/template/spec/volumes/1/persistentVolumeClaim/claimName", "value": "vm-src-1"}]""");

        assertAsRecorded("volumes-partial-revert");
    }

    @Test
    void theStrategyTakenAwayUnderWayStopsNothing() {
        destinations();
        start("hang");

        toDestinations();
        awaitMigration("Running");
        change("""
                [{"op": "remove", "path": "/spec/updateVolumesStrategy"}]""");
        eventually().until(() -> scene.read(Kind.VM, "vm").conditionIs("RestartRequired", "True"));
        change("""
                [{"op": "replace", "path": "/spec/template/spec/volumes/0/persistentVolumeClaim/claimName", "value": "vm-src-0"},
                 {"op": "replace", "path": "/spec/template/spec/volumes/1/persistentVolumeClaim/claimName", "value": "vm-src-1"}]""");

        assertAsRecorded("volumes-strategy-away-midway");
    }

    @Test
    void aVmStoppedInTheMiddleNeedsRecoveryByHand() {
        destinations();
        start("hang");
        toDestinations();
        awaitMigration("Running");

        change("""
                [{"op": "replace", "path": "/spec/runStrategy", "value": "Halted"}]""");
        eventually().until(() -> scene.read(Kind.VM, "vm").conditionIs("ManualRecoveryRequired", "True"));
        eventually().until(() -> scene.find(Kind.VMI, "vm").isEmpty());
        eventually().until(() -> scene.all(Kind.VMIM).isEmpty());
        change("""
                [{"op": "replace", "path": "/spec/runStrategy", "value": "Always"}]""");
        backToSources();

        eventually()
                .until(() -> scene.read(Kind.VM, "vm")
                        .condition("ManualRecoveryRequired")
                        .isEmpty());
        awaitVmi(Vmis::running);
        assertThat(Volumes.claims(scene.read(Kind.VMI, "vm")).values()).containsExactly("vm-src-0", "vm-src-1");
    }

    @Test
    void theNextAttemptAfterAFailureWaitsInPending() {
        destinations();
        start("fail because simulated: migration stalled");

        toDestinations();
        awaitMigration("Failed");
        eventually().until(() -> scene.all(Kind.VMIM).size() == 2);

        awaitMigration("Pending");
        assertThat(scene.targetPods()).hasSize(1);
        assertThat(Volumes.changing(scene.read(Kind.VMI, "vm"))).isTrue();
        backToSources();
        eventually().until(() -> scene.all(Kind.VMIM).size() == 1);
    }

    @Test
    void aGuestThatRanOnTheTargetBeforeItsVmiFailedIsSeenInTheMigrationAlone() {
        destinations();
        start("split because simulated: lost contact after hand-over");

        toDestinations();
        eventually().until(() -> scene.read(Kind.VM, "vm").conditionIs("ManualRecoveryRequired", "True"));

        assertThat(recorder.seen())
                .filteredOn(seen -> seen.kind().equals(Kind.VMIM.kind))
                .anySatisfy(seen -> {
                    Item migration = Item.of(Kind.VMIM, seen.object());
                    assertThat(migration.text("status", "phase")).isEqualTo("Failed");
                    assertThat(migration.has("status", "migrationState", "targetNodeDomainReadyTimestamp"))
                            .isTrue();
                });
    }

    /** Migrations of our own are answered 201 each. */
    private void assertAsRecorded(String recording, String... own) {
        recorder.assertAsRecorded(
                recording,
                Stream.of(own).map(name -> RecordingDigests.answer(name, "201")).toList());
    }
}
