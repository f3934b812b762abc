package io.kubevirt.ferry.directed;

import static io.kubevirt.ferry.admission.DirectedMigration.ANNOTATION;
import static io.kubevirt.ferry.testbed.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.kubevirt.ferry.admission.TypedField;
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

/** What the two settings of directed migration change. */
@ExtendWith({ControlPlaneExtension.class, KubeVirtExtension.class})
class SettingsIT {
    @Test
    void whereDirectingIsRestrictedItTakesAPermissionOfItsOwn(
            ControlPlane controlPlane, TestNamespace namespace, Nodes nodes, VirtualMachines machines) {
        Map<String, String> pool = Map.of("pool", namespace.name());
        nodes.create(namespace + "-1", pool);
        nodes.create(namespace + "-2", pool);
        Installation.apply(controlPlane.admin());
        bind(controlPlane.admin(), namespace, "mia", "kubevirt-migrator");
        bind(controlPlane.admin(), namespace, "dora", "kubevirt-migrator");
        bind(controlPlane.admin(), namespace, "dora", "kubevirt-ferry-directed-migration");
        VirtualMachine vm = machines.vm("db")
                .inNamespace(namespace.name())
                .withNodeSelector(pool)
                .start();
        var directed = vm.migration("m")
                .withAnnotation(ANNOTATION, "matchFields: [{key: metadata.name, operator: NotIn, values: [x]}]")
                .build();

        try (OperatorUnderTest operator = OperatorUnderTest.start(controlPlane, true, true)) {
            KubernetesClientException refusal = catchThrowableOfType(
                    KubernetesClientException.class,
                    () -> controlPlane.as("mia").resource(directed).create());
            assertThat(refusal.getMessage())
                    .contains("mia", "addednodeselectorterm", "kubevirt-ferry-directed-migration", ANNOTATION);

            assertThat(controlPlane.as("dora").resource(directed).create()).isNotNull();
            assertThat(vm.existingMigration("m").outcome()).isEqualTo("Succeeded");
            assertThat(controlPlane
                            .as("mia")
                            .resource(vm.migration("ordinary").build())
                            .create())
                    .isNotNull();
        }
    }

    private static void bind(KubernetesClient admin, TestNamespace namespace, String user, String role) {
        admin.load(SettingsIT.class.getResourceAsStream("migrator.yaml"))
                .items()
                .forEach(object -> admin.resource(object).serverSideApply());
        admin.resource(new RoleBindingBuilder()
                        .withNewMetadata()
                        .withName(user + "-" + role)
                        .withNamespace(namespace.name())
                        .endMetadata()
                        .withNewRoleRef()
                        .withApiGroup("rbac.authorization.k8s.io")
                        .withKind("ClusterRole")
                        .withName(role)
                        .endRoleRef()
                        .addNewSubject()
                        .withApiGroup("rbac.authorization.k8s.io")
                        .withKind("User")
                        .withName(user)
                        .endSubject()
                        .build())
                .create();
    }

    @Test
    void withoutTheTypedFieldTheDefinitionStaysKubeVirts(ControlPlane controlPlane) {
        Installation.apply(controlPlane.admin());
        try (OperatorUnderTest operator = OperatorUnderTest.start(controlPlane, false, false)) {
            eventually().until(() -> new KubeVirtsDefinition(controlPlane).presence() == TypedField.Presence.MISSING);
        }
    }
}
