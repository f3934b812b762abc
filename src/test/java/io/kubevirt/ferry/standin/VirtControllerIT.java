package io.kubevirt.ferry.standin;

import static io.kubevirt.ferry.testbed.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.Pod;
import io.kubevirt.ferry.standin.VirtualMachines.VirtualMachine;
import io.kubevirt.ferry.testbed.ControlPlane;
import io.kubevirt.ferry.testbed.ControlPlaneExtension;
import io.kubevirt.ferry.testbed.TestNamespace;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The life of VMs, VMIs and their launcher pods. */
@ExtendWith({ControlPlaneExtension.class, KubeVirtExtension.class})
class VirtControllerIT {

    private static final String[] NODES = {"virt-controller-1", "virt-controller-2"};

    private Scene scene;

    @BeforeAll
    static void nodes(Nodes nodes) {
        nodes.create(NODES);
    }

    @AfterAll
    static void noNodes(Nodes nodes) {
        nodes.delete(NODES);
    }

    @BeforeEach
    void given(ControlPlane plane, KubeVirtStandIn standIn, TestNamespace test) {
        scene = new Scene(plane.admin(), standIn, test.name());
    }

    @Test
    void theOwnersPlacementGoesIntoThePodAndKubeVirtsRequirementIntoEachTerm() {
        Affinity affinity = new AffinityBuilder()
                .withNewNodeAffinity()
                .withNewRequiredDuringSchedulingIgnoredDuringExecution()
                .withNodeSelectorTerms(term("kubernetes.io/os"), term("kubernetes.io/arch"))
                .endRequiredDuringSchedulingIgnoredDuringExecution()
                .endNodeAffinity()
                .build();

        VirtualMachine vm = scene.vm()
                .withAffinity(affinity)
                .withNodeSelector(Map.of("kubernetes.io/os", "linux"))
                .start();

        Pod pod = scene.client()
                .pods()
                .inNamespace(scene.namespace())
                .withName(vm.pod())
                .require();
        assertThat(pod.getSpec().getNodeSelector()).containsEntry("kubernetes.io/os", "linux");
        assertThat(pod.getSpec()
                        .getAffinity()
                        .getNodeAffinity()
                        .getRequiredDuringSchedulingIgnoredDuringExecution()
                        .getNodeSelectorTerms())
                .extracting(VirtControllerIT::keys)
                .containsExactly(
                        List.of("kubernetes.io/os", Names.OBSOLETE_HOST_MODEL),
                        List.of("kubernetes.io/arch", Names.OBSOLETE_HOST_MODEL));
    }

    private static NodeSelectorTerm term(String key) {
        return new NodeSelectorTerm(List.of(new NodeSelectorRequirement(key, "Exists", List.of())), List.of());
    }

    private static List<String> keys(NodeSelectorTerm term) {
        return term.getMatchExpressions().stream()
                .map(NodeSelectorRequirement::getKey)
                .toList();
    }

    @Test
    void aVmWithoutANodeSaysSo() {
        scene.vm().withNodeSelector(Map.of("no", "such")).create();

        eventually()
                .until(() -> scene.read(Kind.VM, "vm")
                        .text("status", "printableStatus")
                        .equals("ErrorUnschedulable"));
    }

    @Test
    void aStoppedVmEndsItsGuestAndStartsAgainWhenAsked() {
        VirtualMachine vm = scene.vm().start();

        scene.patch(Kind.VM, "vm", """
                [{"op": "replace", "path": "/spec/runStrategy", "value": "Halted"}]""");
        eventually()
                .until(() -> scene.read(Kind.VM, "vm")
                        .text("status", "printableStatus")
                        .equals("Stopped"));
        eventually().until(() -> scene.find(Kind.VMI, "vm").isEmpty());
        scene.patch(Kind.VM, "vm", """
                [{"op": "replace", "path": "/spec/runStrategy", "value": "Always"}]""");

        vm.waitUntilRunning();
    }

    /** A finalizer of somebody else holds a VMI that has ended; the next starts when it goes. */
    @Test
    void aHeldVmiKeepsTheVmFromStarting() {
        VirtualMachine vm = scene.vm().start();
        scene.patch(Kind.VMI, "vm", """
                [{"op": "add", "path": "/metadata/finalizers/-", "value": "example.com/hold"}]""");
        String held = scene.read(Kind.VMI, "vm").uid();

        scene.client()
                .genericKubernetesResources(Kind.VMI.context())
                .inNamespace(scene.namespace())
                .withName("vm")
                .delete();
        eventually().until(() -> scene.read(Kind.VMI, "vm").finalizers().equals(List.of("example.com/hold")));
        assertThat(scene.read(Kind.VMI, "vm").text("status", "phase")).isEqualTo("Failed");
        scene.patch(Kind.VMI, "vm", """
                [{"op": "remove", "path": "/metadata/finalizers"}]""");

        eventually()
                .until(() -> scene.find(Kind.VMI, "vm")
                        .filter(vmi -> !vmi.uid().equals(held))
                        .isPresent());
        vm.waitUntilRunning();
    }

    @Test
    void withAVmGoesEverythingThatWasMadeForIt() {
        VirtualMachine vm = scene.vm().whoseMachine("hang").start();
        vm.migration("m").create().waitUntil("Running");

        vm.delete();

        eventually().until(() -> scene.all(Kind.POD).isEmpty());
        eventually().until(() -> scene.all(Kind.VMIM).isEmpty());
        assertThat(scene.all(Kind.VMI)).isEmpty();
    }
}
