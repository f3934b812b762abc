package io.kubevirt.ferry.controller;

import java.time.Duration;
import java.time.Instant;

/** Growing pauses between writes that somebody else undoes again and again. Not for several threads. */
final class Pauses {
    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofMinutes(5);

    /** When nothing was undone for so long, the first pause comes first again. */
    private static final Duration FORGOTTEN = LONGEST.multipliedBy(2);

    private Instant last = Instant.MIN;
    private Duration pause = Duration.ZERO;

    /** How long to wait before the next write; zero or less: not at all. */
    Duration wait(Instant now) {
        return isForgotten(now) ? Duration.ZERO : Duration.between(now, last.plus(pause));
    }

    /** A write was made. */
    void happened(Instant now) {
        Duration next = isForgotten(now) || pause.isZero() ? SHORTEST : pause.multipliedBy(2);
        pause = next.compareTo(LONGEST) < 0 ? next : LONGEST;
        last = now;
    }

    private boolean isForgotten(Instant now) {
        return last.equals(Instant.MIN) || last.plus(FORGOTTEN).isBefore(now);
    }
}
