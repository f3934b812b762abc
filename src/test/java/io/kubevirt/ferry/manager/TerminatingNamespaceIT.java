package io.kubevirt.ferry.manager;

import static io.kubevirt.ferry.admission.DirectedMigration.ANNOTATION;
import static io.kubevirt.ferry.admission.DirectedMigration.GATE;
import static io.kubevirt.ferry.testbed.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.kubevirt.ferry.standin.KubeVirtExtension;
import io.kubevirt.ferry.standin.Nodes;
import io.kubevirt.ferry.standin.VirtualMachines;
import io.kubevirt.ferry.standin.VirtualMachines.VirtualMachine;
import io.kubevirt.ferry.testbed.Cable;
import io.kubevirt.ferry.testbed.ControlPlane;
import io.kubevirt.ferry.testbed.ControlPlaneExtension;
import io.kubevirt.ferry.testbed.Installation;
import io.kubevirt.ferry.testbed.TestNamespace;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Namespaces that are deleted under a manager. */
@ExtendWith({ControlPlaneExtension.class, KubeVirtExtension.class})
class TerminatingNamespaceIT {
    private ControlPlane controlPlane;
    private KubernetesClient admin;

    @BeforeEach
    void given(ControlPlane controlPlane) {
        this.controlPlane = controlPlane;
        this.admin = controlPlane.admin();
        Installation.apply(admin);
    }

    private void delete(String namespace) {
        admin.namespaces().withName(namespace).delete();
    }

    private void awaitEndOf(String namespace) {
        eventually().until(() -> admin.namespaces().withName(namespace).get() == null);
    }

    @Test
    void oneWithADirectedMigrationAndAPodHeldByOurGateGoesAway(
            TestNamespace namespace, Nodes nodes, VirtualMachines machines) {
        Map<String, String> pool = Map.of("pool", namespace.name());
        nodes.create(namespace + "-1", pool);
        nodes.create(namespace + "-2", pool);
        VirtualMachine vm = machines.vm("db")
                .inNamespace(namespace.name())
                .withNodeSelector(pool)
                .start();
        try (Cable cable = Cable.to(controlPlane.port());
                ManagerUnderTest manager = ManagerUnderTest.start(
                                new ConfigBuilder(controlPlane.config(ControlPlane.OPERATOR))
                                        .withMasterUrl("https://127.0.0.1:" + cable.port())
                                        .build())
                        .awaitReady()) {
            manager.awaitLeading(admin);
            cable.cut();
            vm.migration("m")
                    .withAnnotation(ANNOTATION, "matchFields: [{key: metadata.name, operator: NotIn, values: [x]}]")
                    .create();
            eventually().until(() -> isHeld(namespace));
            try (Said said = new Said()) {
                delete(namespace.name());
                cable.mend();

                awaitEndOf(namespace.name());
                assertThat(said.complaints().values()).allMatch(times -> times < 5);
                assertThat(manager.manager().isReady()).isTrue();
            }
        }
    }

    private boolean isHeld(TestNamespace namespace) {
        return admin.pods().inNamespace(namespace.name()).list().getItems().stream()
                .flatMap(pod -> pod.getSpec().getSchedulingGates().stream())
                .anyMatch(gate -> gate.getName().equals(GATE));
    }

    @Test
    void itsOwnGoesAwayTheManagerEndsWithAWordAndTheNextInstallationWorks() {
        try (ManagerUnderTest manager = ManagerUnderTest.start(controlPlane.config(ControlPlane.OPERATOR))
                        .awaitReady();
                Said said = new Said()) {
            manager.awaitLeading(admin);

            delete("kubevirt-ferry");

            awaitEndOf("kubevirt-ferry");
            eventually().until(manager::hasEnded);
            assertThat(said.lines()).contains("Lease kubevirt-ferry/kubevirt-ferry was lost; this replica ends");
            assertThat(said.complaints().values()).allMatch(times -> times < 5);
        }
        Installation.apply(admin);
        try (ManagerUnderTest next = ManagerUnderTest.start(controlPlane.config(ControlPlane.OPERATOR))) {
            next.awaitReady().awaitLeading(admin);
        }
    }
}
