package io.kubevirt.ferry.volumes.simulation;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** What happened, for people: each transition with the objects that it changed. */
final class Trace {
    /** Not worth a line where nothing comes of them. */
    private static final Set<Move> QUIET =
            EnumSet.of(Move.OPERATOR_READS, Move.OPERATOR_SWEEPS, Move.OPERATOR_SETTLES, Move.VM_SYNC, Move.CACHE_VM);

    private final Cluster cluster;
    private final boolean keep;
    private final StringBuilder text = new StringBuilder();
    private final Map<Move, Integer> counts = new EnumMap<>(Move.class);

    Trace(Cluster cluster) {
        this(cluster, true);
    }

    /** Without {@code keep} only the kinds of transitions are counted, which costs next to nothing. */
    Trace(Cluster cluster, boolean keep) {
        this.cluster = cluster;
        this.keep = keep;
    }

    void run(Menu.Offer offer) {
        counts.merge(offer.move(), 1, Integer::sum);
        if (!keep) {
            offer.action().run();
            return;
        }
        var before = objects();
        var start = text.length();
        var violations = cluster.violations.size();
        text.append(String.format(
                Locale.ROOT,
                "%9.2f  %s  %s%n",
                cluster.now / 1000.0,
                offer.move().text(),
                offer.subject()));
        var head = text.length();
        offer.action().run();
        changes(before);
        cluster.violations.stream()
                .skip(violations)
                .forEach(v -> text.append("           !! ").append(v).append('\n'));
        if (text.length() == head && QUIET.contains(offer.move())) {
            text.setLength(start);
        }
    }

    void note(String what) {
        if (keep) {
            text.append("             ").append(what).append('\n');
        }
    }

    int count(Move move) {
        return counts.getOrDefault(move, 0);
    }

    Map<Move, Integer> counts() {
        return counts;
    }

    private void changes(Map<String, String> before) {
        var after = objects();
        after.forEach((name, now) -> {
            if (!now.equals(before.get(name))) {
                text.append("             ")
                        .append(name)
                        .append(' ')
                        .append(now)
                        .append('\n');
            }
        });
        before.keySet().stream()
                .filter(name -> !after.containsKey(name))
                .forEach(name -> text.append("             ").append(name).append(" gone\n"));
    }

    private Map<String, String> objects() {
        var objects = new LinkedHashMap<String, String>();
        cluster.requests.forEach((name, request) -> objects.put("volumemigration " + name, request.toString()));
        if (cluster.vm != null) {
            objects.put("vm", cluster.vm.toString());
        }
        if (cluster.vmi != null) {
            objects.put("vmi", cluster.vmi.toString());
        }
        if (cluster.guest != null) {
            objects.put("guest", "in " + cluster.guest.pod + (cluster.guest.unreported ? ", unreported" : ""));
        }
        cluster.vmims.forEach((name, vmim) -> objects.put("vmim " + name, vmim.toString()));
        cluster.pods.forEach((name, pod) -> objects.put("pod " + name, pod.toString()));
        cluster.claims.forEach((name, claim) -> objects.put("claim " + name, claim.toString()));
        cluster.dataVolumes.forEach((name, dataVolume) -> objects.put("datavolume " + name, dataVolume.toString()));
        return objects;
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
