package io.kubevirt.ferry.volumes.simulation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Where the newest data of each disk is. A guest that runs writes all the time: a boot and the report of a hand-over make a
 * new version, so that exactly the claims under the guest are the newest. What a guest writes between its hand-over and the
 * report does not count: until then both sides hold the newest version.
 */
final class Storage {
    /** Data of a copy that did not end, or of a guest whose disk was taken from under it. */
    static final long TORN = -1;

    private final Cluster cluster;
    private final Map<String, Long> newest = new HashMap<>();
    /** Claims that a person wrote into the VM: booting from them is their will. */
    private final Set<String> wanted = new HashSet<>();

    Storage(Cluster cluster) {
        this.cluster = cluster;
    }

    void want(String claim) {
        wanted.add(claim);
    }

    void want(Iterable<Volume> volumes) {
        volumes.forEach(volume -> want(volume.claim()));
    }

    void unwant(String claim) {
        wanted.remove(claim);
    }

    /** Whether the claim holds the newest data of its disk. */
    boolean newest(String claim) {
        var held = cluster.claims.get(claim);
        return held != null && held.disk != null && held.data == newest.getOrDefault(held.disk, 0L);
    }

    /** Whether the claim holds the newest data of that disk; true of a disk that was never written to. */
    boolean newest(String disk, String claim) {
        if (!newest.containsKey(disk)) {
            return true;
        }
        return newest(claim) && disk.equals(cluster.claims.get(claim).disk);
    }

    void boot(Map<String, String> claims) {
        claims.forEach((disk, claim) -> {
            // what a VM that is being deleted writes is nobody's newest data
            var goes = cluster.vm == null || cluster.vm.deleting;
            if (!newest(disk, claim) && !wanted.contains(claim) && !cluster.meddled && !goes) {
                cluster.violated(Law.NEWEST_DATA, "a VMI boots " + disk + " from " + claim + ", which is stale");
            }
        });
        write(claims);
    }

    void write(Map<String, String> claims) {
        claims.forEach((disk, claim) -> {
            var version = newest.merge(disk, 1L, Long::sum);
            var held = cluster.claims.get(claim);
            if (held != null) {
                held.disk = disk;
                held.data = version;
            }
        });
    }

    /** @param unfenced whether nothing of ours could have kept it from starting */
    void startCopy(Set<String> disks, Map<String, String> from, Map<String, String> to, boolean unfenced) {
        for (var disk : disks) {
            var destination = to.get(disk);
            if (destination == null) {
                continue;
            }
            if (newest(destination) && !cluster.meddled && !unfenced) {
                cluster.violated(
                        Law.NEWEST_DATA,
                        "a copy overwrites " + destination + ", which holds the newest data of " + disk);
            }
            if (!destination.equals(from.get(disk))) {
                tear(disk, destination);
            }
        }
    }

    /** @param unfenced whether nothing of ours could have kept the migration from starting */
    void handOver(Set<String> copied, Map<String, String> from, Map<String, String> to, boolean unfenced) {
        to.forEach((disk, destination) -> {
            var source = from.get(disk);
            boolean plugged = source == null && !newest.containsKey(disk);
            if (destination.equals(source) || plugged) {
                return;
            }
            if (copied.contains(disk) && source != null) {
                var target = cluster.claims.get(destination);
                var origin = cluster.claims.get(source);
                if (target != null && origin != null) {
                    target.disk = origin.disk;
                    target.data = origin.data;
                }
                return;
            }
            if (unfenced) {
                // what KubeVirt has lost by itself nobody brings back
                cluster.meddled = true;
            }
            if (!cluster.meddled) {
                cluster.violated(
                        Law.NEWEST_DATA,
                        "the guest is handed from " + source + " to " + destination + " without a copy");
            }
            tear(disk, destination);
        });
    }

    private void tear(String disk, String claim) {
        var held = cluster.claims.get(claim);
        if (held != null) {
            held.disk = disk;
            held.data = TORN;
        }
    }
}
