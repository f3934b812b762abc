package io.kubevirt.ferry.volumes.simulation;

import java.util.ArrayList;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Scheduler, kubelets, claim protection, garbage collector and CDI. */
final class Kubernetes implements Actor {
    private static final int NODES = 3;

    private final Cluster cluster;
    private int nodes;

    Kubernetes(Cluster cluster) {
        this.cluster = cluster;
    }

    @Override
    public void offer(Menu menu) {
        for (var pod : cluster.pods.values()) {
            if (pod.deleting) {
                menu.offer(Move.POD_GONE, pod.name, () -> gone(pod));
            } else if (pod.phase == Pod.Phase.PENDING && startable(pod)) {
                menu.offer(Move.POD_RUNS, pod.name, () -> {
                    pod.phase = Pod.Phase.RUNNING;
                    pod.node = node(pod);
                    cluster.touch(pod);
                });
            }
        }
        for (var claim : cluster.claims.values()) {
            if (claim.deleting && !mounted(claim.name)) {
                menu.offer(Move.CLAIM_GONE, claim.name, () -> {
                    cluster.claims.remove(claim.name);
                    cluster.nextVersion();
                });
            }
        }
        for (var dataVolume : cluster.dataVolumes.values()) {
            if (dataVolume.deleting) {
                menu.offer(Move.DATA_VOLUME_GONE, dataVolume.name, () -> gone(dataVolume));
            } else if (!cluster.claims.containsKey(dataVolume.name) && !cluster.namespaceDeleted) {
                menu.offer(Move.CLAIM_OF_DATA_VOLUME, dataVolume.name, () -> {
                    cluster.addClaim(dataVolume.name).owner = dataVolume;
                });
            }
        }
    }

    /**
     * An attachment pod goes to its launcher, a launcher where no other of that VMI is that has not ended: target pods have
     * an anti-affinity against those.
     */
    private @Nullable String node(Pod pod) {
        for (var launcher : cluster.pods.values()) {
            if (launcher.uid.equals(pod.owner)) {
                return launcher.node;
            }
        }
        var taken = cluster.pods.values().stream()
                .filter(other ->
                        other.kind == Pod.Kind.LAUNCHER && !other.phase.last() && other.createdBy.equals(pod.createdBy))
                .map(other -> other.node)
                .collect(Collectors.toSet());
        String node;
        do {
            node = "node-" + nodes++ % (NODES + taken.size());
        } while (taken.contains(node));
        return node;
    }

    private boolean startable(Pod pod) {
        for (var name : pod.claims.values()) {
            var claim = cluster.claims.get(name);
            if (claim == null || claim.deleting) {
                return false;
            }
        }
        return true;
    }

    private void gone(Pod pod) {
        cluster.pods.remove(pod.name);
        cluster.nextVersion();
        if (cluster.guest != null && cluster.guest.pod.equals(pod.name)) {
            cluster.guest = null;
        }
    }

    private void gone(DataVolume dataVolume) {
        cluster.dataVolumes.remove(dataVolume.name);
        cluster.nextVersion();
        for (var claim : new ArrayList<>(cluster.claims.values())) {
            if (claim.owner == dataVolume && !claim.deleting) {
                cluster.deleteClaim(claim);
            }
        }
    }

    /** A claim goes when no pod that was scheduled names it, finished ones included. */
    private boolean mounted(String claim) {
        return cluster.pods.values().stream().anyMatch(pod -> pod.node != null && pod.claims.containsValue(claim));
    }
}
