package io.kubevirt.ferry.volumes.simulation;

import io.kubevirt.ferry.volumes.Action;
import io.kubevirt.ferry.volumes.Decision;
import io.kubevirt.ferry.volumes.Observation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Our operator, and those of its former selves that were paused and do not know that they were replaced. */
final class Operator implements Actor {
    private static final int PAUSED_AT_ONCE = 3;

    private final Cluster cluster;
    private final Core core;
    private final Executor executor;
    private final Faults faults;
    private final Supplier<Mishap> mishaps;
    private final Chance chance;
    private final VmController caches;
    private final Trace trace;
    private final ReadModels models;
    private final Map<Request, Worker> workers = new LinkedHashMap<>();
    private final List<Worker> late = new ArrayList<>();

    Operator(
            Cluster cluster,
            Core core,
            Executor executor,
            ReadModels models,
            Faults faults,
            Supplier<Mishap> mishaps,
            Chance chance,
            VmController caches,
            Trace trace) {
        this.cluster = cluster;
        this.core = core;
        this.executor = executor;
        this.models = models;
        this.faults = faults;
        this.mishaps = mishaps;
        this.chance = chance;
        this.caches = caches;
        this.trace = trace;
    }

    @Override
    public void offer(Menu menu) {
        for (var request : cluster.requests.values()) {
            workers.computeIfAbsent(request, r -> new Worker(this, r));
        }
        workers.keySet()
                .removeIf(request -> cluster.requests.get(request.name) != request
                        && !workers.get(request).busy());
        for (var worker : workers.values()) {
            worker.offer(menu);
        }
        for (var paused : late) {
            menu.wakeAt(paused.until(), cluster.now);
            if (cluster.now < paused.until()) {
                continue;
            }
            menu.offer(Move.OPERATOR_LATE, "paused", () -> {
                paused.perform();
                if (!paused.aboutToWrite()) {
                    late.remove(paused);
                }
            });
        }
    }

    /** Draws which changes the operator is not told of, and which it is told of twice. */
    void events() {
        if (chance.of(faults.lostEvent)) {
            workers.values().forEach(Worker::miss);
        } else if (chance.of(faults.repeatedEvent)) {
            workers.values().forEach(Worker::hear);
        }
    }

    /** Watches are taken up anew in the end, and nothing stays untold. */
    void relist() {
        workers.values().forEach(Worker::hear);
    }

    Mishap mishap() {
        var mishap = mishaps.get();
        if (mishap != Mishap.NONE) {
            trace.note("-- mishap: " + mishap);
        }
        return (mishap == Mishap.PAUSE || mishap == Mishap.LONG_PAUSE) && late.size() >= PAUSED_AT_ONCE
                ? Mishap.CRASH_BEFORE
                : mishap;
    }

    /** The process ends and another begins. */
    void restart() {
        var at = cluster.now + (chance.of(0.2) ? chance.between(1_000, 30_000) : 0);
        workers.values().forEach(worker -> worker.restart(at));
    }

    /** The process is paused before the write, and another begins. */
    void pause(Worker before, long pause) {
        late.add(before.detached(cluster.now + pause));
        restart();
    }

    long now() {
        return cluster.now;
    }

    long changes() {
        return cluster.versions();
    }

    boolean interrupted() {
        return chance.of(faults.slowRead);
    }

    Reading reading(Request request) {
        return new Reading(cluster, models, request, () -> chance.of(0.5) ? caches.cachedVm : cluster.vm);
    }

    Decision decide(Observation observation) {
        var decision = core.decide(observation, Times.instant(cluster.now));
        decision.action().ifPresent(action -> trace.note("-- decides " + action));
        return decision;
    }

    boolean record(Request request, Worker.Recording recording) {
        return refused(executor.record(request, recording));
    }

    boolean act(Action action, long looked) {
        trace.note("-- " + action);
        return refused(executor.execute(action, looked));
    }

    private boolean refused(boolean done) {
        if (!done) {
            trace.note("-- refused");
        }
        return done;
    }
}
