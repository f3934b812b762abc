package io.kubevirt.ferry.standin;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.TaintBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** Nodes on which KubeVirt can run guests, and what may happen to them. */
public final class Nodes {

    private static final String NOT_READY = "node.kubernetes.io/not-ready";
    private static final String CORDONED = "node.kubernetes.io/unschedulable";

    private final KubernetesClient admin;

    public Nodes(KubernetesClient admin) {
        this.admin = admin;
    }

    /** Nodes of these names, ready, with room for a few dozen small guests each. */
    public void create(String... names) {
        for (String name : names) {
            create(name, Map.of());
        }
    }

    /** A ready node with these labels beside those that every node of KubeVirt has. */
    public void create(String name, Map<String, String> labels) {
        Map<String, Quantity> room =
                Map.of("cpu", new Quantity("32"), "memory", new Quantity("64Gi"), "pods", new Quantity("250"));
        admin.resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .addToLabels("kubernetes.io/hostname", name)
                        .addToLabels("kubernetes.io/arch", "amd64")
                        .addToLabels("kubernetes.io/os", "linux")
                        .addToLabels(Names.SCHEDULABLE, "true")
                        .addToLabels(Names.MACHINE_TYPE + "q35", "true")
                        .addToLabels(Names.CPU_VENDOR + "Intel", "true")
                        .addToLabels(labels)
                        .endMetadata()
                        .withNewSpec()
                        .endSpec()
                        .build())
                .create();
        admin.nodes()
                .withName(name)
                .editStatus(node -> new NodeBuilder(node)
                        .editOrNewStatus()
                        .withCapacity(room)
                        .withAllocatable(room)
                        .endStatus()
                        .build());
        ready(name);
    }

    /** Deletes the node, if it is there; its pods stay. */
    public void delete(String... names) {
        for (String name : names) {
            admin.nodes().withName(name).delete();
        }
    }

    /** The kubelet reports, and the taint of a node that is not ready goes. */
    public void ready(String name) {
        report(name, "True");
        untaint(name, NOT_READY);
    }

    /** The kubelet no longer reports: the condition says so, and the taint keeps new pods away. */
    public void notReady(String name) {
        report(name, "False");
        taint(name, NOT_READY, "", "NoSchedule");
    }

    private void report(String name, String status) {
        String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        admin.nodes()
                .withName(name)
                .editStatus(node -> new NodeBuilder(node)
                        .editOrNewStatus()
                        .removeMatchingFromConditions(each -> "Ready".equals(each.getType()))
                        .addNewCondition()
                        .withType("Ready")
                        .withStatus(status)
                        .withReason(status.equals("True") ? "KubeletReady" : "KubeletNotReady")
                        .withLastHeartbeatTime(now)
                        .withLastTransitionTime(now)
                        .endCondition()
                        .endStatus()
                        .build());
    }

    /** As {@code kubectl cordon} and the node controller after it. */
    public void cordon(String name) {
        edit(name, node -> node.getSpec().setUnschedulable(true));
        taint(name, CORDONED, "", "NoSchedule");
    }

    public void uncordon(String name) {
        edit(name, node -> node.getSpec().setUnschedulable(null));
        untaint(name, CORDONED);
    }

    public void taint(String name, String key, String value, String effect) {
        Taint taint = new TaintBuilder()
                .withKey(key)
                .withValue(value.isEmpty() ? null : value)
                .withEffect(effect)
                .build();
        taints(name, present -> {
            List<Taint> all = new ArrayList<>(without(present, key));
            all.add(taint);
            return all;
        });
    }

    public void untaint(String name, String key) {
        taints(name, present -> without(present, key));
    }

    private static List<Taint> without(List<Taint> taints, String key) {
        Predicate<Taint> same = taint -> taint.getKey().equals(key);
        return taints.stream().filter(same.negate()).toList();
    }

    private void taints(String name, UnaryOperator<List<Taint>> change) {
        edit(name, node -> {
            NodeSpec spec = node.getSpec();
            spec.setTaints(change.apply(spec.getTaints() == null ? List.of() : spec.getTaints()));
        });
    }

    public void label(String name, String key, String value) {
        edit(name, node -> node.getMetadata().getLabels().put(key, value));
    }

    public void unlabel(String name, String key) {
        edit(name, node -> node.getMetadata().getLabels().remove(key));
    }

    private void edit(String name, Consumer<Node> change) {
        admin.nodes().withName(name).edit(node -> {
            Node after = new NodeBuilder(node).build();
            change.accept(after);
            return after;
        });
    }
}
