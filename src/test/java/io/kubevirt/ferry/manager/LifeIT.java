package io.kubevirt.ferry.manager;

import static io.kubevirt.ferry.testbed.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.kubevirt.ferry.standin.KubeVirtStandIn;
import io.kubevirt.ferry.testbed.ControlPlane;
import io.kubevirt.ferry.testbed.Installation;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** From the first start on an empty cluster to the end, on a control plane of its own. */
class LifeIT {
    static Settings settings() {
        return new Settings(
                "kubevirt-ferry",
                0,
                0,
                "127.0.0.1",
                "kubevirt-ferry-webhook",
                Optional.of(URI.create("https://127.0.0.1")),
                Optional.empty(),
                false,
                Duration.ofSeconds(5),
                Duration.ofSeconds(2),
                true,
                false,
                "one");
    }

    private static HttpResponse<String> get(int port, String path) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    private static Optional<String> holder(ControlPlane controlPlane) {
        return Optional.ofNullable(controlPlane
                        .admin()
                        .leases()
                        .inNamespace("kubevirt-ferry")
                        .withName(Election.LEASE)
                        .get())
                .map(lease -> lease.getSpec().getHolderIdentity());
    }

    /** Without leave to patch, as an API server without an answer: what cannot be written is tried again. */
    private static void forbidPatches(ControlPlane controlPlane) {
        roles(controlPlane).forEach(role -> {
            role.getRules().stream()
                    .filter(rule -> rule.getResources().contains("mutatingwebhookconfigurations"))
                    .forEach(rule -> rule.setVerbs(List.of("list", "watch")));
            controlPlane.admin().resource(role).forceConflicts().serverSideApply();
        });
    }

    private static void allowPatches(ControlPlane controlPlane) {
        roles(controlPlane)
                .forEach(role ->
                        controlPlane.admin().resource(role).forceConflicts().serverSideApply());
    }

    private static List<ClusterRole> roles(ControlPlane controlPlane) {
        return Installation.objects(controlPlane.admin()).stream()
                .filter(ClusterRole.class::isInstance)
                .map(ClusterRole.class::cast)
                .toList();
    }

    /** Only a new process can try again: liveness sees to that, and says why. */
    private static void whatCannotBeReadKeepsTheControllersFromStartingWithAWord(ControlPlane controlPlane) {
        List<HasMetadata> strange = controlPlane
                .admin()
                .load(LifeIT.class.getResourceAsStream("strange-migration.yaml"))
                .items();
        CustomResourceDefinition definition = (CustomResourceDefinition) strange.getFirst();
        controlPlane.admin().resource(definition).create();
        eventually()
                .ignoreExceptionsInstanceOf(KubernetesClientException.class)
                .until(() -> controlPlane.admin().resource(strange.getLast()).create() != null);
        try (Said said = new Said();
                ManagerUnderTest manager = ManagerUnderTest.start(controlPlane.config(ControlPlane.OPERATOR))) {
            manager.assertReports("caches: the controllers could not start: ");
            manager.manager().lookAtWatches();
            manager.manager().lookAtWatches();
            assertThat(manager.get("/healthz").statusCode()).isEqualTo(503);
            assertThat(manager.get("/healthz").body()).startsWith("the controllers could not start: ");
            assertThat(said.lines())
                    .filteredOn(line -> line.startsWith("the controllers could not start: "))
                    .hasSize(2)
                    .filteredOn(line -> line.endsWith("; /healthz fails from now on"))
                    .hasSize(1);
        }
        controlPlane.admin().resource(definition).delete();
        eventually().until(() -> controlPlane.admin().resource(definition).get() == null);
    }

    @Test
    void itWaitsForWhatIsMissingSaysForWhatAndGivesTheLeaseBackAtTheEnd() throws Exception {
        try (ControlPlane controlPlane = ControlPlane.start(null)) {
            Installation.apply(controlPlane.admin());
            whatCannotBeReadKeepsTheControllersFromStartingWithAWord(controlPlane);
            forbidPatches(controlPlane);
            Manager manager = new Manager(settings(), Clients.of(controlPlane.config(ControlPlane.OPERATOR)));
            try (manager) {
                int health = manager.start().health();
                eventually().untilAsserted(() -> assertThat(manager.report()).contains("waiting for KubeVirt"));
                assertThat(get(health, "/healthz").statusCode()).isEqualTo(200);
                assertThat(get(health, "/readyz").statusCode()).isEqualTo(503);
                assertThat(get(health, "/readyz").body())
                        .contains("caches: waiting for KubeVirt: there is no CustomResourceDefinition");

                eventually()
                        .untilAsserted(() -> assertThat(manager.report())
                                .contains("cannot be written: ", "kubectl apply -k deploy"));
                allowPatches(controlPlane);
                eventually().untilAsserted(() -> assertThat(manager.report()).contains("webhook-configuration: ok"));

                KubeVirtStandIn.install(controlPlane.admin());

                eventually().until(manager::isReady);
                assertThat(get(health, "/readyz").statusCode()).isEqualTo(200);
                eventually()
                        .untilAsserted(() -> assertThat(holder(controlPlane)).contains("one"));
                assertThat(get(health, "/metrics").body()).contains("ferry_leading 1", "jvm_memory_used_bytes");
            }
            assertThat(holder(controlPlane)).contains("");
        }
    }
}
