package io.kubevirt.ferry.standin;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * virt-controller's part that leads migrations.
 *
 * <p>It writes a migration's status once per look, from what it saw when it began to look: what it changed itself
 * meanwhile shows in the next.
 */
final class MigrationController {

    private static final Logger LOG = LoggerFactory.getLogger(MigrationController.class);
    private static final List<String> SPEC = List.of("vmiName", "addedNodeSelector", "priority", "sendTo", "receive");
    private static final Duration UNSCHEDULABLE_TIMEOUT = Duration.ofMinutes(5);
    private static final Duration PENDING_TIMEOUT = Duration.ofMinutes(15);
    private static final Duration WAIT_FOR_A_PLACE = Duration.ofSeconds(5);
    private static final Duration FIRST_BACKOFF = Duration.ofSeconds(20);
    /** Finished migrations that stay, per VMI. */
    private static final int KEPT = 5;

    private static final int PARALLEL_IN_CLUSTER = 5;
    private static final int PARALLEL_FROM_NODE = 2;
    private static final DateTimeFormatter GO_TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss '+0000 UTC'").withZone(ZoneOffset.UTC);

    private final Cluster cluster;
    private final Events events;
    private final WorkQueue queue = new WorkQueue("migration", this::handle);

    MigrationController(Cluster cluster, Events events) {
        this.cluster = cluster;
        this.events = events;
        cluster.on(Kind.VMIM, migration -> queue.add(migration.key()));
        cluster.on(Kind.VMI, vmi -> {
            for (Item migration : cluster.list(Kind.VMIM, vmi.namespace())) {
                if (migration.text("spec", "vmiName").equals(vmi.name())) {
                    queue.add(migration.key());
                }
            }
        });
        cluster.on(Kind.POD, pod -> {
            if (pod.annotated(Names.MIGRATION_NAME)) {
                queue.add(pod.namespace() + "/" + pod.annotation(Names.MIGRATION_NAME));
            }
        });
    }

    WorkQueue queue() {
        return queue;
    }

    private void handle(String key) {
        Optional<Item> found = cluster.find(Kind.VMIM, key);
        if (found.isEmpty()) {
            return;
        }
        Item migration = found.get();
        if (!Names.observed(migration)) {
            Names.observe(migration);
            migration.set(migration.text("spec", "vmiName"), "metadata", "labels", Names.VMI_NAME);
            cluster.update(typed(migration));
            return;
        }
        Optional<Item> vmi = cluster.find(Kind.VMI, migration.namespace(), migration.text("spec", "vmiName"));
        if (vmi.isEmpty()) {
            orphaned(migration);
            return;
        }
        Optional<Item> pod = cluster.launchersOf(vmi.get()).stream()
                .filter(each -> each.label(Names.MIGRATION_UID).equals(migration.uid()))
                .findFirst();
        RuntimeException failure = null;
        try {
            act(migration, vmi.get(), pod);
        } catch (KubernetesClientException e) {
            failure = e;
        }
        tell(migration, vmi.get(), pod);
        if (failure != null) {
            throw failure;
        }
        if (over(migration)) {
            collect(vmi.get());
        }
    }

    /** Deletes what is finished of the VMI's migrations, but for the newest. */
    private void collect(Item vmi) {
        List<Item> finished = cluster.list(Kind.VMIM, vmi.namespace()).stream()
                .filter(each -> each.text("spec", "vmiName").equals(vmi.name()) && over(each) && !each.deleting())
                .sorted(Comparator.comparing(Item::created).thenComparing(Item::name))
                .toList();
        finished.stream().limit(Math.max(0, finished.size() - KEPT)).forEach(cluster::delete);
    }

    /** What is left of an object that went through a Go type: fields that the type does not have are gone. */
    private static Item typed(Item migration) {
        ObjectNode spec = Item.object();
        for (String field : SPEC) {
            if (migration.has("spec", field)) {
                spec.set(field, migration.node("spec", field));
            }
        }
        return migration.set(spec, "spec");
    }

    private void orphaned(Item migration) {
        if (!migration.deleting()) {
            cluster.delete(migration);
        } else if (migration.finalizers().contains(Names.VMIM_FINALIZER)) {
            migration.removeFinalizer(Names.VMIM_FINALIZER);
            cluster.update(typed(migration));
        }
    }

    private void act(Item migration, Item vmi, Optional<Item> pod) {
        if (vmi.deleting() || (Vmis.follows(vmi, migration) && vmi.flag("status", "migrationState", "completed"))) {
            return;
        }
        switch (phase(migration)) {
            case "Pending" -> {
                if (migration.deleting()) {
                    dropTarget(migration, pod);
                } else if (heldBack(migration, vmi)) {
                    return;
                } else if (pod.isEmpty()) {
                    target(migration, vmi);
                } else if (!Pods.ready(pod.get())) {
                    timeOut(migration, pod.get());
                }
            }
            case "Scheduling" -> {
                if (migration.deleting()) {
                    dropTarget(migration, pod);
                } else if (pod.isPresent()) {
                    timeOut(migration, pod.get());
                }
            }
            case "Scheduled" -> {
                if (migration.deleting() && !Vmis.follows(vmi, migration)) {
                    dropTarget(migration, pod);
                } else if (pod.isPresent() && Pods.ready(pod.get())) {
                    handOver(migration, vmi, pod.get());
                }
            }
            case "Running" -> {
                if (migration.deleting() && Vmis.follows(vmi, migration)) {
                    abort(migration, vmi);
                }
            }
            case "PreparingTarget", "TargetReady", "Failed" -> {
                if (Vmis.follows(vmi, migration) && (pod.isEmpty() || Pods.ended(pod.get()))) {
                    markFailed(migration, vmi);
                }
            }
            default -> {}
        }
    }

    /**
     * Whether a migration that KubeVirt made by itself waits because earlier ones failed: 20 s after the first failure,
     * then 40, 80 and so on; a success ends the count.
     */
    private boolean heldBack(Item migration, Item vmi) {
        if (!ofKubeVirt(migration)) {
            return false;
        }
        List<Item> newestFirst = cluster.list(Kind.VMIM, migration.namespace()).stream()
                .filter(each -> ofKubeVirt(each) && each.text("spec", "vmiName").equals(vmi.name()))
                .sorted(Comparator.comparing(Item::created)
                        .thenComparing(Item::version)
                        .reversed())
                .toList();
        if (newestFirst.size() < 2 || !newestFirst.getFirst().uid().equals(migration.uid())) {
            return false;
        }
        long failures = newestFirst.stream()
                .skip(1)
                .takeWhile(each -> !phase(each).equals("Succeeded"))
                .filter(each -> phase(each).equals("Failed") && !each.deleting())
                .count();
        if (failures == 0) {
            return false;
        }
        Instant until = failedAt(newestFirst.get(1)).plus(FIRST_BACKOFF.multipliedBy(1L << Math.min(failures - 1, 20)));
        Duration left = Duration.between(Instant.now(), until);
        if (!left.isPositive()) {
            return false;
        }
        queue.addAfter(migration.key(), left);
        events.warning(vmi, "MigrationBackoff", "backoff migrating vmi " + vmi.key());
        return true;
    }

    private static boolean ofKubeVirt(Item migration) {
        return migration.annotated(Names.EVACUATION) || migration.annotated(Names.WORKLOAD_UPDATE);
    }

    private static Instant failedAt(Item migration) {
        return migration.list("status", "phaseTransitionTimestamps").stream()
                .filter(each -> each.path("phase").asText().equals("Failed"))
                .map(each -> Instant.parse(each.path("phaseTransitionTimestamp").asText()))
                .findFirst()
                .orElse(Instant.EPOCH);
    }

    private void target(Item migration, Item vmi) {
        Optional<Item> source = Pods.current(vmi, cluster.launchersOf(vmi));
        if (source.isEmpty()) {
            return;
        }
        Item ready = nonroot(vmi);
        List<Item> running = cluster.list(Kind.VMIM).stream()
                .filter(each -> !each.uid().equals(migration.uid()) && started(each))
                .toList();
        String node = vmi.text("status", "nodeName");
        long leaving = running.stream()
                .map(each -> cluster.find(Kind.VMI, each.namespace(), each.text("spec", "vmiName")))
                .flatMap(Optional::stream)
                .filter(each -> each.text("status", "nodeName").equals(node))
                .count();
        boolean moreThanOnePod = cluster.launchersOf(vmi).stream()
                        .filter(each -> !Pods.ended(each))
                        .count()
                > 1;
        if (moreThanOnePod) {
            queue.addAfter(migration.key(), Duration.ofSeconds(1));
        } else if (running.size() >= PARALLEL_IN_CLUSTER || leaving >= PARALLEL_FROM_NODE) {
            LOG.debug("{} waits for a place: {} under way, {} leave {}", migration, running.size(), leaving, node);
            queue.addAfter(migration.key(), WAIT_FOR_A_PLACE);
        } else if (Vmis.running(vmi)) {
            create(migration, ready, source.get());
        }
    }

    /** Whether a migration takes one of the places for those under way: it has a target pod and is not over. */
    private boolean started(Item migration) {
        return switch (phase(migration)) {
            case "Scheduling", "Scheduled", "PreparingTarget", "TargetReady", "Running" -> true;
            case "Pending" ->
                cluster.list(Kind.POD, migration.namespace()).stream()
                        .anyMatch(pod -> pod.label(Names.MIGRATION_UID).equals(migration.uid()));
            default -> false;
        };
    }

    private Item nonroot(Item vmi) {
        if (vmi.annotated(Names.NONROOT)) {
            return vmi;
        }
        Item after = vmi.copy();
        after.set("true", "metadata", "annotations", Names.NONROOT);
        return cluster.update(after);
    }

    private void create(Item migration, Item vmi, Item source) {
        Item node = cluster.find(Kind.NODE, "", vmi.text("status", "nodeName")).orElse(null);
        try {
            Item pod = cluster.create(LauncherPods.target(vmi, migration, source, node));
            events.normal(migration, "SuccessfulCreate", "Created migration target pod " + pod.name());
        } catch (KubernetesClientException e) {
            events.warning(vmi, "FailedCreate", "Error creating pod: " + e.getMessage());
            throw e;
        }
    }

    private void dropTarget(Item migration, Optional<Item> pod) {
        if (pod.isPresent() && !pod.get().deleting()) {
            cluster.delete(pod.get());
            events.normal(
                    migration,
                    "SuccessfulDelete",
                    "migration canceled and pod %s is deleted"
                            .formatted(pod.get().key()));
        }
    }

    private void timeOut(Item migration, Item pod) {
        if (!Pods.pending(pod)) {
            return;
        }
        Duration pending = Duration.between(pod.created(), Instant.now());
        if (Pods.unschedulable(pod)) {
            events.warning(
                    migration,
                    "migrationTargetPodUnschedulable",
                    "Migration target pod for VMI [%s/%s] is currently unschedulable."
                            .formatted(migration.namespace(), migration.text("spec", "vmiName")));
            if (overdue(migration, pending, Names.UNSCHEDULABLE_TIMEOUT, UNSCHEDULABLE_TIMEOUT)) {
                cluster.delete(pod);
                events.normal(
                        migration,
                        "SuccessfulDelete",
                        "unschedulable pod %s timeout period exceeded".formatted(pod.key()));
                return;
            }
        }
        if (overdue(migration, pending, Names.PENDING_TIMEOUT, PENDING_TIMEOUT)) {
            cluster.delete(pod);
            events.normal(migration, "SuccessfulDelete", "pending pod %s timeout period exceeded".formatted(pod.key()));
        }
    }

    /** Whether the time is up; if not, the migration is looked at again when it is. */
    private boolean overdue(Item migration, Duration pending, String annotation, Duration otherwise) {
        String own = migration.annotation(annotation);
        Duration allowed = own.matches("\\d+") ? Duration.ofSeconds(Long.parseLong(own)) : otherwise;
        Duration left = allowed.minus(pending);
        if (!left.isPositive()) {
            return true;
        }
        queue.addAfter(migration.key(), left);
        return false;
    }

    private void handOver(Item migration, Item vmi, Item pod) {
        if (Vmis.follows(vmi, migration)) {
            return;
        }
        Item after = vmi.copy();
        ObjectNode state = Item.object();
        state.set("migrationConfiguration", configuration());
        state.put("migrationUid", migration.uid());
        state.put("sourceNode", vmi.text("status", "nodeName"));
        state.put("sourcePod", migration.text("status", "migrationState", "sourcePod"));
        state.put("targetMemoryOverhead", Names.MEMORY_OVERHEAD);
        state.put("targetNode", Pods.node(pod)).put("targetPod", pod.name());
        after.set(state, "status", "migrationState");
        after.set(Pods.node(pod), "metadata", "labels", Names.MIGRATION_TARGET_NODE);
        cluster.update(after);
        events.normal(
                migration, "SuccessfulHandOver", "Migration target pod is ready for preparation by virt-handler.");
    }

    private static ObjectNode configuration() {
        return Item.object()
                .put("allowAutoConverge", false)
                .put("allowPostCopy", false)
                .put("allowWorkloadDisruption", false)
                .put("bandwidthPerMigration", "0")
                .put("completionTimeoutPerGiB", 150)
                .put("maxDowntimeMs", 900)
                .put("nodeDrainTaintKey", "kubevirt.io/drain")
                .put("parallelMigrationsPerCluster", PARALLEL_IN_CLUSTER)
                .put("parallelOutboundMigrationsPerNode", PARALLEL_FROM_NODE)
                .put("progressTimeout", 150)
                .put("unsafeMigrationOverride", false)
                .put("utilityVolumesTimeout", 150);
    }

    private void abort(Item migration, Item vmi) {
        if (vmi.flag("status", "migrationState", "abortRequested")) {
            return;
        }
        Item after = vmi.copy();
        cluster.update(after.set(true, "status", "migrationState", "abortRequested"));
        events.normal(migration, "SuccessfulAbortMigration", "Migration is ready to be canceled by virt-handler.");
    }

    private void markFailed(Item migration, Item vmi) {
        String reason = "Target pod is down";
        Item after = vmi.copy();
        if (!vmi.has("status", "migrationState", "startTimestamp")) {
            after.set(Item.now(), "status", "migrationState", "startTimestamp");
        }
        after.set(Item.now(), "status", "migrationState", "endTimestamp");
        after.set(true, "status", "migrationState", "failed");
        after.set(true, "status", "migrationState", "completed");
        after.set(reason, "status", "migrationState", "failureReason");
        cluster.update(after);
        events.warning(
                vmi,
                "FailedMigration",
                "VirtualMachineInstance migration uid %s failed. reason: %s".formatted(migration.uid(), reason));
    }

    private void tell(Item migration, Item vmi, Optional<Item> pod) {
        Item after = migration.copy();
        if (over(migration)) {
            if (Vmis.follows(vmi, migration)) {
                after.set(vmi.node("status", "migrationState").deepCopy(), "status", "migrationState");
            }
        } else {
            move(after, migration, vmi, pod);
        }
        if (!after.has("status", "migrationState", "sourcePod")) {
            Pods.current(vmi, cluster.launchersOf(vmi))
                    .ifPresent(source -> after.set(source.name(), "status", "migrationState", "sourcePod"));
        }
        if (!after.sameAs(migration, "status")) {
            cluster.updateStatus(after);
        } else if (over(migration) && current(vmi) && after.finalizers().contains(Names.VMIM_FINALIZER)) {
            after.removeFinalizer(Names.VMIM_FINALIZER);
            cluster.update(typed(after));
        }
    }

    /** Whether the VMI is still as it was seen: else its last word on the migration is yet to be kept. */
    private boolean current(Item vmi) {
        return cluster.find(Kind.VMI, vmi.key())
                .filter(each -> each.version() == vmi.version())
                .isPresent();
    }

    private void move(Item after, Item migration, Item vmi, Optional<Item> pod) {
        String phase = phase(migration);
        boolean handedOver = !List.of("", "Pending", "Scheduling", "Scheduled").contains(phase);
        boolean created = handedOver || phase.equals("Scheduling") || phase.equals("Scheduled");
        if (Vmis.ended(vmi)) {
            fail(after, "Migration failed vmi shutdown during migration.");
        } else if (migration.deleting() && !handedOver && !Vmis.follows(vmi, migration)) {
            abortRequested(after);
            fail(after, "Migration failed due to being canceled");
        } else if (pod.isPresent() && Pods.ended(pod.get())) {
            fail(after, "Migration failed because target pod shutdown during migration");
        } else if (created && pod.isEmpty()) {
            fail(after, "Migration target pod was removed during active migration.");
        } else if (handedOver && !vmi.has("status", "migrationState")) {
            fail(after, "VMI's migration state was cleared during the active migration.");
        } else if (handedOver && !Vmis.follows(vmi, migration)) {
            fail(after, "VMI's migration state was taken over by another migration job during active migration.");
        } else if (Vmis.follows(vmi, migration) && vmi.flag("status", "migrationState", "failed")) {
            fail(after, "source node reported migration failed");
        } else if (migration.deleting()
                && migration.condition(Names.ABORT_REQUESTED).isEmpty()) {
            abortRequested(after);
        } else {
            advance(after, migration, vmi, pod);
        }
    }

    private void advance(Item after, Item migration, Item vmi, Optional<Item> pod) {
        switch (phase(migration)) {
            case "" -> {
                if (free(migration, vmi)) {
                    after.enterPhase("Pending");
                } else {
                    fail(after, "VMI is not eligible for migration because another migration job is in progress.");
                }
            }
            case "Pending" -> {
                if (pod.isPresent()) {
                    after.enterPhase("Scheduling");
                }
            }
            case "Scheduling" -> {
                if (pod.isPresent() && Pods.ready(pod.get())) {
                    after.enterPhase("Scheduled");
                }
            }
            case "Scheduled" -> {
                if (Vmis.follows(vmi, migration)) {
                    after.enterPhase("PreparingTarget");
                }
            }
            case "PreparingTarget" -> {
                if (vmi.has("status", "migrationState", "targetNodeAddress")) {
                    after.enterPhase("TargetReady");
                }
            }
            case "TargetReady" -> {
                if (vmi.has("status", "migrationState", "startTimestamp")) {
                    after.enterPhase("Running");
                }
            }
            case "Running" -> {
                pod.ifPresent(target -> stamp(vmi, target));
                if (vmi.flag("status", "migrationState", "completed")) {
                    after.enterPhase("Succeeded");
                    events.normal(after, "SuccessfulMigration", "Source node reported migration succeeded");
                }
            }
            default -> {}
        }
    }

    /** Whether no other migration of the VMI is under way. */
    private boolean free(Item migration, Item vmi) {
        String current = vmi.text("status", "migrationState", "migrationUid");
        return current.isEmpty()
                || current.equals(migration.uid())
                || cluster.list(Kind.VMIM, migration.namespace()).stream()
                        .noneMatch(each -> each.uid().equals(current) && !over(each));
    }

    private void stamp(Item vmi, Item target) {
        String since = vmi.text("status", "migrationState", "targetNodeDomainReadyTimestamp");
        if (!since.isEmpty() && !target.annotated(Names.TARGET_READY)) {
            Item after = target.copy();
            after.set(GO_TIME.format(Instant.parse(since)), "metadata", "annotations", Names.TARGET_READY);
            cluster.update(after);
        }
    }

    private static void abortRequested(Item after) {
        if (after.condition(Names.ABORT_REQUESTED).isEmpty()) {
            ObjectNode condition =
                    Item.object().put("type", Names.ABORT_REQUESTED).put("status", "True");
            condition.put("lastProbeTime", Item.now()).putNull("lastTransitionTime");
            after.append(condition, "status", "conditions");
        }
    }

    private void fail(Item after, String why) {
        after.enterPhase("Failed");
        events.warning(after, "FailedMigration", why);
    }

    private static String phase(Item migration) {
        return migration.text("status", "phase");
    }

    private static boolean over(Item migration) {
        return phase(migration).equals("Succeeded") || phase(migration).equals("Failed");
    }
}
