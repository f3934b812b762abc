package io.kubevirt.ferry.volumes.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** The cluster and everybody in it, driven by hand: the first possible transition is taken, unless it is held back. */
final class World {
    private static final int STEPS = 20_000;
    private static final long TICK = 20;

    final Cluster cluster = new Cluster();
    final VmController vmController = new VmController(cluster);
    final Trace trace = new Trace(cluster);
    final List<Actor> actors = new ArrayList<>();
    private final Menu menu = new Menu();
    private Predicate<Menu.Offer> held = offer -> false;

    World(Supplier<Machines.Plan> plans) {
        actors.add(vmController);
        actors.add(new VmiController(cluster));
        actors.add(new MigrationController(cluster));
        actors.add(new WorkloadUpdater(cluster));
        actors.add(new Machines(cluster, plans));
        actors.add(new Kubernetes(cluster));
    }

    /** Nothing of this kind happens until {@link #release}. */
    World hold(Move... moves) {
        var kinds = List.of(moves);
        held = held.or(offer -> kinds.contains(offer.move()));
        return this;
    }

    World release() {
        held = offer -> false;
        return this;
    }

    /** Takes transitions until the goal is reached; fails with a trace when the cluster comes to rest before. */
    World until(String goal, BooleanSupplier reached) {
        for (int i = 0; i < STEPS; i++) {
            if (reached.getAsBoolean()) {
                return this;
            }
            if (!step()) {
                throw new AssertionError("the cluster is at rest, but not: " + goal + "\n" + trace);
            }
        }
        throw new AssertionError("never: " + goal + "\n" + trace);
    }

    /** Until this has just happened. */
    World after(Move move) {
        var before = trace.count(move);
        return until(move.text(), () -> trace.count(move) > before);
    }

    /** Lets the time pass, with all that happens by itself. */
    World pass(long milliseconds) {
        var end = cluster.now + milliseconds;
        while (cluster.now < end && step(end)) {}
        cluster.now = Math.max(cluster.now, end);
        return this;
    }

    private boolean step() {
        return step(Long.MAX_VALUE);
    }

    private boolean step(long end) {
        menu.clear();
        actors.forEach(actor -> actor.offer(menu));
        for (var offer : menu.offers()) {
            if (!held.test(offer)) {
                trace.run(offer);
                cluster.now += TICK;
                return true;
            }
        }
        if (menu.alarm() > end || menu.alarm() == Long.MAX_VALUE) {
            return false;
        }
        cluster.now = menu.alarm();
        return true;
    }
}
