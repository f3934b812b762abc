package io.kubevirt.ferry.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@code kubectl apply -k deploy}, as an admin types it. */
@ExtendWith(ControlPlaneExtension.class)
class InstallationIT {
    @Test
    void theApiServerTakesEverythingThatIsShipped(ControlPlane controlPlane) {
        Installation.apply(controlPlane.admin());
        // Tests give it a URL, and the API server takes no Service beside one.
        Installation.removeWebhooks(controlPlane.admin());

        // Dry: the webhooks of deploy/ are behind a Service, which has no network here.
        Kubectl.Ran apply = new Kubectl(controlPlane)
                .run("apply", "--server-side", "--force-conflicts", "--dry-run=server", "-k", "deploy");

        assertThat(apply.exit()).as(apply.printed()).isZero();
        assertThat(apply.printed().lines())
                .hasSize(Installation.objects(controlPlane.admin()).size())
                .allSatisfy(line -> assertThat(line).contains("serverside-applied"))
                .anySatisfy(line -> assertThat(line).startsWith("deployment.apps/kubevirt-ferry"))
                .anySatisfy(line -> assertThat(line).startsWith("poddisruptionbudget.policy/kubevirt-ferry"));
    }
}
