package io.kubevirt.ferry.manager;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/** Lets one thing in a period through and counts the rest: what anybody can cause must not flood the log. */
final class Seldom {
    private final long period;
    private final LongSupplier nanoTime;
    private OptionalLong last = OptionalLong.empty();
    private long leftOut;

    /**
     * @param nanoTime as {@link System#nanoTime}
     */
    Seldom(Duration period, LongSupplier nanoTime) {
        this.period = period.toNanos();
        this.nanoTime = nanoTime;
    }

    /** How many were left out since the last one that was let through; empty if this is to be left out too. */
    synchronized OptionalLong next() {
        long now = nanoTime.getAsLong();
        if (last.isPresent() && now - last.getAsLong() < period) {
            leftOut++;
            return OptionalLong.empty();
        }
        last = OptionalLong.of(now);
        OptionalLong before = OptionalLong.of(leftOut);
        leftOut = 0;
        return before;
    }
}
