package io.kubevirt.ferry.directed;

import static io.kubevirt.ferry.admission.DirectedMigration.ANNOTATION;
import static io.kubevirt.ferry.admission.DirectedMigration.GATE;
import static io.kubevirt.ferry.testbed.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSchedulingGate;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.kubevirt.ferry.api.Crds;
import io.kubevirt.ferry.api.VolumeMigration;
import io.kubevirt.ferry.standin.KubeVirtExtension;
import io.kubevirt.ferry.standin.Nodes;
import io.kubevirt.ferry.standin.VirtualMachines;
import io.kubevirt.ferry.standin.VirtualMachines.Migration;
import io.kubevirt.ferry.standin.VirtualMachines.MigrationBuilder;
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
import org.junit.jupiter.params.provider.CsvSource;

/** Migrations that KubeVirt makes because a VM's volumes have changed, beside VolumeMigrations as their controller leaves them. */
@ExtendWith({ControlPlaneExtension.class, KubeVirtExtension.class})
class VolumeUpdateIT {
    private ControlPlane controlPlane;
    private KubernetesClient admin;
    private String namespace;
    private Cable cable;
    private VirtualMachine vm;

    @BeforeEach
    void given(ControlPlane controlPlane, TestNamespace namespace, Nodes nodes, VirtualMachines machines) {
        this.controlPlane = controlPlane;
        this.admin = controlPlane.admin();
        this.namespace = namespace.name();
        Map<String, String> pool = Map.of("pool", namespace.name());
        for (int i = 1; i <= 3; i++) {
            nodes.create(namespace + "-" + i, pool);
        }
        Installation.apply(admin);
        admin.resource(Crds.volumeMigration()).serverSideApply();
        cable = Cable.to(controlPlane.port());
        vm = machines.vm("db")
                .inNamespace(this.namespace)
                .withNodeSelector(pool)
                .start();
    }

    @AfterEach
    void close() {
        cable.close();
    }

    private OperatorUnderTest operator() {
        return OperatorUnderTest.start(controlPlane, cable);
    }

    private String elsewhere() {
        return vm.node().equals(namespace + "-1") ? namespace + "-2" : namespace + "-1";
    }

    /** A VolumeMigration whose VM may go to one node alone. */
    private void volumeMigration(String namespace, String vmi, String node, String verdict) {
        eventually()
                .ignoreExceptions()
                .until(() -> admin.resource("""
                                apiVersion: storage.kubevirt.io/v1alpha1
                                kind: VolumeMigration
                                metadata: {name: move, namespace: %s}
                                spec:
                                  migratedVolume: [{sourcePvc: a, destinationPvc: b}]
                                  addedNodeSelectorTerm:
                                    matchFields: [{key: metadata.name, operator: In, values: [%s]}]
                                """.formatted(namespace, node)).create() != null);
        admin.resources(VolumeMigration.class)
                .inNamespace(namespace)
                .withName("move")
                .subresource("status")
                .patch(PatchContext.of(PatchType.JSON_MERGE), """
                        {"status": {"volumeMigrationStates": [], "conditions": [],
                         "virtualMachineName": "%1$s", "virtualMachineInstanceName": "%1$s",
                         "startTimestamp": "2026-01-01T00:00:00Z", "original": {
                          "virtualMachineUid": "1", "virtualMachineInstanceUid": "2", "run": 1,
                          "before": {"volumes": [], "claims": [], "updateVolumesStrategy": "", "dataVolumeTemplates": []},
                          "progress": {"open": true, "step": "Changed", "verdict": "%2$s", "reason": "", "message": "",
                            "keepSources": false, "handOverUnseen": false},
                          "attempts": {"lastBefore": "", "before": [], "current": "", "failed": [], "handedOver": ""}}}}
                        """.formatted(vmi, verdict));
    }

    private MigrationBuilder ofKubeVirt() {
        return vm.migration("kubevirt-workload-update-x")
                .withLabel("kubevirt.io/volume-update-migration", "db")
                .withAnnotation("kubevirt.io/workloadUpdateMigration", "");
    }

    private Optional<String> term(Migration migration) {
        return Optional.ofNullable(
                migration.get().getMetadata().getAnnotations().get(ANNOTATION));
    }

    private Optional<Pod> targetPod() {
        return admin.pods().inNamespace(namespace).withLabel("kubevirt.io/migrationJobUID").list().getItems().stream()
                .findFirst();
    }

    @Test
    void theyGoWhereTheActiveVolumeMigrationSays() {
        String there = elsewhere();
        volumeMigration(namespace, "db", there, "Run");
        try (var _ = operator()) {
            Migration migration = ofKubeVirt().create();

            assertThat(term(migration))
                    .hasValueSatisfying(term -> assertThat(term).contains(there));
            assertThat(migration.outcome()).isEqualTo("Succeeded");
            assertThat(vm.node()).isEqualTo(there);
            eventually()
                    .untilAsserted(
                            () -> assertThat(Condition.of(migration.get())).isPresent());
        }
    }

    @ParameterizedTest
    @CsvSource({"web, Run", "db, RollBack", "db, Success", "db, GiveUp"})
    void theyAreFreeOfAVolumeMigrationOfAnotherVmAndOfOneThatDoesNotGoOn(String vmi, String verdict) {
        volumeMigration(namespace, vmi, "nowhere", verdict);
        try (var _ = operator()) {
            Migration migration = ofKubeVirt().create();

            assertThat(term(migration)).isEmpty();
            assertThat(migration.outcome()).isEqualTo("Succeeded");
        }
    }

    @Test
    void aTermOfTheirOwnStays() {
        String there = elsewhere();
        volumeMigration(namespace, "db", "nowhere", "Run");
        String own = "matchFields: [{key: metadata.name, operator: In, values: [" + there + "]}]";
        try (var _ = operator()) {
            Migration migration = ofKubeVirt().withAnnotation(ANNOTATION, own).create();

            assertThat(term(migration)).hasValue(own);
            assertThat(migration.outcome()).isEqualTo("Succeeded");
            assertThat(vm.node()).isEqualTo(there);
        }
    }

    @Test
    void madeWhileTheApiDoesNotAnswerTheyPassAndTheirPodIsHeldThenNarrowed() {
        String there = elsewhere();
        volumeMigration(namespace, "db", there, "Run");
        try (var _ = operator()) {
            cable.cut();
            Migration migration = ofKubeVirt().create();
            assertThat(term(migration)).isEmpty();
            eventually()
                    .until(() -> targetPod().stream()
                            .flatMap(pod -> pod.getSpec().getSchedulingGates().stream())
                            .map(PodSchedulingGate::getName)
                            .anyMatch(GATE::equals));

            cable.mend();

            assertThat(migration.outcome()).isEqualTo("Succeeded");
            assertThat(vm.node()).isEqualTo(there);
        }
    }

    @Test
    void withoutTheDefinitionOfVolumeMigrationsTheyPassUntouched() {
        admin.resource(Crds.volumeMigration()).delete();
        try (var _ = operator()) {
            Migration migration = ofKubeVirt().create();

            assertThat(term(migration)).isEmpty();
            assertThat(migration.outcome()).isEqualTo("Succeeded");
            assertThat(targetPod().orElseThrow().getSpec().getSchedulingGates()).isEqualTo(List.of());
        }
    }
}
