package io.kubevirt.ferry.demo;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.kubevirt.ferry.standin.KubeVirtStandIn;
import io.kubevirt.ferry.standin.Nodes;
import io.kubevirt.ferry.standin.VirtualMachines;
import io.kubevirt.ferry.standin.VirtualMachines.VirtualMachine;
import io.kubevirt.ferry.testbed.ControlPlane;
import io.kubevirt.ferry.testbed.Installation;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/** What the demo takes place on: a control plane, KubeVirt, four nodes, two VMs and the operator. */
final class Stage implements AutoCloseable {
    static final String NAMESPACE = "default";

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private final ControlPlane controlPlane;

    private Stage(ControlPlane controlPlane) {
        this.controlPlane = controlPlane;
        opened(controlPlane);
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
        return new VirtualMachines(controlPlane.admin())
                .vm("db")
                .inNamespace(NAMESPACE)
                .start();
    }

    /** A VM whose owner wants it in rack r1. */
    VirtualMachine web() {
        return new VirtualMachines(controlPlane.admin())
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
        KubeVirtStandIn.install(controlPlane.admin());
        opened(KubeVirtStandIn.start(controlPlane.admin(), controlPlane.client(KubeVirtStandIn.USER)));
        new Nodes(controlPlane.admin()).create("node-1", Map.of("rack", "r1", "disk", "hdd"));
    }

    /** The nodes to which the VMs can go. */
    void moreNodes() {
        Nodes nodes = new Nodes(controlPlane.admin());
        nodes.create("node-2", Map.of("rack", "r1", "disk", "ssd"));
        nodes.create("node-3", Map.of("rack", "r2", "disk", "hdd"));
        nodes.create("node-4", Map.of("rack", "r2", "disk", "ssd"));
    }

    /** Installs what {@code deploy/} has, and runs the packaged manager under the service account that is named there. */
    void operator(Path folder) {
        Installation.apply(controlPlane.admin());
        Path kubeconfig = controlPlane.kubeconfig(ControlPlane.OPERATOR, folder.resolve("manager.kubeconfig"));
        opened(ManagerProcess.start(kubeconfig, folder.resolve("manager.log")));
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
