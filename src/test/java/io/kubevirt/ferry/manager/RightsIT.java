package io.kubevirt.ferry.manager;

import static io.kubevirt.ferry.admission.DirectedMigration.ANNOTATION;
import static io.kubevirt.ferry.testbed.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.client.Config;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A manager whose rights are missing at the start, or are taken away while it runs. */
@ExtendWith({ControlPlaneExtension.class, KubeVirtExtension.class})
class RightsIT {
    private ControlPlane controlPlane;
    private KubernetesClient admin;

    @BeforeEach
    void given(ControlPlane controlPlane) {
        this.controlPlane = controlPlane;
        this.admin = controlPlane.admin();
        Installation.apply(admin);
    }

    @AfterEach
    void giveBack() {
        Installation.apply(admin);
    }

    /** The kinds of which the roles say nothing from now on. */
    private void take(String... kinds) {
        Installation.objects(admin).stream()
                .filter(object -> object.getMetadata().getName().equals("kubevirt-ferry"))
                .forEach(object -> {
                    switch (object) {
                        case ClusterRole role ->
                            role.getRules().removeIf(rule -> rule.getResources().contains(kinds[0]));
                        case Role role ->
                            role.getRules().removeIf(rule -> rule.getResources().contains(kinds[1]));
                        default -> {
                            return;
                        }
                    }
                    admin.resource(object).forceConflicts().serverSideApply();
                });
    }

    @Test
    void whatIsMissingAtTheStartIsWaitedForByNameAndTheControllersStartWhenItIsThere() {
        take("nodes", "leases");
        try (Said said = new Said();
                ManagerUnderTest manager = ManagerUnderTest.start(controlPlane.config(ControlPlane.OPERATOR))) {
            manager.assertReports(
                    "rights: it may not list, watch nodes; create leases in coordination.k8s.io; get, update, patch leases",
                    "`kubectl apply -k deploy` gives it the rights that it needs",
                    "caches: waiting for the rights",
                    "serving: ok");
            manager.manager().lookAround();
            assertThat(manager.get("/healthz").statusCode()).isEqualTo(200);
            assertThat(said.lines())
                    .filteredOn(line -> line.startsWith("it may not"))
                    .hasSize(1);

            Installation.apply(admin);

            manager.awaitReady().awaitLeading(admin);
            assertThat(said.lines()).contains("it has the rights again that it needs");
        }
    }

    @Test
    void itMayAskForItsRightsWhereNotEverybodyMayAndSaysSoWhereItMayNot() {
        ClusterRoleBinding everybody =
                admin.rbac().clusterRoleBindings().withName("system:basic-user").require();
        admin.resource(everybody).delete();
        try (ManagerUnderTest manager = ManagerUnderTest.start(controlPlane.config(ControlPlane.OPERATOR))) {
            manager.awaitReady();

            take("selfsubjectrulesreviews", "none");

            eventually().untilAsserted(() -> {
                manager.manager().lookAround();
                assertThat(manager.manager().report())
                        .contains("rights: it may not create selfsubjectrulesreviews in authorization.k8s.io:"
                                + " `kubectl apply -k deploy`");
            });
            assertThat(manager.get("/healthz").statusCode()).isEqualTo(200);

            Installation.apply(admin);

            manager.awaitReady();
        } finally {
            everybody.getMetadata().setResourceVersion(null);
            admin.resource(everybody).create();
        }
    }

    @Test
    void whatIsTakenAwayIsNamedOrdinaryMigrationsGoOnAndWhenItIsBackEverythingDoesWithoutARestart(
            TestNamespace namespace, Nodes nodes, VirtualMachines machines) {
        Map<String, String> pool = Map.of("pool", namespace.name());
        nodes.create(namespace + "-1", pool);
        nodes.create(namespace + "-2", pool);
        VirtualMachine vm = machines.vm("db")
                .inNamespace(namespace.name())
                .withNodeSelector(pool)
                .start();
        try (Cable cable = Cable.to(controlPlane.port());
                ManagerUnderTest manager = ManagerUnderTest.start(over(cable)).awaitReady();
                Said said = new Said()) {
            manager.awaitLeading(admin);

            admin.rbac().clusterRoleBindings().withName("kubevirt-ferry").delete();
            cable.mend(); // Watches that are open go on without the right to them, for minutes.
            eventually().untilAsserted(() -> {
                manager.manager().lookAround();
                assertThat(manager.manager().report())
                        .contains(
                                "rights: it may not get, list, watch virtualmachineinstancemigrations in kubevirt.io");
            });
            assertThat(manager.manager().isReady()).isFalse();
            eventually().until(() -> !manager.manager().deadWatches().isEmpty());
            String before = vm.node();
            assertThat(vm.migration("ordinary").create().outcome()).isEqualTo("Succeeded");
            assertThat(vm.node()).isNotEqualTo(before);
            assertThat(manager.get("/healthz").statusCode()).isEqualTo(200);

            Installation.apply(admin);

            eventually().until(() -> manager.manager().deadWatches().isEmpty());
            manager.awaitReady();
            assertThat(vm.migration("directed")
                            .withAnnotation(
                                    ANNOTATION,
                                    "matchFields: [{key: metadata.name, operator: In, values: [" + before + "]}]")
                            .create()
                            .outcome())
                    .isEqualTo("Succeeded");
            assertThat(vm.node()).isEqualTo(before);
            assertThat(manager.hasEnded()).isFalse();
            assertThat(said.complaints().values()).allMatch(times -> times < 5);
        }
    }

    private Config over(Cable cable) {
        return new ConfigBuilder(controlPlane.config(ControlPlane.OPERATOR))
                .withMasterUrl("https://127.0.0.1:" + cable.port())
                .build();
    }
}
