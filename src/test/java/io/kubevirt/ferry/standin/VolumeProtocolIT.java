package io.kubevirt.ferry.standin;

import static io.kubevirt.ferry.testbed.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.kubevirt.ferry.api.Crds;
import io.kubevirt.ferry.api.VolumeMigration;
import io.kubevirt.ferry.api.VolumeMigrationCondition;
import io.kubevirt.ferry.standin.VirtualMachines.VirtualMachine;
import io.kubevirt.ferry.testbed.ControlPlane;
import io.kubevirt.ferry.testbed.ControlPlaneExtension;
import io.kubevirt.ferry.testbed.TestNamespace;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What the decision core asks for, done on a real API server with its scheduler, garbage collector and claim protection,
 * beside a KubeVirt that goes as in the recordings.
 */
@ExtendWith({ControlPlaneExtension.class, KubeVirtExtension.class})
class VolumeProtocolIT {
    private static final String[] NODES = {"protocol-1", "protocol-2", "protocol-3"};

    private Scene scene;
    private Claims claims;
    private VolumeLoop loop;

    @BeforeAll
    static void install(ControlPlane plane, Nodes nodes) {
        nodes.create(NODES);
        plane.admin().resource(Crds.volumeMigration()).serverSideApply();
        eventually()
                .ignoreExceptions()
                .until(() -> plane.admin()
                                .resources(VolumeMigration.class)
                                .inAnyNamespace()
                                .list()
                        != null);
    }

    @AfterAll
    static void noNodes(Nodes nodes) {
        nodes.delete(NODES);
    }

    @BeforeEach
    void given(ControlPlane plane, KubeVirtStandIn running, TestNamespace test, Claims made) {
        // a policy that is installed here lets the operator alone change locked VMs
        KubernetesClient operator = plane.as(ControlPlane.OPERATOR, "system:masters");
        scene = new Scene(plane.admin(), running, test.name());
        claims = made;
        loop = VolumeLoop.start(operator, scene.namespace());
    }

    @AfterEach
    void stop() {
        loop.close();
    }

    private VirtualMachine start(String script) {
        claims.createShared(scene.namespace(), "1Gi", "bench", "vm-src-0", "vm-src-1");
        claims.createShared(scene.namespace(), "1Gi", "bench2", "vm-dst-0", "vm-dst-1");
        VirtualMachine vm = scene.vm()
                .withClaim("d0", "vm-src-0")
                .withClaim("d1", "vm-src-1")
                .whoseMachine(script)
                .start();
        scene.settle();
        return vm;
    }

    private void ask(String more) {
        scene.client()
                .load(new ByteArrayInputStream("""
                        apiVersion: storage.kubevirt.io/v1alpha1
                        kind: VolumeMigration
                        metadata: {name: move}
                        spec:
                          migratedVolume:
                          - {sourcePvc: vm-src-0, destinationPvc: vm-dst-0}
                          - {sourcePvc: vm-src-1, destinationPvc: vm-dst-1, reclaimPolicySourcePvc: Retain}
                        %s
                        """.formatted(more.indent(2)).getBytes(StandardCharsets.UTF_8)))
                .inNamespace(scene.namespace())
                .create();
    }

    private Optional<VolumeMigration> migration() {
        return Optional.ofNullable(scene.client()
                .resources(VolumeMigration.class)
                .inNamespace(scene.namespace())
                .withName("move")
                .get());
    }

    private String ready() {
        return migration()
                .flatMap(there -> there.status().condition("Ready"))
                .map(VolumeMigrationCondition::reason)
                .orElse("");
    }

    private void awaitReady(String reason) {
        eventually().until(this::ready, reason::equals);
    }

    private List<String> claimsOf(Kind kind) {
        var item = scene.read(kind, "vm");
        var volumes = kind == Kind.VM ? item.list("spec", "template", "spec", "volumes") : item.list("spec", "volumes");
        return volumes.stream()
                .map(volume -> volume.at("/persistentVolumeClaim/claimName").asText())
                .toList();
    }

    private void assertNothingIsLeft() {
        assertThat(scene.read(Kind.VM, "vm").tree().toString()).doesNotContain("storage.kubevirt.io/volume-migration");
        scene.find(Kind.VMI, "vm")
                .ifPresent(vmi ->
                        assertThat(vmi.tree().toString()).doesNotContain("storage.kubevirt.io/volume-migration"));
    }

    @Test
    void theVolumesMoveAndTheSourcesAreReclaimed() {
        start("ok");
        ask("");
        awaitReady("Migrated");
        assertThat(claimsOf(Kind.VM)).containsExactly("vm-dst-0", "vm-dst-1");
        assertThat(claimsOf(Kind.VMI)).containsExactly("vm-dst-0", "vm-dst-1");
        assertThat(scene.find(Kind.CLAIM, "vm-src-0")).isEmpty();
        assertThat(scene.find(Kind.CLAIM, "vm-src-1")).isPresent();
        eventually().untilAsserted(this::assertNothingIsLeft);
    }

    @Test
    void aVmThatItsUserChangesIsHeldAndReclaimedAndNeverWritten() {
        start("ok");
        ask("virtualMachineUpdatePolicy: Manual");
        awaitReady("WaitingForUser");
        assertThat(message())
                .contains("volume d0 on claim vm-dst-0", "volume d1 on claim vm-dst-1", "updateVolumesStrategy");
        scene.patch(Kind.VM, "vm", """
                [{"op": "add", "path": "/spec/updateVolumesStrategy", "value": "Migration"},
                 {"op": "replace", "path": "/spec/template/spec/volumes/0/persistentVolumeClaim/claimName", "value": "vm-dst-0"},
                 {"op": "replace", "path": "/spec/template/spec/volumes/1/persistentVolumeClaim/claimName", "value": "vm-dst-1"}]""");
        long changed = scene.read(Kind.VM, "vm").generation();
        awaitReady("Migrated");
        assertThat(message()).contains("after its next restart, and not before");
        assertThat(scene.read(Kind.VM, "vm").generation()).isEqualTo(changed);
        assertThat(scene.find(Kind.CLAIM, "vm-src-0")).isEmpty();
        assertThat(loop.done()).doesNotContain("Lock", "ChangeVolumes", "PutBack", "ChangeStrategy", "Unlock");
        eventually().untilAsserted(this::assertNothingIsLeft);
    }

    @Test
    void whenTheAttemptsAreUsedUpTheVmIsAsItWasAndItsGuestRanOn() {
        start("fail because simulated: migration stalled");
        var before = scene.read(Kind.VM, "vm").node("spec");
        var guest = scene.read(Kind.VMI, "vm").uid();
        ask("backoffLimit: 1");
        awaitReady("BackoffLimitExceeded");
        assertThat(message()).contains("Attempt 2 of 2 failed", "simulated: migration stalled");
        assertThat(scene.read(Kind.VM, "vm").node("spec")).isEqualTo(before);
        assertThat(scene.read(Kind.VMI, "vm").uid()).isEqualTo(guest);
        assertThat(claimsOf(Kind.VMI)).containsExactly("vm-src-0", "vm-src-1");
        eventually().untilAsserted(this::assertNothingIsLeft);
        assertNoClaimIsGone();
    }

    @Test
    void aVolumeMigrationThatIsDeletedUnderWayPutsTheVmBackAndGoes() {
        start("hang");
        var before = scene.read(Kind.VM, "vm").node("spec");
        ask("");
        awaitMigrationRunning();
        forget();
        eventually().until(() -> migration().isEmpty());
        assertThat(scene.read(Kind.VM, "vm").node("spec")).isEqualTo(before);
        assertThat(claimsOf(Kind.VMI)).containsExactly("vm-src-0", "vm-src-1");
        assertNothingIsLeft();
        assertNoClaimIsGone();
    }

    @Test
    void aVolumeMigrationThatIsDeletedTooLateLeavesTheGuestOnTheDestinationsAndKeepsTheSources() {
        VirtualMachine vm = start("ok hold=handover");
        ask("");
        eventually()
                .until(() -> scene.read(Kind.VMI, "vm").flag("status", "migrationState", "targetNodeDomainDetected"));
        forget();
        eventually().until(() -> ready().equals("RollingBack"));
        vm.rescript("ok");
        eventually().until(() -> migration().isEmpty());
        assertThat(claimsOf(Kind.VM)).containsExactly("vm-dst-0", "vm-dst-1");
        assertThat(claimsOf(Kind.VMI)).containsExactly("vm-dst-0", "vm-dst-1");
        assertNothingIsLeft();
        assertNoClaimIsGone();
    }

    @Test
    void aVmThatIsStoppedInTheMiddleIsPutBackBeforeItStartsAgain() {
        start("hang");
        var before = scene.read(Kind.VM, "vm").node("spec");
        var guest = scene.read(Kind.VMI, "vm").uid();
        ask("");
        awaitMigrationRunning();
        scene.client()
                .genericKubernetesResources(Kind.VMI.context())
                .inNamespace(scene.namespace())
                .withName("vm")
                .delete();
        awaitReady("RolledBack");
        assertThat(message()).contains("The VM was stopped in the middle");
        assertThat(scene.read(Kind.VM, "vm").node("spec")).isEqualTo(before);
        eventually()
                .until(() -> scene.find(Kind.VMI, "vm")
                        .filter(vmi -> !vmi.uid().equals(guest) && Vmis.running(vmi))
                        .isPresent());
        assertThat(claimsOf(Kind.VMI)).containsExactly("vm-src-0", "vm-src-1");
        assertNothingIsLeft();
        assertNoClaimIsGone();
    }

    @Test
    void aGuestThatRanOnTheDestinationsWhenItsVmiFailedStartsThereAgain() {
        start("split because simulated: lost contact after hand-over");
        var guest = scene.read(Kind.VMI, "vm").uid();
        ask("");
        awaitReady("RolledForward");
        assertThat(message()).contains("vm-src-0, vm-src-1");
        eventually()
                .until(() -> scene.find(Kind.VMI, "vm")
                        .filter(vmi -> !vmi.uid().equals(guest) && Vmis.running(vmi))
                        .isPresent());
        assertThat(claimsOf(Kind.VMI)).containsExactly("vm-dst-0", "vm-dst-1");
        assertThat(scene.read(Kind.VM, "vm").has("spec", "updateVolumesStrategy"))
                .isFalse();
        assertNothingIsLeft();
        assertNoClaimIsGone();
    }

    @Test
    void aVmThatCannotMigrateIsNotTouchedAndItsVolumesSayWhy() {
        start("ok unmigratable");
        var before = scene.read(Kind.VM, "vm").tree();
        ask("");
        awaitReady("VolumesRejected");
        assertThat(message()).contains("HostDeviceNotLiveMigratable: VMI uses a PCI host devices");
        assertThat(scene.read(Kind.VM, "vm").tree()).isEqualTo(before);
        assertThat(loop.done()).isEmpty();
    }

    private void awaitMigrationRunning() {
        eventually()
                .until(() -> scene.all(Kind.VMIM).stream()
                        .anyMatch(each -> each.text("status", "phase").equals("Running")));
    }

    private void forget() {
        scene.client()
                .resources(VolumeMigration.class)
                .inNamespace(scene.namespace())
                .withName("move")
                .delete();
    }

    private String message() {
        return migration()
                .flatMap(there -> there.status().condition("Ready"))
                .map(VolumeMigrationCondition::message)
                .orElse("");
    }

    private void assertNoClaimIsGone() {
        assertThat(scene.all(Kind.CLAIM))
                .extracting(Item::name)
                .containsExactlyInAnyOrder("vm-src-0", "vm-src-1", "vm-dst-0", "vm-dst-1");
        assertThat(scene.all(Kind.CLAIM)).noneMatch(Item::deleting);
    }
}
