package io.kubevirt.ferry.volumes.simulation;

import java.time.Instant;

/** The simulated clock as the API writes times. */
final class Times {
    private static final long EPOCH = Instant.parse("2030-01-01T00:00:00Z").toEpochMilli();

    private Times() {}

    static Instant instant(long now) {
        return Instant.ofEpochMilli(EPOCH + now);
    }

    /** RFC 3339, whole seconds. */
    static String text(long now) {
        return Instant.ofEpochSecond((EPOCH + now) / 1000).toString();
    }
}
