package io.kubevirt.ferry.standin;

import static io.kubevirt.ferry.testbed.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.kubevirt.ferry.standin.VirtualMachines.Migration;
import io.kubevirt.ferry.standin.VirtualMachines.VirtualMachine;
import io.kubevirt.ferry.testbed.ControlPlane;
import io.kubevirt.ferry.testbed.ControlPlaneExtension;
import io.kubevirt.ferry.testbed.TestNamespace;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What KubeVirt does with migrations beside what the recordings show. */
@ExtendWith({ControlPlaneExtension.class, KubeVirtExtension.class})
class MigrationIT {

    /** The CPU of the first is one that the others can stand in for. */
    private static final String[] NODES = {"migration-1", "migration-2", "migration-3"};

    private ControlPlane plane;
    private Scene scene;

    @BeforeAll
    static void nodes(Nodes nodes) {
        nodes.create(NODES[0], Map.of(Names.HOST_MODEL_CPU + "Skylake", "true"));
        nodes.create(NODES[1], Map.of(Names.CPU_MODEL_MIGRATION + "Skylake", "true"));
        nodes.create(NODES[2], Map.of(Names.CPU_MODEL_MIGRATION + "Skylake", "true"));
    }

    @AfterAll
    static void noNodes(Nodes nodes) {
        nodes.delete(NODES);
    }

    @BeforeEach
    void given(ControlPlane controlPlane, KubeVirtStandIn standIn, TestNamespace test) {
        plane = controlPlane;
        scene = new Scene(controlPlane.admin(), standIn, test.name());
    }

    @Test
    void targetsMustHaveTheCpuOfTheFirstSource() {
        VirtualMachine vm = scene.vm().withAffinity(Scene.preferring(NODES[0])).start();
        assertThat(vm.node()).isEqualTo(NODES[0]);

        vm.migration("first").create().outcome();
        String second = vm.node();
        vm.migration("second").create().outcome();
        String third = vm.node();
        vm.migration("third").create().outcome();

        assertThat(List.of(second, third)).containsExactlyInAnyOrder(NODES[1], NODES[2]);
        assertThat(vm.node()).isEqualTo(second);
    }

    @Test
    void deletedBeforeHandOverAMigrationTakesItsTargetPodWithIt() {
        VirtualMachine vm = scene.vm().start();
        Migration migration =
                vm.migration("m").withAddedNodeSelector("no", "such").create();
        migration.waitUntil("Scheduling");

        migration.cancel();

        migration.waitUntilGone();
        eventually().until(() -> scene.targetPods().isEmpty());
        assertThat(vm.migration("next").create().outcome()).isEqualTo("Succeeded");
    }

    @Test
    void whatOthersPutOnAMigrationStays() {
        VirtualMachine vm = scene.vm().whoseMachine("hang").start();
        Migration migration =
                vm.migration("m").withAnnotation("example.com/kept", "yes").create();
        migration.waitUntil("Running");
        scene.client()
                .genericKubernetesResources(Kind.VMIM.context())
                .inNamespace(scene.namespace())
                .withName("m")
                .subresource("status")
                .patch(PatchContext.of(PatchType.JSON_MERGE), """
                        {"status": {"conditions": [{"type": "Foreign", "status": "True", "reason": "Test"}]}}""");

        vm.rescript("ok");

        assertThat(migration.outcome()).isEqualTo("Succeeded");
        eventually().until(() -> scene.read(Kind.VMIM, "m").finalizers().isEmpty());
        assertThat(scene.read(Kind.VMIM, "m").annotation("example.com/kept")).isEqualTo("yes");
        assertThat(scene.read(Kind.VMIM, "m").conditionIs("Foreign", "True")).isTrue();
    }

    @Test
    void aTargetPodThatIsRefusedIsTriedAgainAndTheMigrationWaitsInPending() {
        VirtualMachine vm = scene.vm().start();
        Migration migration;
        try (Refusal refusal = Refusal.of(scene.client(), scene.namespace())) {
            eventually().until(refusal::inForce);
            migration = vm.migration("m").create();
            eventually().until(() -> refusedPods() >= 5);
            assertThat(migration.phase()).isEqualTo("Pending");
            assertThat(scene.targetPods()).isEmpty();
        }

        assertThat(migration.outcome()).isEqualTo("Succeeded");
    }

    private long refusedPods() {
        return plane.auditLog().of(KubeVirtStandIn.USER).stream()
                .filter(request -> request.namespace().equals(scene.namespace()))
                .filter(request ->
                        request.resource().equals("pods") && request.verb().equals("create"))
                .filter(request -> request.status() == 422)
                .count();
    }

    @Test
    void twoMigrationsLeaveANodeAtOnceAndTheNextWaits() {
        List<VirtualMachine> three = Stream.of("a", "b", "c")
                .map(name -> new VirtualMachines(scene.client())
                        .vm(name)
                        .inNamespace(scene.namespace())
                        .withAffinity(Scene.preferring(NODES[0]))
                        .whoseMachine("hang")
                        .start())
                .toList();
        assertThat(three).extracting(VirtualMachine::node).containsOnly(NODES[0]);

        List<Migration> migrations = three.stream()
                .map(vm -> vm.migration("m-" + vm.name()).create())
                .toList();

        eventually().until(() -> running(migrations).count() == 2);
        assertThat(migrations).extracting(Migration::phase).contains("Pending");
        three.forEach(vm -> vm.rescript("ok"));
        assertThat(migrations).extracting(Migration::outcome).containsOnly("Succeeded");
    }

    private static Stream<Migration> running(List<Migration> migrations) {
        return migrations.stream().filter(each -> each.phase().equals("Running"));
    }

    @Test
    void fiveFinishedMigrationsOfAVmiAreKept() {
        VirtualMachine vm = scene.vm().whoseMachine("copy=10ms step=10ms").start();

        for (int i = 1; i <= 7; i++) {
            assertThat(vm.migration("m" + i).create().outcome()).isEqualTo("Succeeded");
        }

        eventually()
                .untilAsserted(() -> assertThat(scene.all(Kind.VMIM))
                        .extracting(Item::name)
                        .containsExactlyInAnyOrder("m3", "m4", "m5", "m6", "m7"));
    }
}
