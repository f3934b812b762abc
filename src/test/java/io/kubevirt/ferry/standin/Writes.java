package io.kubevirt.ferry.standin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a watch has shown, boiled down to what a recording and a run of the stand-in must have in common: for each object
 * its writes in order, each with the fields that it changed.
 *
 * <p>What differs from run to run (UIDs, times, names that are made up, which node) is replaced by its role. Fields of
 * one object that different writers move independently of each other are told apart as lanes.
 */
final class Writes {

    /** One event of a watch. */
    record Seen(String event, JsonNode object) {

        String kind() {
            return object.path("kind").asText();
        }

        String name() {
            return object.path("metadata").path("name").asText();
        }

        String uid() {
            return object.path("metadata").path("uid").asText();
        }

        /** In which all objects of a cluster are ordered. */
        long version() {
            return object.path("metadata").path("resourceVersion").asLong();
        }

        long generation() {
            return object.path("metadata").path("generation").asLong();
        }
    }

    private static final Set<String> OF_KUBEVIRT = Set.of("virtualmachine-controller", "workload-update-controller");
    private static final Set<String> POD_SPEC =
            Set.of("affinity", "nodeName", "nodeSelector", "schedulingGates", "tolerations", "volumes");
    private static final Set<String> POD_STATUS = Set.of("phase", "conditions");
    private static final Set<String> VMI_SPEC = Set.of("affinity", "nodeSelector", "tolerations", "volumes");
    private static final Pattern STATUS_FIELD = Pattern.compile("status\\.([A-Za-z]+\\[[^]]*]|[A-Za-z]+)");
    private static final List<String> OF_PODS_AND_VOLUMES =
            List.of("status.activePods", "status.qosClass", "status.volumeStatus");
    private static final Pattern TIME = Pattern.compile("\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d( \\+0000 UTC|Z)");
    private static final Pattern UUID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    private static final Pattern NUMBER = Pattern.compile("\\d+");
    /** Of the machine and of where it stands, not of KubeVirt. */
    private static final Pattern NOT_KUBEVIRTS = Pattern.compile(
            "metadata\\.(name|namespace|uid|resourceVersion|generation"
                    + "|creationTimestamp|deletionGracePeriodSeconds|deletionTimestamp|managedFields.*|annotations\\.(sim/outcome"
                    + "|standin\\.kubevirt\\.io/machine)|labels\\.topology\\.kubernetes\\.io/zone)"
                    + "|.*destinationPVCInfo\\.capacity\\..*|spec\\.template\\.metadata\\.annotations\\.(sim/outcome|standin\\.kubevirt\\.io/machine)");

    private final Map<String, String> roles = new LinkedHashMap<>();
    private final SortedMap<String, List<String>> writes = new TreeMap<>();
    private final Map<String, SortedMap<String, String>> last = new HashMap<>();

    /** How many migrations KubeVirt made by itself. */
    private int made;

    private Writes() {}

    /** All writes, by object and lane. */
    static SortedMap<String, List<String>> of(List<Seen> seen) {
        return new Writes().digest(seen, 0);
    }

    /** The writes from the first event of the first migration to that of the second: the start of the VM is left out. */
    static SortedMap<String, List<String>> ofMigration(List<Seen> seen) {
        List<String> migrations = seen.stream()
                .filter(each -> each.kind().equals(Kind.VMIM.kind))
                .map(Seen::uid)
                .distinct()
                .toList();
        int first = migrations.isEmpty()
                ? seen.size()
                : first(seen, each -> each.uid().equals(migrations.getFirst()));
        int end = migrations.size() < 2
                ? seen.size()
                : first(seen, each -> each.uid().equals(migrations.get(1)));
        return new Writes().digest(seen.subList(0, end), first);
    }

    /** The writes from when somebody changes the VM on. */
    static SortedMap<String, List<String>> ofChange(List<Seen> seen) {
        return new Writes()
                .digest(seen, first(seen, each -> each.kind().equals(Kind.VM.kind) && each.generation() > 1));
    }

    private static int first(List<Seen> seen, Predicate<Seen> what) {
        int at = 0;
        while (at < seen.size() && !what.test(seen.get(at))) {
            at++;
        }
        return at;
    }

    private SortedMap<String, List<String>> digest(List<Seen> seen, int first) {
        seen.forEach(this::name);
        seen.subList(0, first).forEach(this::add);
        writes.clear();
        seen.subList(first, seen.size()).forEach(this::add);
        return writes;
    }

    private void name(Seen seen) {
        if (seen.kind().equals("Event")) {
            return;
        }
        if (seen.kind().equals(Kind.VMIM.kind) && seen.object().path("metadata").has("generateName")) {
            String ofKubeVirt =
                    seen.object().path("metadata").path("generateName").asText();
            if (!roles.containsKey(seen.name())) {
                roles.put(seen.name(), ofKubeVirt + "<" + ++made + ">");
            }
        }
        String role = role(seen);
        if (!seen.uid().isEmpty()) {
            roles.putIfAbsent(seen.uid(), "<uid of " + role + ">");
        }
        if (seen.kind().equals("Pod")) {
            roles.putIfAbsent(seen.name(), "<" + role + ">");
            String node = seen.object().path("spec").path("nodeName").asText();
            if (!node.isEmpty()) {
                roles.putIfAbsent(node, "<node of " + role + ">");
            }
        }
        String namespace = seen.object().path("metadata").path("namespace").asText();
        if (!namespace.isEmpty()) {
            roles.putIfAbsent(namespace, "<namespace>");
        }
    }

    private String role(Seen seen) {
        if (!seen.kind().equals("Pod")) {
            return seen.kind() + " " + text(seen.name());
        }
        String migration = seen.object()
                .path("metadata")
                .path("annotations")
                .path(Names.MIGRATION_NAME)
                .asText("");
        return migration.isEmpty() ? "first pod" : "target pod of " + text(migration);
    }

    private void add(Seen seen) {
        if (seen.kind().equals("Event")) {
            event(seen);
            return;
        }
        String role = role(seen);
        SortedMap<String, String> now = new TreeMap<>();
        flatten(now, "", projected(seen));
        SortedMap<String, String> before = last.getOrDefault(role, new TreeMap<>());
        Map<String, List<String>> lanes = new TreeMap<>();
        now.forEach((path, value) -> {
            if (!before.containsKey(path)) {
                lanes.computeIfAbsent(lane(seen.kind(), path), any -> new ArrayList<>())
                        .add("+ " + path + " = " + value);
            } else if (!before.get(path).equals(value)) {
                lanes.computeIfAbsent(lane(seen.kind(), path), any -> new ArrayList<>())
                        .add("~ " + path + " = " + value);
            }
        });
        before.keySet().stream()
                .filter(path -> !now.containsKey(path))
                .forEach(path -> lanes.computeIfAbsent(lane(seen.kind(), path), any -> new ArrayList<>())
                        .add("- " + path));
        last.put(role, now);
        lanes.forEach((lane, changes) -> put(role + lane, String.join("\n", changes)));
        if (seen.object().path("metadata").has("deletionTimestamp") && last.put(role + " deleted", now) == null) {
            put(role, "asked to go");
        }
        if (seen.event().equals("DELETED")) {
            last.remove(role);
            put(role, "gone");
        }
    }

    private void put(String lane, String write) {
        writes.computeIfAbsent(lane, any -> new ArrayList<>()).add(write);
    }

    /** What has a pace of its own: what a VM says of this and that, a VMI of its pods and volumes, virt-controller on a pod. */
    private static String lane(String kind, String path) {
        Matcher field = STATUS_FIELD.matcher(path);
        boolean apart = OF_PODS_AND_VOLUMES.stream().anyMatch(path::startsWith);
        if (field.lookingAt() && (apart || kind.equals(Kind.VM.kind))) {
            return ", " + field.group();
        }
        if (kind.equals("Pod") && noted(path)) {
            return ", notes";
        }
        return "";
    }

    private static boolean noted(String path) {
        return path.startsWith("status.conditions[kubevirt.io/virtual-machine-unpaused]")
                || path.equals("metadata.labels.kubevirt.io/nodeName")
                || path.equals("metadata.annotations.kubevirt.io/migration-target-ready-timestamp");
    }

    private void event(Seen seen) {
        JsonNode event = seen.object();
        JsonNode about = event.path("involvedObject");
        if (OF_KUBEVIRT.contains(event.path("source").path("component").asText(""))
                && seen.event().equals("ADDED")
                && !event.path("reason").asText().equals("FailedHandOver")) {
            // Left out: what virt-controller says of a conflict with another writer, before it tries again.
            put(
                    "events on " + about.path("kind").asText() + " "
                            + text(about.path("name").asText()),
                    "%s %s: %s"
                            .formatted(
                                    event.path("type").asText(),
                                    event.path("reason").asText(),
                                    text(event.path("message").asText())));
        }
    }

    /** A recording keeps of pods and of a VMI's spec no more than this. */
    private static JsonNode projected(Seen seen) {
        ObjectNode copy = seen.object().deepCopy();
        copy.remove(List.of("apiVersion", "kind"));
        if (seen.kind().equals("Pod")) {
            keep(copy, "spec", POD_SPEC);
            keep(copy, "status", POD_STATUS);
        } else if (seen.kind().equals("VirtualMachineInstance")) {
            keep(copy, "spec", VMI_SPEC);
        }
        return copy;
    }

    private static void keep(ObjectNode object, String part, Set<String> fields) {
        if (object.path(part) instanceof ObjectNode found) {
            found.retain(fields);
        }
    }

    private void flatten(Map<String, String> into, String path, JsonNode node) {
        if (node.isNull() || NOT_KUBEVIRTS.matcher(path).matches()) {
            return;
        }
        if (node.isObject() && !node.isEmpty()) {
            node.properties().forEach(entry -> flatten(into, joined(path, text(entry.getKey())), entry.getValue()));
        } else if (node.isArray() && !node.isEmpty()) {
            for (int i = 0; i < node.size(); i++) {
                flatten(into, path + "[" + key(node.get(i)).orElse(String.valueOf(i)) + "]", node.get(i));
            }
        } else if (!(path.startsWith("status.activePods") && node.asText("?").isEmpty())) {
            // A pod that has no node yet: whether the VMI tells is a matter of milliseconds.
            into.put(path, value(path, node));
        }
    }

    private static String joined(String path, String step) {
        return path.isEmpty() ? step : path + "." + step;
    }

    private static Optional<String> key(JsonNode item) {
        for (String field : new String[] {"type", "phase", "name", "key"}) {
            if (item.path(field).isTextual()) {
                return Optional.of(item.path(field).asText());
            }
        }
        return Optional.empty();
    }

    private String value(String path, JsonNode node) {
        if (path.endsWith("launcherContainerImageVersion")) {
            return "<image>";
        }
        if (path.endsWith("lastProbeTime") || path.endsWith("lastTransitionTime")) {
            return "<time>";
        }
        if (path.endsWith("PodScheduled].message") || path.endsWith("PodTimeoutSeconds")) {
            return NUMBER.matcher(node.asText()).replaceAll("<n>");
        }
        return text(node.isValueNode() ? node.asText() : node.toString());
    }

    private String text(String value) {
        String text = TIME.matcher(value).replaceAll("<time>");
        for (Map.Entry<String, String> role : roles.entrySet()) {
            text = text.replace(role.getKey(), role.getValue());
        }
        return UUID.matcher(text).replaceAll("<uuid>");
    }
}
