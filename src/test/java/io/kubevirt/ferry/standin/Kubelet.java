package io.kubevirt.ferry.standin;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The kubelets of all nodes: a pod that the scheduler has bound runs, one that is to end goes. */
final class Kubelet {

    private static final List<String> CONDITIONS = List.of("Initialized", "Ready", "ContainersReady");

    private final Cluster cluster;
    private final Pace pace;
    private final Timers timers = new Timers();
    private final WorkQueue queue = new WorkQueue("kubelet", this::handle);

    Kubelet(Cluster cluster, Pace pace) {
        this.cluster = cluster;
        this.pace = pace;
        cluster.on(Kind.POD, pod -> queue.add(pod.key()));
    }

    WorkQueue queue() {
        return queue;
    }

    private void handle(String key) {
        Optional<Item> found = cluster.find(Kind.POD, key);
        if (found.isEmpty() || Pods.node(found.get()).isEmpty()) {
            return;
        }
        Item pod = found.get();
        Duration step = script(pod).step();
        if (pod.deleting()) {
            if (passed(pod, "end", step)) {
                cluster.deleteAtOnce(pod);
                timers.forget(pod.uid());
            }
        } else if (Pods.pending(pod) && passed(pod, "start", step)) {
            run(pod);
        }
    }

    private boolean passed(Item pod, String step, Duration pause) {
        return timers.passed(pod.uid(), step, pause, left -> queue.addAfter(pod.key(), left))
                && pace.isKept(pod, queue);
    }

    private Script script(Item pod) {
        return cluster.find(Kind.VMI, pod.namespace(), pod.label("vm.kubevirt.io/name"))
                .map(Script::of)
                .orElseGet(() -> Script.parse(pod.annotation(Script.ANNOTATION)));
    }

    private void run(Item pod) {
        pod.set("Running", "status", "phase");
        for (String type : CONDITIONS) {
            condition(pod, type, "True");
        }
        cluster.updateStatus(pod);
    }

    /** What the kubelet reports of a launcher whose guest has gone. */
    void finish(Item pod) {
        Item after = pod.copy();
        after.set("Succeeded", "status", "phase");
        condition(after, "Ready", "False");
        condition(after, "ContainersReady", "False");
        try {
            cluster.updateStatus(after);
        } catch (KubernetesClientException e) {
            if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
                throw e;
            }
        }
    }

    private static void condition(Item pod, String type, String status) {
        ObjectNode condition = Item.object().put("type", type).put("status", status);
        condition.put("lastTransitionTime", Item.now()).putNull("lastProbeTime");
        pod.copyCondition(condition);
    }
}
