package io.kubevirt.ferry.testbed;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@code kubectl apply -k deploy}, as an admin types it. */
@ExtendWith(ControlPlaneExtension.class)
class InstallationIT {
    @Test
    void theApiServerTakesEverythingThatIsShipped(ControlPlane controlPlane) throws Exception {
        Installation.apply(controlPlane.admin());
        // Tests give it a URL, and the API server takes no Service beside one.
        controlPlane
                .admin()
                .admissionRegistration()
                .v1()
                .mutatingWebhookConfigurations()
                .withName("kubevirt-ferry")
                .delete();

        // Dry: the webhooks of deploy/ are behind a Service, which has no network here.
        String printed = kubectl(
                controlPlane, "apply", "--server-side", "--force-conflicts", "--dry-run=server", "-k", "deploy");

        assertThat(printed.lines())
                .hasSize(Installation.objects(controlPlane.admin()).size())
                .allSatisfy(line -> assertThat(line).contains("serverside-applied"))
                .anySatisfy(line -> assertThat(line).startsWith("deployment.apps/kubevirt-ferry"))
                .anySatisfy(line -> assertThat(line).startsWith("poddisruptionbudget.policy/kubevirt-ferry"));
    }

    private static String kubectl(ControlPlane controlPlane, String... arguments)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(System.getProperty("testbed.binary"), "kubectl");
        builder.command().addAll(java.util.List.of(arguments));
        builder.environment().put("KUBECONFIG", controlPlane.kubeconfig().toString());
        Process process = builder.redirectErrorStream(true).start();
        String printed = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(printed).isZero();
        return printed;
    }
}
