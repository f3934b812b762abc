package io.kubevirt.ferry.directed;

import static io.kubevirt.ferry.admission.DirectedMigration.ANNOTATION;
import static io.kubevirt.ferry.testbed.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.kubevirt.ferry.kubevirt.LauncherPod;
import io.kubevirt.ferry.standin.KubeVirtExtension;
import io.kubevirt.ferry.standin.Nodes;
import io.kubevirt.ferry.standin.VirtualMachines;
import io.kubevirt.ferry.standin.VirtualMachines.Migration;
import io.kubevirt.ferry.standin.VirtualMachines.VirtualMachine;
import io.kubevirt.ferry.testbed.AuditLog;
import io.kubevirt.ferry.testbed.ControlPlane;
import io.kubevirt.ferry.testbed.ControlPlaneExtension;
import io.kubevirt.ferry.testbed.Installation;
import io.kubevirt.ferry.testbed.OperatorUnderTest;
import io.kubevirt.ferry.testbed.TestNamespace;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A target pod that no replica admitted: approved by its node, deleted, or told of afterwards; never silent. */
@ExtendWith({ControlPlaneExtension.class, KubeVirtExtension.class})
class BypassIT {
    private ControlPlane controlPlane;
    private VirtualMachine vm;
    private String source;
    private String other;

    /** Two nodes, a VM on one of them, and the webhooks of an operator that is down. */
    @BeforeEach
    void given(ControlPlane controlPlane, TestNamespace namespace, Nodes nodes, VirtualMachines machines) {
        this.controlPlane = controlPlane;
        Map<String, String> pool = Map.of("pool", namespace.name());
        String one = namespace + "-1";
        String two = namespace + "-2";
        nodes.create(one, pool);
        nodes.create(two, pool);
        Installation.apply(controlPlane.admin());
        vm = machines.vm("db")
                .inNamespace(namespace.name())
                .withNodeSelector(pool)
                .whoseMachine("hang")
                .start();
        source = vm.node();
        other = source.equals(one) ? two : one;
    }

    /** A migration with a term that nobody was there to check, as if the operator went away right after it had. */
    private Migration created(String term) {
        return Installation.withoutMigrationWebhook(
                controlPlane.admin(),
                () -> vm.migration("m").withAnnotation(ANNOTATION, term).create());
    }

    private static String named(String operator, String node) {
        return "matchFields: [{key: metadata.name, operator: " + operator + ", values: [" + node + "]}]";
    }

    private static void awaitCondition(Migration migration, String status, String reason, String... words) {
        eventually()
                .untilAsserted(() -> assertThat(Condition.of(migration.get())).hasValueSatisfying(condition -> {
                    assertThat(condition.status()).isEqualTo(status);
                    assertThat(condition.reason()).isEqualTo(reason);
                    assertThat(condition.message()).contains(words);
                }));
    }

    @Test
    void aPodOnANodeThatTheTermMatchesIsApproved() {
        Migration migration = created(named("In", other));
        migration.waitUntil("Running");

        try (OperatorUnderTest operator = OperatorUnderTest.start(controlPlane)) {
            awaitCondition(migration, "True", "TermApplied", other, "satisfies the term");
            assertThat(migration.phase()).isEqualTo("Running");
        }
        migration.cancel();
        migration.waitUntilGone();
    }

    @Test
    void aPodOnANodeThatTheTermDoesNotMatchIsDeletedAndTheVmStays() {
        Migration migration = created(named("NotIn", other));
        migration.waitUntil("Running");

        try (OperatorUnderTest operator = OperatorUnderTest.start(controlPlane)) {
            assertThat(migration.outcome()).isEqualTo("Failed");
            awaitCondition(migration, "False", "Bypassed", other, "VM");
        }
        assertThat(vm.node()).isEqualTo(source);
        vm.rescript("ok");
        assertThat(vm.migration("ordinary").create().outcome()).isEqualTo("Succeeded");
    }

    /** All that can be copied: labels, annotations, the owner; where somebody says, without the scheduler. */
    private Pod copyOf(Pod pod, String node) {
        return controlPlane
                .admin()
                .resource(new PodBuilder()
                        .withNewMetadata()
                        .withName("forged-" + node)
                        .withNamespace(pod.getMetadata().getNamespace())
                        .withLabels(pod.getMetadata().getLabels())
                        .withAnnotations(pod.getMetadata().getAnnotations())
                        .withOwnerReferences(pod.getMetadata().getOwnerReferences())
                        .endMetadata()
                        .withNewSpecLike(new PodSpecBuilder()
                                .withNodeName(node)
                                .addNewContainer()
                                .withName("c")
                                .withImage("none")
                                .endContainer()
                                .build())
                        .endSpec()
                        .build())
                .create();
    }

    private List<Pod> pods(Migration migration) {
        return controlPlane
                .admin()
                .pods()
                .inNamespace(migration.get().getMetadata().getNamespace())
                .withLabel(
                        LauncherPod.MIGRATION_UID_LABEL,
                        migration.get().getMetadata().getUid())
                .list()
                .getItems();
    }

    @Test
    void aNewerPodWithTheSameMarksHidesNothingAndLosesNothing() {
        Migration migration = created(named("NotIn", other));
        migration.waitUntil("Running");
        Pod real = pods(migration).getFirst();
        Pod forged = copyOf(real, source);

        try (OperatorUnderTest operator = OperatorUnderTest.start(controlPlane)) {
            awaitCondition(migration, "False", "Bypassed", real.getMetadata().getName(), other);
            eventually()
                    .until(() -> pods(migration).stream()
                            .map(pod -> pod.getMetadata().getName())
                            .toList()
                            .equals(List.of(forged.getMetadata().getName())));
            // KubeVirt takes the copy for a target pod of its own.
            controlPlane.admin().resource(forged).withGracePeriod(0).delete();
            assertThat(migration.outcome()).isEqualTo("Failed");
            awaitCondition(migration, "False", "Bypassed", real.getMetadata().getName(), other);
        }
        assertThat(vm.node()).isEqualTo(source);
    }

    @Test
    void aPodThatGotTheMarksOfAMigrationLaterIsLeftAlone(VirtualMachines machines, TestNamespace namespace) {
        VirtualMachine victim = machines.vm("web")
                .inNamespace(namespace.name())
                .withNodeSelector(Map.of("kubernetes.io/hostname", other))
                .start();
        Migration migration = created(named("NotIn", other));
        migration.waitUntil("Running");
        Pod real = pods(migration).getFirst();
        Pod guests = controlPlane
                .admin()
                .pods()
                .inNamespace(namespace.name())
                .withLabel("vm.kubevirt.io/name", "web")
                .list()
                .getItems()
                .getFirst();
        controlPlane
                .admin()
                .resource(guests)
                .edit(pod -> new PodBuilder(pod)
                        .editMetadata()
                        .addToLabels(
                                LauncherPod.MIGRATION_UID_LABEL,
                                migration.get().getMetadata().getUid())
                        .addToAnnotations(LauncherPod.MIGRATION_NAME_ANNOTATION, "m")
                        .endMetadata()
                        .build());

        try (OperatorUnderTest operator = OperatorUnderTest.start(controlPlane)) {
            assertThat(migration.outcome()).isEqualTo("Failed");
            awaitCondition(migration, "False", "Bypassed", real.getMetadata().getName());
            assertThat(controlPlane.auditLog().of(ControlPlane.OPERATOR))
                    .filteredOn(request -> request.verb().equals("delete"))
                    .extracting(AuditLog.Request::name)
                    .doesNotContain(guests.getMetadata().getName());
        }
        assertThat(victim.node()).isEqualTo(other);
    }

    @Test
    void aMigrationThatWasOverBeforeAnybodyCameBackIsToldOfAfterwards() {
        vm.rescript("ok");
        Migration migration = created(named("NotIn", other));
        assertThat(migration.outcome()).isEqualTo("Succeeded");

        try (OperatorUnderTest operator = OperatorUnderTest.start(controlPlane)) {
            awaitCondition(migration, "False", "Bypassed", other, "the VM is there now");
        }
        assertThat(vm.node()).isEqualTo(other);
    }

    @Test
    void aTermThatNobodyCheckedIsToldAndItsPodRefused() {
        Migration migration = created("matchLabels: {rack: r1}");

        try (OperatorUnderTest operator = OperatorUnderTest.start(controlPlane)) {
            awaitCondition(migration, "False", "InvalidTerm", "matchLabels", "delete this migration");
        }
        migration.cancel();
        migration.waitUntilGone();
    }
}
