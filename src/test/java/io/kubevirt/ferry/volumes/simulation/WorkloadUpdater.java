package io.kubevirt.ferry.volumes.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** KubeVirt's workload updater: a turn every five seconds. */
final class WorkloadUpdater implements Actor {
    private static final long PERIOD = 5_000;

    private final Cluster cluster;
    private long nextTurn;

    WorkloadUpdater(Cluster cluster) {
        this.cluster = cluster;
    }

    @Override
    public void offer(Menu menu) {
        var vmi = cluster.vmi;
        if (vmi == null || !vmi.running() || vmi.deleting) {
            return;
        }
        var marked = marked();
        var volumesChange = vmi.volumesChange == VolumesChange.TRUE;
        var seenOnTarget = vmi.migration != null && vmi.migration.targetReady >= 0;
        Runnable turn = null;
        Move move = Move.UPDATER_MIGRATES;
        if (!volumesChange && !seenOnTarget && !marked.isEmpty()) {
            move = Move.UPDATER_ABORTS;
            turn = () -> marked.forEach(cluster::deleteVmim);
        } else if (volumesChange && !vmi.migrating() && !cluster.unfinishedVmim()) {
            if (cluster.liveMigrate) {
                turn = this::migrate;
            } else if (cluster.evict) {
                move = Move.UPDATER_EVICTS;
                turn = this::evict;
            }
        }
        if (turn != null) {
            menu.wakeAt(nextTurn, cluster.now);
            if (cluster.now >= nextTurn) {
                var action = turn;
                menu.offer(move, "vm", () -> {
                    nextTurn = cluster.now + PERIOD;
                    action.run();
                });
            }
        }
    }

    private List<Vmim> marked() {
        var marked = new ArrayList<Vmim>();
        for (var vmim : cluster.vmims.values()) {
            if (vmim.unfinished() && !vmim.deleting && vmim.annotations.containsKey(Vmim.UPDATE_ANNOTATION)) {
                marked.add(vmim);
            }
        }
        return marked;
    }

    private void migrate() {
        if (cluster.mayMigrate()) {
            cluster.addVmim(
                    cluster.fresh("kubevirt-workload-update"),
                    Map.of(Vmim.UPDATE_ANNOTATION, ""),
                    Map.of(Vmim.UPDATE_LABEL, "vm"));
        }
    }

    private void evict() {
        var pod = cluster.guestPod();
        if (pod != null) {
            cluster.deletePod(pod);
        }
    }
}
