package io.kubevirt.ferry.standin;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;

/** Pauses between the steps of what happens on a machine, each counted from when it was first asked for. */
final class Timers {

    private record Step(String uid, String name) {}

    private final ConcurrentMap<Step, Long> begun = new ConcurrentHashMap<>();

    /**
     * Whether the pause is over.
     *
     * @param again told how long it still takes, when it is not
     */
    boolean passed(String uid, String step, Duration pause, Consumer<Duration> again) {
        long since = begun.computeIfAbsent(new Step(uid, step), first -> System.nanoTime());
        Duration left = pause.minusNanos(System.nanoTime() - since);
        if (!left.isPositive()) {
            return true;
        }
        again.accept(left);
        return false;
    }

    /** Forgets all pauses of an object. */
    void forget(String uid) {
        begun.keySet().removeIf(step -> step.uid().equals(uid));
    }
}
