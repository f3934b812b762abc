package io.kubevirt.ferry.standin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The pods that virt-controller makes of a VMI. */
final class LauncherPods {

    private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";

    private LauncherPods() {}

    /** The pod in which the VMI starts. */
    static Item first(Item vmi) {
        return launcher(vmi);
    }

    /**
     * The pod to which the VMI migrates.
     *
     * @param source the pod in which it runs
     * @param sourceNode the node it is on, where known: its host model CPU must be there on the target
     */
    static Item target(Item vmi, Item migration, Item source, @Nullable Item sourceNode) {
        Item pod = launcher(vmi);
        pod.set(migration.uid(), "metadata", "labels", Names.MIGRATION_UID);
        pod.set(migration.name(), "metadata", "annotations", Names.MIGRATION_NAME);
        ObjectNode apart = Item.object();
        apart.withObject("/labelSelector").putObject("matchLabels").put(Names.CREATED_BY, vmi.uid());
        apart.put("topologyKey", "kubernetes.io/hostname");
        pod.append(apart, "spec", "affinity", "podAntiAffinity", REQUIRED);
        // The pod's own selectors win over those of the migration.
        Map<String, String> selector = labels(migration.node("spec", "addedNodeSelector"));
        selector.putAll(labels(pod.node("spec", "nodeSelector")));
        if (usesHostModel(vmi)) {
            selector.putAll(hostModel(source, sourceNode));
        }
        pod.set(selector, "spec", "nodeSelector");
        return pod;
    }

    private static Item launcher(Item vmi) {
        Item pod = Item.of(Kind.POD, vmi.namespace(), "");
        pod.set("virt-launcher-" + vmi.name() + "-", "metadata", "generateName");
        Map<String, String> labels = labels(vmi.node("metadata", "labels"));
        labels.remove(Names.MIGRATION_TARGET_NODE);
        labels.put(Names.APP, Names.LAUNCHER);
        labels.put(Names.CREATED_BY, vmi.uid());
        labels.put("vm.kubevirt.io/name", vmi.name());
        labels.put("vmi.kubevirt.io/id", vmi.name());
        pod.set(labels, "metadata", "labels");
        pod.set(annotations(vmi), "metadata", "annotations");
        pod.setController(vmi);
        spec(pod, vmi);
        return pod;
    }

    private static Map<String, String> annotations(Item vmi) {
        Map<String, String> annotations = labels(vmi.node("metadata", "annotations"));
        annotations.remove(Names.LATEST_VERSION);
        annotations.remove(Names.STORAGE_VERSION);
        annotations.put("descheduler.alpha.kubernetes.io/request-evict-only", "");
        annotations.put("istio.io/reroute-virtual-interfaces", "k6t-eth0");
        annotations.put("kubectl.kubernetes.io/default-container", "compute");
        annotations.put("kubevirt.io/domain", vmi.name());
        annotations.put("kubevirt.io/memory-overhead-bytes", Names.MEMORY_OVERHEAD_BYTES);
        annotations.put("kubevirt.io/migrationTransportUnix", "true");
        for (String moment : new String[] {"pre", "post"}) {
            String verb = moment.equals("pre") ? "--freeze" : "--unfreeze";
            annotations.put(
                    moment + ".hook.backup.velero.io/command",
                    "[\"/usr/bin/virt-freezer\", \"%s\", \"--name\", \"%s\", \"--namespace\", \"%s\"]"
                            .formatted(verb, vmi.name(), vmi.namespace()));
            annotations.put(moment + ".hook.backup.velero.io/container", "compute");
        }
        annotations.put("pre.hook.backup.velero.io/timeout", "60s");
        annotations.put("traffic.sidecar.istio.io/kubevirtInterfaces", "k6t-eth0");
        return annotations;
    }

    private static void spec(Item pod, Item vmi) {
        ObjectNode compute = Item.object().put("name", "compute").put("image", Names.LAUNCHER_IMAGE);
        ObjectNode requests = compute.withObject("/resources/requests");
        requests.put("cpu", text(vmi, "100m", "spec", "domain", "resources", "requests", "cpu"));
        String guest = text(vmi, "128Mi", "spec", "domain", "memory", "guest");
        requests.put("memory", withOverhead(text(vmi, guest, "spec", "domain", "resources", "requests", "memory")));
        pod.append(compute, "spec", "containers");
        pod.set(false, "spec", "automountServiceAccountToken").set("Never", "spec", "restartPolicy");
        pod.append(Item.object().put("conditionType", Names.UNPAUSED), "spec", "readinessGates");
        for (String same :
                new String[] {"tolerations", "schedulerName", "priorityClassName", "topologySpreadConstraints"}) {
            if (vmi.has("spec", same)) {
                pod.set(vmi.node("spec", same), "spec", same);
            }
        }
        pod.set(
                vmi.node("spec", "terminationGracePeriodSeconds").asInt(0) + 30,
                "spec",
                "terminationGracePeriodSeconds");
        pod.set(nodeSelector(vmi), "spec", "nodeSelector");
        pod.set(affinity(vmi), "spec", "affinity");
        volumes(pod, vmi);
    }

    private static String text(Item vmi, String otherwise, String... path) {
        return vmi.has(path) ? vmi.text(path) : otherwise;
    }

    private static String withOverhead(String memory) {
        BigDecimal bytes = Quantity.getAmountInBytes(new Quantity(memory))
                .add(Quantity.getAmountInBytes(new Quantity(Names.MEMORY_OVERHEAD)));
        return bytes.toBigInteger().toString();
    }

    /** Hotplugged volumes are in pods of their own. */
    private static void volumes(Item pod, Item vmi) {
        for (ObjectNode volume : Volumes.of(vmi)) {
            String claim = Volumes.claimOf(volume);
            if (!claim.isEmpty() && !Volumes.hotpluggable(volume)) {
                ObjectNode mounted =
                        Item.object().put("name", volume.path("name").asText());
                mounted.putObject("persistentVolumeClaim").put("claimName", claim);
                pod.append(mounted, "spec", "volumes");
            }
        }
    }

    private static Map<String, String> nodeSelector(Item vmi) {
        Map<String, String> selector = labels(vmi.node("spec", "nodeSelector"));
        selector.put(Names.SCHEDULABLE, "true");
        selector.put("kubernetes.io/arch", text(vmi, "amd64", "spec", "architecture"));
        selector.put(Names.MACHINE_TYPE + text(vmi, "q35", "spec", "domain", "machine", "type"), "true");
        if (!usesHostModel(vmi)) {
            selector.put(Names.CPU_MODEL + vmi.text("spec", "domain", "cpu", "model"), "true");
        }
        return selector;
    }

    /** The owner's affinity, with the requirement of KubeVirt in every required term. */
    private static JsonNode affinity(Item vmi) {
        Item holder = Item.of(Kind.POD, Item.object());
        if (vmi.has("spec", "affinity")) {
            holder.set(vmi.node("spec", "affinity").deepCopy(), "affinity");
        }
        if (usesHostModel(vmi)) {
            String[] path = {"affinity", "nodeAffinity", REQUIRED, "nodeSelectorTerms"};
            if (holder.list(path).isEmpty()) {
                holder.append(Item.object(), path);
            }
            for (ObjectNode term : holder.list(path)) {
                ArrayNode expressions = term.withArray("/matchExpressions");
                expressions.addObject().put("key", Names.OBSOLETE_HOST_MODEL).put("operator", "DoesNotExist");
            }
        }
        return holder.node("affinity");
    }

    private static boolean usesHostModel(Item vmi) {
        String model = vmi.text("spec", "domain", "cpu", "model");
        return model.isEmpty() || model.equals(Names.HOST_MODEL);
    }

    /** What the CPU of the source asks of the target; after a first migration, what that one asked. */
    private static Map<String, String> hostModel(Item source, @Nullable Item node) {
        Map<String, String> wanted = new TreeMap<>();
        labels(source.node("spec", "nodeSelector")).forEach((key, value) -> {
            if (key.startsWith(Names.CPU_MODEL_MIGRATION)
                    || key.startsWith(Names.CPU_FEATURE)
                    || key.startsWith(Names.CPU_VENDOR)) {
                wanted.put(key, value);
            }
        });
        if (wanted.isEmpty() && node != null) {
            labels(node.node("metadata", "labels")).forEach((key, value) -> {
                if (key.startsWith(Names.HOST_MODEL_CPU)) {
                    wanted.put(Names.CPU_MODEL_MIGRATION + key.substring(Names.HOST_MODEL_CPU.length()), value);
                } else if (key.startsWith(Names.HOST_MODEL_FEATURES)) {
                    wanted.put(Names.CPU_FEATURE + key.substring(Names.HOST_MODEL_FEATURES.length()), value);
                } else if (key.startsWith(Names.CPU_VENDOR)) {
                    wanted.put(key, value);
                }
            });
        }
        return wanted;
    }

    static Map<String, String> labels(JsonNode object) {
        Map<String, String> labels = new TreeMap<>();
        object.properties()
                .forEach(entry -> labels.put(entry.getKey(), entry.getValue().asText()));
        return labels;
    }
}
