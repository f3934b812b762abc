package io.kubevirt.ferry.demo;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.CustomResourceDefinitionContext;
import io.kubevirt.ferry.admission.TypedField;
import io.kubevirt.ferry.standin.KubeVirtStandIn;
import io.kubevirt.ferry.standin.Nodes;
import io.kubevirt.ferry.standin.VirtualMachines;
import io.kubevirt.ferry.standin.VirtualMachines.VirtualMachine;
import io.kubevirt.ferry.testbed.ControlPlane;
import io.kubevirt.ferry.testbed.Installation;
import io.kubevirt.ferry.testbed.ManagerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What the demo takes place on: a control plane, KubeVirt, four nodes, two VMs and the operator. */
final class Stage implements AutoCloseable {
    private static final String NAMESPACE = "default";
    private static final int TRIES = 10;
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final List<String> JVM_OPTIONS =
            List.of("-XX:+UseSerialGC", "-Xmx192m", "--sun-misc-unsafe-memory-access=allow");
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private final ControlPlane controlPlane;
    private final KubernetesClient admin;

    private Stage(ControlPlane controlPlane) {
        this.controlPlane = controlPlane;
        opened(controlPlane);
        this.admin = patientClient("admin");
    }

    /** Starts the control plane alone. */
    static Stage open() {
        return new Stage(ControlPlane.start(null));
    }

    /** Writes the admin's kubeconfig. */
    Path kubeconfig(Path file) {
        return controlPlane.kubeconfig("admin", file);
    }

    /** A VM that may go anywhere. */
    VirtualMachine db() {
        return new VirtualMachines(admin).vm("db").inNamespace(NAMESPACE).start();
    }

    /** A VM whose owner wants it in rack r1. */
    VirtualMachine web() {
        return new VirtualMachines(admin)
                .vm("web")
                .inNamespace(NAMESPACE)
                .withAffinity(onlyInRack("r1"))
                .start();
    }

    private static Affinity onlyInRack(String rack) {
        return new AffinityBuilder()
                .withNewNodeAffinity()
                .withNewRequiredDuringSchedulingIgnoredDuringExecution()
                .addNewNodeSelectorTerm()
                .addToMatchExpressions(new NodeSelectorRequirement("rack", "In", List.of(rack)))
                .endNodeSelectorTerm()
                .endRequiredDuringSchedulingIgnoredDuringExecution()
                .endNodeAffinity()
                .build();
    }

    /** KubeVirt, and the one node on which the VMs will start. */
    void kubeVirt() {
        KubeVirtStandIn.install(admin);
        opened(KubeVirtStandIn.start(admin, patientClient(KubeVirtStandIn.USER)));
        new Nodes(admin).create("node-1", Map.of("rack", "r1", "disk", "hdd"));
    }

    /** A client that tries again when the API server is not ready for it, as KubeVirt's do. */
    private KubernetesClient patientClient(String user) {
        Config config = new ConfigBuilder(controlPlane.config(user))
                .withRequestRetryBackoffLimit(TRIES)
                .build();
        KubernetesClient client =
                new KubernetesClientBuilder().withConfig(config).build();
        opened(client);
        return client;
    }

    /** The nodes to which the VMs can go. */
    void moreNodes() {
        Nodes nodes = new Nodes(admin);
        nodes.create("node-2", Map.of("rack", "r1", "disk", "ssd"));
        nodes.create("node-3", Map.of("rack", "r2", "disk", "hdd"));
        nodes.create("node-4", Map.of("rack", "r2", "disk", "ssd"));
    }

    /** Installs what {@code deploy/} has, and runs the packaged manager under the service account that is named there. */
    void operator(Path folder) {
        Installation.apply(admin);
        Path kubeconfig = controlPlane.kubeconfig(ControlPlane.OPERATOR, folder.resolve("manager.kubeconfig"));
        ManagerProcess manager = ManagerProcess.start(kubeconfig, folder.resolve("manager.log"), JVM_OPTIONS);
        opened(manager);
        try {
            manager.awaitReady(PATIENCE);
        } catch (IllegalStateException e) {
            throw new DemoException(String.valueOf(e.getMessage()));
        }
        waitForTypedField();
    }

    /** The manager adds it as soon as it leads, some moments after it is ready; a change of a definition takes a moment itself. */
    private void waitForTypedField() {
        ListOptions fromItsCache =
                new ListOptionsBuilder().withResourceVersion("0").build();
        await("the typed field")
                .atMost(1, TimeUnit.MINUTES)
                .ignoreException(KubernetesClientException.class)
                .until(() -> TypedField.in(JSON.valueToTree(migrations())) == TypedField.Presence.OURS
                        && admin.genericKubernetesResources(CustomResourceDefinitionContext.fromCrd(migrations()))
                                        .inAnyNamespace()
                                        .list(fromItsCache)
                                != null);
    }

    private CustomResourceDefinition migrations() {
        return admin.apiextensions()
                .v1()
                .customResourceDefinitions()
                .withName(TypedField.DEFINITION)
                .require();
    }

    private synchronized void opened(AutoCloseable part) {
        parts.push(part);
    }

    /** Ends all parts, the last one first. */
    @Override
    public synchronized void close() {
        while (!parts.isEmpty()) {
            try {
                parts.pop().close();
            } catch (Exception e) {
                // The next part is to end all the same.
            }
        }
    }
}
