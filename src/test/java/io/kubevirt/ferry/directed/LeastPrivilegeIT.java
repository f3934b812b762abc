package io.kubevirt.ferry.directed;

import static io.kubevirt.ferry.admission.DirectedMigration.ANNOTATION;
import static io.kubevirt.ferry.testbed.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.kubevirt.ferry.api.Crds;
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
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The roles that are shipped: enough, and nothing that is not used. */
@ExtendWith({ControlPlaneExtension.class, KubeVirtExtension.class})
class LeastPrivilegeIT {
    @Test
    void everyVerbOfItsRolesIsUsedAndNoneIsMissing(
            ControlPlane controlPlane, TestNamespace namespace, Nodes nodes, VirtualMachines machines) {
        KubernetesClient admin = controlPlane.admin();
        Map<String, String> pool = Map.of("pool", namespace.name());
        nodes.create(namespace + "-1", pool);
        nodes.create(namespace + "-2", pool);
        Installation.apply(admin);
        admin.resource(Crds.volumeMigration()).serverSideApply();
        admin.secrets()
                .inNamespace("kubevirt-ferry")
                .withName("kubevirt-ferry-webhook-certificate")
                .delete();
        VirtualMachine vm = machines.vm("db")
                .inNamespace(namespace.name())
                .withNodeSelector(pool)
                .start();

        anUnreadableCertificateIsRenewed(controlPlane, admin);
        try (Cable cable = Cable.to(controlPlane.port());
                OperatorUnderTest operator = OperatorUnderTest.start(controlPlane, cable, true)) {
            aDirectedMigrationIsWatched(vm, namespace);
            aTargetPodIsHeldAndReleased(vm, cable, admin, namespace);
            aPodOfNoMigrationIsLookedUp(admin, namespace);
            aMigrationForChangedVolumesIsLookedAfter(vm);
        }
        aPodThatGotPastIsDeleted(controlPlane, admin, vm);

        assertThat(controlPlane.auditLog().of(ControlPlane.OPERATOR))
                .filteredOn(request -> request.status() == 403)
                .isEmpty();
        assertThat(used(controlPlane)).containsAll(granted(admin));
    }

    /** The first start makes the certificate anew, the second replaces one that cannot be read. */
    private static void anUnreadableCertificateIsRenewed(ControlPlane controlPlane, KubernetesClient admin) {
        OperatorUnderTest.start(controlPlane).close();
        admin.resource(new SecretBuilder()
                        .withNewMetadata()
                        .withName("kubevirt-ferry-webhook-certificate")
                        .withNamespace("kubevirt-ferry")
                        .endMetadata()
                        .withType("kubernetes.io/tls")
                        .withData(Map.of("ca.crt", "AAAA", "tls.crt", "AAAA", "tls.key", "AAAA"))
                        .build())
                .forceConflicts()
                .serverSideApply();
    }

    private static void aDirectedMigrationIsWatched(VirtualMachine vm, TestNamespace namespace) {
        Migration migration = directed(vm, "watched", namespace + "-1", namespace + "-2");
        assertThat(migration.outcome()).isEqualTo("Succeeded");
        eventually()
                .untilAsserted(() -> assertThat(Condition.of(migration.get())).isPresent());
    }

    private static Migration directed(VirtualMachine vm, String name, String one, String two) {
        String there = vm.node().equals(one) ? two : one;
        return vm.migration(name)
                .withAnnotation(
                        ANNOTATION, "matchFields: [{key: metadata.name, operator: In, values: [" + there + "]}]")
                .create();
    }

    private static void aTargetPodIsHeldAndReleased(
            VirtualMachine vm, Cable cable, KubernetesClient admin, TestNamespace namespace) {
        cable.cut();
        Migration migration = vm.migration("held").create();
        eventually()
                .until(() -> admin
                        .pods()
                        .inNamespace(namespace.name())
                        .withLabel("kubevirt.io/migrationJobUID")
                        .list()
                        .getItems()
                        .stream()
                        .anyMatch(pod -> !pod.getSpec().getSchedulingGates().isEmpty()));
        cable.mend();
        assertThat(migration.outcome()).isEqualTo("Succeeded");
    }

    private static void aMigrationForChangedVolumesIsLookedAfter(VirtualMachine vm) {
        assertThat(vm.migration("for-volumes")
                        .withLabel("kubevirt.io/volume-update-migration", "db")
                        .create()
                        .outcome())
                .isEqualTo("Succeeded");
    }

    private static void aPodOfNoMigrationIsLookedUp(KubernetesClient admin, TestNamespace namespace) {
        admin.resource(new PodBuilder()
                        .withNewMetadata()
                        .withName("forged")
                        .withNamespace(namespace.name())
                        .addToLabels("kubevirt.io", "virt-launcher")
                        .addToLabels("kubevirt.io/migrationJobUID", "none")
                        .addToAnnotations("kubevirt.io/migrationJobName", "none")
                        .endMetadata()
                        .withNewSpec()
                        .addNewContainer()
                        .withName("forged")
                        .withImage("forged")
                        .endContainer()
                        .endSpec()
                        .build())
                .create();
    }

    private static void aPodThatGotPastIsDeleted(ControlPlane controlPlane, KubernetesClient admin, VirtualMachine vm) {
        vm.rescript("hang");
        String source = vm.node();
        Migration migration = Installation.withoutMigrationWebhook(
                admin,
                () -> vm.migration("past")
                        .withAnnotation(
                                ANNOTATION,
                                "matchFields: [{key: metadata.name, operator: In, values: [" + source + "]}]")
                        .create());
        migration.waitUntil("Running");
        try (OperatorUnderTest operator = OperatorUnderTest.start(controlPlane)) {
            assertThat(migration.outcome()).isEqualTo("Failed");
        }
    }

    /** Verb and resource of each request that was answered well. */
    private static Set<String> used(ControlPlane controlPlane) {
        return controlPlane.auditLog().of(ControlPlane.OPERATOR).stream()
                .filter(request -> request.status() < 400)
                .map(request -> request.verb() + " " + request.resource())
                .collect(Collectors.toSet());
    }

    private static Set<String> granted(KubernetesClient client) {
        return Installation.objects(client).stream()
                .filter(object -> object.getMetadata().getName().equals("kubevirt-ferry"))
                .flatMap(object -> switch (object) {
                    case ClusterRole role -> role.getRules().stream();
                    case Role role -> role.getRules().stream();
                    default -> Stream.<PolicyRule>empty();
                })
                .flatMap(rule -> rule.getVerbs().stream()
                        .flatMap(verb -> rule.getResources().stream().map(resource -> verb + " " + resource)))
                .collect(Collectors.toSet());
    }
}
