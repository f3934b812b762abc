package io.kubevirt.ferry.volumes.simulation;

import io.kubevirt.ferry.api.ReclaimPolicy;
import io.kubevirt.ferry.api.Verdict;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Plots in which only the operator's own mishaps are left to chance, and what they end with. */
final class SameEnd {
    private static final int MORE_THAN_ANY_RUN_WRITES = 200;

    private SameEnd() {}

    record Plot(String name, Consumer<Scenario> told) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Plot> plots() {
        return Stream.of(
                new Plot("success", s -> {}),
                new Plot("success, sources kept", s -> s.reclaim = List.of(ReclaimPolicy.Retain, ReclaimPolicy.Retain)),
                new Plot("success at the second attempt", s -> s.fates.add(Vmim.Fate.FAIL)),
                new Plot(
                        "every attempt fails",
                        s -> s.fates.addAll(List.of(Vmim.Fate.FAIL, Vmim.Fate.FAIL, Vmim.Fate.FAIL, Vmim.Fate.FAIL))),
                new Plot("KubeVirt makes no migration", s -> s.liveMigrate = false),
                new Plot("KubeVirt refuses", s -> s.refused = true),
                new Plot("a strategy was there", s -> s.strategy = "Replacement"),
                new Plot("data volumes with templates", s -> s.dataVolumes = true),
                new Plot("data volumes with templates, in vain", s -> {
                    s.dataVolumes = true;
                    s.fates.addAll(List.of(Vmim.Fate.FAIL, Vmim.Fate.FAIL, Vmim.Fate.FAIL));
                }),
                new Plot("a hotplugged volume", s -> s.hotplugged = true),
                new Plot("split", s -> s.fates.add(Vmim.Fate.SPLIT)),
                new Plot("stopped while it copies", s -> {
                    s.fates.add(Vmim.Fate.HANG);
                    s.cues.add(Cue.after(Move.COPY_STARTS, Event.STOPS_THE_VM));
                }),
                new Plot(
                        "restarted right after the change",
                        s -> s.cues.add(Cue.after(Move.MIGRATED_VOLUMES, Event.RESTARTS_THE_VM))),
                new Plot("cancelled before KubeVirt has changed the VMI", s -> {
                    s.slow.add(Move.VMI_VOLUMES);
                    s.cues.add(Cue.after(Move.MIGRATED_VOLUMES, Event.DELETES_THE_VOLUME_MIGRATION));
                }),
                new Plot("cancelled while it copies", s -> {
                    s.fates.add(Vmim.Fate.HANG);
                    s.cues.add(Cue.after(Move.COPY_STARTS, Event.DELETES_THE_VOLUME_MIGRATION));
                }),
                new Plot("a restart becomes due while it copies", s -> {
                    s.fates.addAll(List.of(Vmim.Fate.FAIL, Vmim.Fate.FAIL, Vmim.Fate.FAIL));
                    s.cues.add(Cue.after(Move.COPY_STARTS, Event.EDITS_SOMETHING_THAT_NEEDS_A_RESTART));
                }));
    }

    /** What is left in the end. */
    record End(
            @Nullable Verdict verdict,
            boolean restartNeeded,
            Set<String> conditions,
            @Nullable String vm,
            @Nullable String vmi,
            Set<String> claims,
            List<Violation> violations) {}

    /** An end that is not that of the same plot left undisturbed, and how it came about. */
    record Different(Plot plot, Mishap mishap, int write, End expected, End end) {}

    static boolean isBroken(Core core) {
        return plots().anyMatch(plot -> different(core, plot).isPresent());
    }

    /** The first single mishap that makes a difference. */
    static Optional<Different> different(Core core, Plot plot) {
        var expected = end(core, plot, () -> Mishap.NONE);
        return Arrays.stream(Mishap.values())
                .parallel()
                .filter(mishap -> mishap != Mishap.NONE)
                .map(mishap -> different(core, plot, mishap, expected))
                .flatMap(Optional::stream)
                .findFirst();
    }

    private static Optional<Different> different(Core core, Plot plot, Mishap mishap, End expected) {
        for (int write = 0; write < MORE_THAN_ANY_RUN_WRITES; write++) {
            var once = new Once(mishap, write);
            var end = end(core, plot, once);
            if (!end.equals(expected)) {
                return Optional.of(new Different(plot, mishap, write, expected, end));
            }
            if (!once.happened()) {
                break;
            }
        }
        return Optional.empty();
    }

    static End end(Core core, Plot plot, Supplier<Mishap> mishaps) {
        var chance = new Chance(1);
        var scenario = Scenario.plain(chance);
        plot.told().accept(scenario);
        var schedule = new Schedule(chance, core, scenario, mishaps, false).run();
        var cluster = schedule.cluster;
        var vm = cluster.vm;
        var request = cluster.requests.get("request");
        return new End(
                request == null ? null : Laws.verdict(request),
                schedule.laws.situations.contains("verdict " + Verdict.RestartNeeded),
                request == null ? Set.of() : conditions(request),
                vm == null ? null : vm.strategy + " " + vm.volumes + vm.templates + vm.annotations,
                cluster.vmi == null ? null : cluster.vmi.volumes.toString(),
                new TreeSet<>(cluster.claims.keySet()),
                List.copyOf(cluster.violations));
    }

    private static Set<String> conditions(Request request) {
        var conditions = new TreeSet<String>();
        if (request.status != null) {
            request.status.conditions().forEach(c -> conditions.add(c.type() + "=" + c.status() + "/" + c.reason()));
        }
        return conditions;
    }

    /** One mishap with one write. */
    private static final class Once implements Supplier<Mishap> {
        private final Mishap mishap;
        private final int at;
        private int writes;

        Once(Mishap mishap, int at) {
            this.mishap = mishap;
            this.at = at;
        }

        @Override
        public Mishap get() {
            return writes++ == at ? mishap : Mishap.NONE;
        }

        boolean happened() {
            return writes > at;
        }
    }
}
