package io.kubevirt.ferry.directed;

import static io.kubevirt.ferry.admission.DirectedMigration.ANNOTATION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.kubevirt.ferry.standin.KubeVirtExtension;
import io.kubevirt.ferry.standin.Nodes;
import io.kubevirt.ferry.standin.VirtualMachines;
import io.kubevirt.ferry.standin.VirtualMachines.VirtualMachine;
import io.kubevirt.ferry.testbed.ControlPlane;
import io.kubevirt.ferry.testbed.ControlPlaneExtension;
import io.kubevirt.ferry.testbed.Installation;
import io.kubevirt.ferry.testbed.OperatorUnderTest;
import io.kubevirt.ferry.testbed.TestNamespace;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith({ControlPlaneExtension.class, KubeVirtExtension.class})
class OperatorDownIT {
    @Test
    void anOrdinaryMigrationGoesThroughAndADirectedOneIsRefusedAtCreate(
            ControlPlane controlPlane, TestNamespace namespace, Nodes nodes, VirtualMachines machines) {
        Map<String, String> pool = Map.of("pool", "down");
        nodes.create("down-1", pool);
        nodes.create("down-2", pool);
        Installation.apply(controlPlane.admin());
        OperatorUnderTest.start(controlPlane).close();
        VirtualMachine vm = machines.vm("db")
                .inNamespace(namespace.name())
                .withNodeSelector(pool)
                .start();
        String before = vm.node();

        KubernetesClientException refusal = catchThrowableOfType(
                KubernetesClientException.class,
                () -> vm.migration("m")
                        .withAnnotation(ANNOTATION, "matchFields: [{key: metadata.name, operator: NotIn, values: [x]}]")
                        .create());
        assertThat(refusal.getMessage()).contains("migration.ferry.kubevirt.io");

        assertThat(vm.migration("ordinary").create().outcome()).isEqualTo("Succeeded");
        assertThat(vm.node()).isNotEqualTo(before);
    }
}
