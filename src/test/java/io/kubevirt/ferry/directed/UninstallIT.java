package io.kubevirt.ferry.directed;

import static io.kubevirt.ferry.admission.DirectedMigration.ANNOTATION;
import static io.kubevirt.ferry.testbed.Patience.eventually;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.kubevirt.ferry.admission.TypedField;
import io.kubevirt.ferry.cli.Ferry;
import io.kubevirt.ferry.standin.KubeVirtExtension;
import io.kubevirt.ferry.standin.Nodes;
import io.kubevirt.ferry.standin.VirtualMachines;
import io.kubevirt.ferry.standin.VirtualMachines.VirtualMachine;
import io.kubevirt.ferry.testbed.ControlPlane;
import io.kubevirt.ferry.testbed.ControlPlaneExtension;
import io.kubevirt.ferry.testbed.Installation;
import io.kubevirt.ferry.testbed.OperatorUnderTest;
import io.kubevirt.ferry.testbed.TestNamespace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What it takes to be rid of the operator, and what is left where somebody did it in another order. */
@ExtendWith({ControlPlaneExtension.class, KubeVirtExtension.class})
class UninstallIT {

    private ControlPlane controlPlane;

    /** A cluster on which a manager has run, and runs no more. */
    @BeforeEach
    void given(ControlPlane controlPlane) {
        this.controlPlane = controlPlane;
        Installation.apply(controlPlane.admin());
        try (OperatorUnderTest operator = OperatorUnderTest.start(controlPlane)) {
            eventually().until(() -> presence() == TypedField.Presence.OURS);
        }
    }

    @AfterEach
    void installAgain() {
        Installation.apply(controlPlane.admin());
    }

    private TypedField.Presence presence() {
        return new KubeVirtsDefinition(controlPlane).presence();
    }

    private boolean isInstalled() {
        return controlPlane
                        .admin()
                        .admissionRegistration()
                        .v1()
                        .mutatingWebhookConfigurations()
                        .withName("kubevirt-ferry")
                        .get()
                != null;
    }

    /** What a command prints that ends well, run as the admin. */
    private String run(Map<String, String> environment, String... command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("KUBECONFIG", controlPlane.kubeconfig().toString());
        builder.environment().putAll(environment);
        Process process = builder.start();
        String printed = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(printed).isZero();
        return printed;
    }

    private String uninstall() throws IOException, InterruptedException {
        return run(
                Map.of(),
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                Ferry.class.getName(),
                "uninstall");
    }

    @Test
    void withNoManagerRunningTheCommandTakesWebhooksAndFieldOutAndMayBeRepeated() throws Exception {
        assertThat(uninstall())
                .contains(
                        "MutatingWebhookConfiguration kubevirt-ferry: deleted",
                        "took spec.addedNodeSelectorTerm out",
                        "Now delete the rest");
        assertThat(presence()).isEqualTo(TypedField.Presence.MISSING);
        assertThat(isInstalled()).isFalse();

        assertThat(uninstall()).contains("kubevirt-ferry: not there").doesNotContain("took");
    }

    @Test
    void aManagerThatRunsDoesNotPutItInAgain() throws Exception {
        try (OperatorUnderTest operator = OperatorUnderTest.start(controlPlane)) {
            uninstall();
            assertThat(presence()).isEqualTo(TypedField.Presence.MISSING);
            eventually()
                    .untilAsserted(
                            () -> assertThat(operator.manager().report()).contains("kubevirt-ferry: it is missing"));
            assertThat(presence()).isEqualTo(TypedField.Presence.MISSING);
        }
    }

    @Test
    void withKubectlAloneTheScriptOfMakeUndeployDoesTheSame() throws Exception {
        Map<String, String> kubectl = Map.of("KUBECTL", System.getProperty("testbed.binary") + " kubectl");

        run(kubectl, "src/build/remove-webhooks.sh");

        assertThat(presence()).isEqualTo(TypedField.Presence.MISSING);
        assertThat(isInstalled()).isFalse();
        run(kubectl, "src/build/remove-webhooks.sh");
    }

    @Test
    void aFieldThatWasLeftBehindIsRefusedByKubeVirtAndHindersNoOtherMigration(
            TestNamespace namespace, Nodes nodes, VirtualMachines machines) {
        Map<String, String> pool = Map.of("pool", namespace.name());
        nodes.create(namespace + "-1", pool);
        nodes.create(namespace + "-2", pool);
        VirtualMachine vm = machines.vm("db")
                .inNamespace(namespace.name())
                .withNodeSelector(pool)
                .start();
        Installation.removeWebhooks(controlPlane.admin());

        GenericKubernetesResource typed = vm.migration("typed").build();
        typed.<Map<String, Object>>get("spec")
                .put(
                        "addedNodeSelectorTerm",
                        Map.of("matchExpressions", List.of(Map.of("key", "rack", "operator", "Exists"))));
        eventually().untilAsserted(() -> {
            KubernetesClientException refusal = catchThrowableOfType(
                    KubernetesClientException.class,
                    () -> controlPlane.admin().resource(typed).create());
            assertThat(refusal).isNotNull();
            assertThat(refusal.getMessage()).contains("spec.addedNodeSelectorTerm in body is a forbidden property");
        });
        assertThat(vm.migration("ordinary").create().outcome()).isEqualTo("Succeeded");
        assertThat(presence()).isEqualTo(TypedField.Presence.OURS);
        assertThat(vm.migration("annotated")
                        .withAnnotation(ANNOTATION, "matchExpressions: [{key: rack, operator: Exists}]")
                        .create()
                        .outcome())
                .as("an annotation that nobody reads")
                .isEqualTo("Succeeded");
    }
}
