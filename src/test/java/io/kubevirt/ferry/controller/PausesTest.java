package io.kubevirt.ferry.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class PausesTest {
    private static final Instant START = Instant.parse("2026-06-01T12:00:00Z");

    private final Pauses pauses = new Pauses();

    @Test
    void theFirstWriteWaitsForNothing() {
        assertThat(pauses.wait(START)).isZero();
    }

    @Test
    void eachFurtherWriteWaitsTwiceAsLongUpToFiveMinutes() {
        Instant now = START;
        for (long seconds : new long[] {1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300}) {
            pauses.happened(now);
            assertThat(pauses.wait(now)).isEqualTo(Duration.ofSeconds(seconds));
            now = now.plusSeconds(seconds);
        }
    }

    @Test
    void afterAQuietTimeItBeginsAnew() {
        pauses.happened(START);
        pauses.happened(START.plusSeconds(1));
        Instant later = START.plus(Duration.ofMinutes(11));

        assertThat(pauses.wait(later)).isZero();
        pauses.happened(later);
        assertThat(pauses.wait(later)).isEqualTo(Duration.ofSeconds(1));
    }
}
