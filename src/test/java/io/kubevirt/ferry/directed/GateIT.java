package io.kubevirt.ferry.directed;

import static io.kubevirt.ferry.admission.DirectedMigration.ANNOTATION;
import static io.kubevirt.ferry.admission.DirectedMigration.GATE;
import static io.kubevirt.ferry.testbed.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSchedulingGate;
import io.kubevirt.ferry.standin.KubeVirtExtension;
import io.kubevirt.ferry.standin.Nodes;
import io.kubevirt.ferry.standin.VirtualMachines;
import io.kubevirt.ferry.standin.VirtualMachines.Migration;
import io.kubevirt.ferry.standin.VirtualMachines.VirtualMachine;
import io.kubevirt.ferry.testbed.Cable;
import io.kubevirt.ferry.testbed.ControlPlane;
import io.kubevirt.ferry.testbed.ControlPlaneExtension;
import io.kubevirt.ferry.testbed.Installation;
import io.kubevirt.ferry.testbed.OperatorUnderTest;
import io.kubevirt.ferry.testbed.TestNamespace;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The API gives the operator no answer while target pods are created. */
@ExtendWith({ControlPlaneExtension.class, KubeVirtExtension.class})
class GateIT {
    private ControlPlane controlPlane;
    private String namespace;
    private Cable cable;
    private OperatorUnderTest operator;
    private VirtualMachine vm;

    @BeforeEach
    void given(ControlPlane controlPlane, TestNamespace namespace, Nodes nodes, VirtualMachines machines) {
        this.controlPlane = controlPlane;
        this.namespace = namespace.name();
        Map<String, String> pool = Map.of("pool", namespace.name());
        for (int i = 1; i <= 3; i++) {
            nodes.create(namespace + "-" + i, pool);
        }
        Installation.apply(controlPlane.admin());
        cable = Cable.to(controlPlane.port());
        operator = OperatorUnderTest.start(controlPlane, cable);
        vm = machines.vm("db")
                .inNamespace(this.namespace)
                .withNodeSelector(pool)
                .start();
    }

    @AfterEach
    void close() {
        operator.close();
        cable.close();
    }

    private String elsewhere() {
        return vm.node().equals(namespace + "-1") ? namespace + "-2" : namespace + "-1";
    }

    private Migration directedTo(String node) {
        return vm.migration("m")
                .withAnnotation(ANNOTATION, "matchFields: [{key: metadata.name, operator: In, values: [" + node + "]}]")
                .create();
    }

    private Optional<Pod> targetPod() {
        return controlPlane
                .admin()
                .pods()
                .inNamespace(namespace)
                .withLabel("kubevirt.io/migrationJobUID")
                .list()
                .getItems()
                .stream()
                .findFirst();
    }

    private List<String> gates() {
        return targetPod().stream()
                .flatMap(pod -> pod.getSpec().getSchedulingGates().stream())
                .map(PodSchedulingGate::getName)
                .toList();
    }

    private void awaitGate() {
        eventually().untilAsserted(() -> assertThat(gates()).contains(GATE));
    }

    @Test
    void theTargetPodOfADirectedMigrationIsHeldThenNarrowedAndReleased() {
        String there = elsewhere();
        cable.cut();
        Migration migration = directedTo(there);
        awaitGate();
        assertThat(migration.phase()).isNotEqualTo("Succeeded");

        cable.mend();

        assertThat(migration.outcome()).isEqualTo("Succeeded");
        assertThat(vm.node()).isEqualTo(there);
    }

    @Test
    void theTargetPodOfAnOrdinaryMigrationIsHeldThenReleasedAsItWas() {
        cable.cut();
        Migration migration = vm.migration("ordinary").create();
        awaitGate();
        Object affinity = targetPod().orElseThrow().getSpec().getAffinity();

        cable.mend();

        assertThat(migration.outcome()).isEqualTo("Succeeded");
        assertThat(targetPod().orElseThrow().getSpec().getAffinity()).isEqualTo(affinity);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theGateOfAnotherControllerStays(boolean directed) {
        String there = elsewhere();
        Installation.gateOfOthers(controlPlane.admin(), namespace);
        cable.cut();
        Migration migration =
                directed ? directedTo(there) : vm.migration("ordinary").create();
        awaitGate();
        assertThat(gates()).containsExactlyInAnyOrder(GATE, Installation.GATE_OF_OTHERS);

        cable.mend();

        eventually().untilAsserted(() -> assertThat(gates()).containsExactly(Installation.GATE_OF_OTHERS));
        controlPlane
                .admin()
                .pods()
                .inNamespace(namespace)
                .withName(targetPod().orElseThrow().getMetadata().getName())
                .edit(pod -> {
                    pod.getSpec().setSchedulingGates(List.of());
                    return pod;
                });
        assertThat(migration.outcome()).isEqualTo("Succeeded");
        if (directed) {
            assertThat(vm.node()).isEqualTo(there);
        }
        Installation.noGateOfOthers(controlPlane.admin());
    }
}
