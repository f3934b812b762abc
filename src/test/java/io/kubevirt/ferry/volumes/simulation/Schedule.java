package io.kubevirt.ferry.volumes.simulation;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** One life of a volume migration, all of it drawn from a seed. */
final class Schedule {
    /** So long, at most, may it go on in simulated time after the last fault. */
    private static final long PATIENCE = 4 * 3_600_000L;

    private static final int BUSY = 400;
    private static final int TOO_MANY = 20_000;
    private static final long QUIET = 700_000;
    private static final double SLOW = 0.005;

    final Cluster cluster = new Cluster();
    final Trace trace;
    final Laws laws = new Laws(cluster);
    final People people;
    final Scenario scenario;
    private final Chance chance;
    private final Faults faults;
    private final Operator operator;
    private final List<Actor> actors = new ArrayList<>();
    private final Menu menu = new Menu();
    private final Map<Move, Double> weights = new EnumMap<>(Move.class);
    private final long tick;
    private int steps;
    private boolean started;

    /** All of it is drawn. */
    static Schedule drawn(long seed, Core core, boolean keepTrace) {
        var chance = new Chance(seed);
        var scenario = Scenario.drawn(chance);
        var faults = chance.of(0.25) ? Faults.none() : Faults.drawn(chance);
        var schedule = new Schedule(chance, core, scenario, faults, () -> faults.next(chance), keepTrace);
        schedule.weights.replaceAll((move, weight) -> chance.oneOf(1.0, 1.0, 1.0, 1.0, 0.1, 0.02));
        if (chance.of(0.2)) {
            schedule.weights.put(Move.CACHE_VM, 0.005);
        }
        if (chance.of(0.1)) {
            scenario.slow.add(Move.VMI_VOLUMES);
        }
        return schedule;
    }

    /** Only who comes first is drawn. */
    Schedule(Chance chance, Core core, Scenario scenario, Supplier<Mishap> mishaps, boolean keepTrace) {
        this(chance, core, scenario, Faults.none(), mishaps, keepTrace);
    }

    private Schedule(
            Chance chance, Core core, Scenario scenario, Faults faults, Supplier<Mishap> mishaps, boolean keepTrace) {
        this.chance = chance;
        this.scenario = scenario;
        this.faults = faults;
        this.trace = new Trace(cluster, keepTrace);
        this.tick = chance.oneOf(2L, 20L, 200L);
        this.people = new People(cluster, scenario, laws, chance, trace);
        var vmController = new VmController(cluster);
        var models = new ReadModels();
        var executor = new Executor(cluster, core, laws);
        this.operator = new Operator(cluster, core, executor, models, faults, mishaps, chance, vmController, trace);
        cluster.fence = new Webhook(cluster, core, models, () -> chance.of(faults.webhookDown), laws);
        cluster.spuriousConflict = () -> chance.of(faults.conflict);
        actors.add(vmController);
        actors.add(new VmiController(cluster));
        actors.add(new MigrationController(cluster));
        actors.add(new WorkloadUpdater(cluster));
        actors.add(new Machines(cluster, scenario::plan));
        actors.add(new Kubernetes(cluster));
        actors.add(people);
        actors.add(operator);
        actors.add(new Keeper(cluster, models, executor));
        for (var move : Move.values()) {
            weights.put(move, 1.0);
        }
    }

    Schedule run() {
        scenario.prepare(cluster);
        until(() -> cluster.guest != null);
        scenario.ask(cluster, "request", "src-", "dst-", scenario.disks);
        started = true;
        steps = 0;
        while (steps < BUSY && step()) {}
        calmDown();
        settle();
        laws.atRest();
        restart();
        return this;
    }

    private void calmDown() {
        trace.note("== no more faults");
        faults.stop();
        scenario.slow.clear();
        people.rest();
        operator.relist();
        weights.replaceAll((move, weight) -> 1.0);
        for (int i = 0; scenario.late && i < scenario.disks; i++) {
            if (!cluster.namespaceDeleted) {
                cluster.addClaim("dst-" + i);
            }
        }
    }

    /** Until nothing changes any more, with people doing what they are told to do. */
    private void settle() {
        var patience = cluster.now + PATIENCE;
        do {
            var quiet = cluster.versions();
            var until = cluster.now + QUIET;
            while (cluster.now < until && step()) {
                if (cluster.versions() != quiet) {
                    quiet = cluster.versions();
                    until = cluster.now + QUIET;
                }
                if (cluster.now > patience || steps > TOO_MANY) {
                    laws.patienceEnds();
                    return;
                }
            }
        } while (people.help());
    }

    /** The next restart of the VM, after which nothing may be left, unless it let another volume migration begin. */
    private void restart() {
        int changes;
        do {
            changes = laws.changes();
            if (!cluster.violations.isEmpty() || cluster.vm == null || !people.restart()) {
                return;
            }
            trace.note("== the VM is restarted");
            settle();
            laws.atRest();
        } while (laws.changes() > changes);
        laws.restarted();
    }

    private void until(BooleanSupplier goal) {
        while (!goal.getAsBoolean() && step()) {}
    }

    private boolean step() {
        menu.clear();
        people.step(started ? steps : -1);
        for (var actor : actors) {
            actor.offer(menu);
        }
        if (menu.offers().isEmpty()) {
            if (menu.alarm() == Long.MAX_VALUE) {
                return false;
            }
            cluster.now = menu.alarm();
            return true;
        }
        trace.run(pick());
        operator.events();
        cluster.now += chance.below((int) tick);
        steps++;
        return true;
    }

    private double weight(Move move) {
        return scenario.slow.contains(move) ? SLOW : weights.get(move);
    }

    private Menu.Offer pick() {
        double total = 0;
        for (var offer : menu.offers()) {
            if (offer.move() == Move.PEOPLE) {
                return offer;
            }
            total += weight(offer.move());
        }
        var drawn = chance.share() * total;
        for (var offer : menu.offers()) {
            drawn -= weight(offer.move());
            if (drawn <= 0) {
                return offer;
            }
        }
        return menu.offers().getLast();
    }
}
