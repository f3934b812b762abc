package io.kubevirt.ferry.standin;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * virt-controller's part that makes the migrations of VMIs whose volumes change, and deletes them when the change is
 * taken back.
 *
 * <p>It takes a turn every five seconds, say, as long as there is something to do, and when a migration ends.
 */
final class WorkloadUpdater {

    private static final String TURN = "turn";
    private static final Duration AFTER_AN_END = Duration.ofSeconds(1);
    private static final int LONGEST_LABEL = 63;

    private final Cluster cluster;
    private final Events events;
    private final Duration betweenTurns;
    private final AtomicInteger holds = new AtomicInteger();
    private final WorkQueue queue = new WorkQueue("updater", key -> turn());

    WorkloadUpdater(Cluster cluster, Events events, Duration betweenTurns) {
        this.betweenTurns = betweenTurns;
        this.cluster = cluster;
        this.events = events;
        cluster.on(Kind.VMI, vmi -> {
            if (vmi.condition("VolumesChange").isPresent()) {
                queue.addAfter(TURN, betweenTurns);
            }
        });
        cluster.on(Kind.VMIM, migration -> {
            if (migration.annotated(Names.WORKLOAD_UPDATE)) {
                queue.addAfter(TURN, Vmis.ended(migration) ? AFTER_AN_END : betweenTurns);
            }
        });
    }

    WorkQueue queue() {
        return queue;
    }

    /** Lets it take no turn until the hold is closed: whether a turn falls into a moment is chance, and a test wants none. */
    Hold hold() {
        holds.incrementAndGet();
        return holds::decrementAndGet;
    }

    /** Keeps the updater from its turns. */
    interface Hold extends AutoCloseable {
        @Override
        void close();
    }

    private void turn() {
        if (holds.get() > 0) {
            queue.addAfter(TURN, betweenTurns);
            return;
        }
        List<Item> changing = cluster.list(Kind.VMI).stream()
                .filter(vmi -> vmi.condition("VolumesChange").isPresent())
                .filter(vmi -> Vmis.running(vmi) && !vmi.deleting())
                .toList();
        for (Item vmi : changing) {
            List<Item> unfinished = unfinished(vmi);
            if (Volumes.changing(vmi)) {
                if (unfinished.isEmpty() && migrates() && !Vmis.migrating(vmi)) {
                    create(vmi);
                }
            } else if (cancelled(vmi)) {
                unfinished.stream()
                        .filter(each -> each.annotated(Names.WORKLOAD_UPDATE) && !each.deleting())
                        .forEach(each -> abort(vmi, each));
            }
        }
        if (changing.stream()
                .anyMatch(vmi -> Volumes.changing(vmi) || !unfinished(vmi).isEmpty())) {
            queue.addAfter(TURN, betweenTurns);
        }
    }

    private List<Item> unfinished(Item vmi) {
        return cluster.list(Kind.VMIM, vmi.namespace()).stream()
                .filter(each -> each.text("spec", "vmiName").equals(vmi.name()) && !Vmis.ended(each))
                .toList();
    }

    private boolean migrates() {
        Optional<Item> kubevirt = cluster.list(Kind.KUBEVIRT).stream().findFirst();
        return kubevirt.filter(each -> each.node("spec", "workloadUpdateStrategy", "workloadUpdateMethods")
                        .toString()
                        .contains("LiveMigrate"))
                .isPresent();
    }

    private static boolean cancelled(Item vmi) {
        return vmi.condition("VolumesChange")
                .filter(each -> each.path("reason").asText().equals("VolumesChangeCancellation"))
                .isPresent();
    }

    private void create(Item vmi) {
        Item migration = Item.of(Kind.VMIM, vmi.namespace(), "");
        migration.set("kubevirt-workload-update-", "metadata", "generateName");
        migration.set("", "metadata", "annotations", Names.WORKLOAD_UPDATE);
        String label = vmi.name().length() > LONGEST_LABEL ? vmi.uid() : vmi.name();
        migration.set(label, "metadata", "labels", Names.VOLUME_UPDATE);
        migration.set(vmi.name(), "spec", "vmiName").set("user-triggered", "spec", "priority");
        Item created = cluster.create(migration);
        events.normal(
                vmi,
                "SuccessfulCreate",
                "Created Migration %s for automated workload update".formatted(created.name()));
    }

    private void abort(Item vmi, Item migration) {
        cluster.delete(migration);
        events.normal(vmi, "SuccessfulChangeAbortion", "Aborted change for vmi: " + vmi.name());
    }
}
