package io.kubevirt.ferry.manager;

import static io.kubevirt.ferry.admission.DirectedMigration.ANNOTATION;
import static io.kubevirt.ferry.testbed.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.kubevirt.ferry.standin.KubeVirtExtension;
import io.kubevirt.ferry.standin.Nodes;
import io.kubevirt.ferry.standin.VirtualMachines;
import io.kubevirt.ferry.standin.VirtualMachines.VirtualMachine;
import io.kubevirt.ferry.testbed.ControlPlane;
import io.kubevirt.ferry.testbed.ControlPlaneExtension;
import io.kubevirt.ferry.testbed.Installation;
import io.kubevirt.ferry.testbed.SecondApiServer;
import io.kubevirt.ferry.testbed.TestNamespace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A manager and an API server of which it can ask more than of one that is shared: to end, and to show who it is. */
@ExtendWith({ControlPlaneExtension.class, KubeVirtExtension.class})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ApiServerIT {
    private static final Pattern OURS = Pattern.compile("# HELP (ferry_\\S+) *(.*)");

    private final ClientCa ca = ClientCa.create();
    private ControlPlane controlPlane;
    private KubernetesClient admin;
    private SecondApiServer second;
    private Path folder;

    @BeforeAll
    void start(ControlPlane controlPlane, @TempDir Path folder) throws IOException {
        this.controlPlane = controlPlane;
        this.admin = controlPlane.admin();
        this.folder = folder;
        second = SecondApiServer.start(
                controlPlane, folder, "--admission-control-config-file=" + showing(ca.client("kube-apiserver")));
    }

    /** What makes an API server show a certificate to webhooks, as docs/operations.md tells. */
    private Path showing(ClientCa.Client client) throws IOException {
        Path certificate = Files.writeString(folder.resolve("client.crt"), client.certificateText());
        Path key = Files.writeString(folder.resolve("client.key"), client.keyText());
        Path kubeconfig = Files.writeString(folder.resolve("webhooks.kubeconfig"), """
                apiVersion: v1
                kind: Config
                users:
                - name: "*"
                  user: {client-certificate: %s, client-key: %s}
                """.formatted(certificate, key));
        return Files.writeString(folder.resolve("admission.yaml"), """
                apiVersion: apiserver.config.k8s.io/v1
                kind: AdmissionConfiguration
                plugins:
                - name: MutatingAdmissionWebhook
                  configuration:
                    apiVersion: apiserver.config.k8s.io/v1
                    kind: WebhookAdmissionConfiguration
                    kubeConfigFile: %s
                """.formatted(kubeconfig));
    }

    @BeforeEach
    void given() {
        Installation.apply(admin);
    }

    @AfterAll
    void end() {
        second.close();
    }

    private VirtualMachine vm(TestNamespace namespace, Nodes nodes, VirtualMachines machines) {
        Map<String, String> pool = Map.of("pool", namespace.name());
        nodes.create(namespace + "-1", pool);
        nodes.create(namespace + "-2", pool);
        return machines.vm("db")
                .inNamespace(namespace.name())
                .withNodeSelector(pool)
                .start();
    }

    private static VirtualMachines.MigrationBuilder to(String node, VirtualMachine vm) {
        return vm.migration("m-" + node)
                .withAnnotation(
                        ANNOTATION, "matchFields: [{key: metadata.name, operator: In, values: [" + node + "]}]");
    }

    private static String otherNode(VirtualMachine vm, TestNamespace namespace) {
        return vm.node().equals(namespace + "-1") ? namespace + "-2" : namespace + "-1";
    }

    @Test
    void whenTheApiServerComesBackWatchesAndElectionGoOnAndMigrationsAreDirected(
            TestNamespace namespace, Nodes nodes, VirtualMachines machines) {
        VirtualMachine vm = vm(namespace, nodes, machines);
        try (ManagerUnderTest first = ManagerUnderTest.start(second.config(ControlPlane.OPERATOR))) {
            first.awaitReady().awaitLeading(admin);
            try (Said said = new Said()) {
                second.kill();
                eventually().until(() -> first.manager().deadWatches().size(), size -> size >= 4);
                assertThat(first.get("/healthz").statusCode()).isEqualTo(200);
                second.restart();
                eventually().until(() -> first.manager().deadWatches().isEmpty() || first.hasEnded());
                assertThat(said.complaints().values()).allMatch(times -> times < 5);
            }
            if (first.hasEnded()) {
                // The API server was away for longer than the lease: the process ends, and is started anew.
                first.close();
                try (ManagerUnderTest next = ManagerUnderTest.start(second.config(ControlPlane.OPERATOR))) {
                    assertDirects(next, vm, otherNode(vm, namespace));
                }
            } else {
                assertDirects(first, vm, otherNode(vm, namespace));
            }
        }
    }

    private void assertDirects(ManagerUnderTest manager, VirtualMachine vm, String there) {
        manager.awaitReady().awaitLeading(admin);
        var migration = to(there, vm).create();
        assertThat(migration.outcome()).isEqualTo("Succeeded");
        assertThat(vm.node()).isEqualTo(there);
        eventually().untilAsserted(() -> assertThat(migration.get().toString()).contains("TermApplied"));
        assertAllIsDescribed(manager.get("/metrics").body());
    }

    /** By now each of our metrics has something to show. */
    private static void assertAllIsDescribed(String metrics) {
        List<MatchResult> ours = OURS.matcher(metrics).results().toList();
        assertThat(ours)
                .extracting(found -> found.group(1))
                .contains(
                        "ferry_admissions_seconds",
                        "ferry_admissions_under_way",
                        "ferry_admissions_connections",
                        "ferry_placements_total",
                        "ferry_leading");
        assertThat(ours).extracting(found -> found.group(2)).noneMatch(String::isBlank);
    }

    @Test
    void anApiServerThatShowsACertificateIsServedAndOneThatDoesNotIsRefused(
            TestNamespace namespace, Nodes nodes, VirtualMachines machines) throws IOException {
        VirtualMachine vm = vm(namespace, nodes, machines);
        var directed = to(otherNode(vm, namespace), vm).build();
        Path file = Files.writeString(folder.resolve("clients.crt"), ca.text());
        WebhookClients clients = new WebhookClients(file, Set.of("kube-apiserver"));
        try (ManagerUnderTest manager = ManagerUnderTest.start(controlPlane.config(ControlPlane.OPERATOR), clients)
                        .awaitReady();
                KubernetesClient shown = new KubernetesClientBuilder()
                        .withConfig(second.config("admin"))
                        .build()) {
            KubernetesClientException refusal = catchThrowableOfType(
                    KubernetesClientException.class,
                    () -> admin.resource(directed).dryRun().create());
            assertThat(refusal.getMessage()).contains("migration.ferry.kubevirt.io", "certificate");

            eventually()
                    .ignoreExceptionsInstanceOf(KubernetesClientException.class)
                    .until(() -> shown.resource(directed).dryRun().create() != null);
            assertThat(manager.get("/metrics").statusCode()).isEqualTo(200);
        }
    }
}
