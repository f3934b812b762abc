package io.kubevirt.ferry.manager;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class WatchdogTest {
    private static final Instant START = Instant.parse("2026-06-01T12:00:00Z");

    private final List<String> dead = new ArrayList<>();
    private final AtomicBoolean apiAnswers = new AtomicBoolean(true);
    private final Watchdog watchdog = new Watchdog(() -> dead, apiAnswers::get, Duration.ofMinutes(1));

    @Test
    void aWatchThatComesBackInTimeIsNoFault() {
        dead.add("pods");
        assertThat(watchdog.look(START)).isEmpty();
        dead.clear();
        assertThat(watchdog.look(START.plusSeconds(30))).isEmpty();
        dead.add("pods");
        assertThat(watchdog.look(START.plusSeconds(61))).isEmpty();
    }

    @Test
    void aWatchThatStaysDeadIsNamed() {
        dead.add("pods");
        assertThat(watchdog.look(START)).isEmpty();
        assertThat(watchdog.look(START.plusSeconds(60)))
                .hasValueSatisfying(fault -> assertThat(fault).contains("pods"));
    }

    @Test
    void anApiServerThatDoesNotAnswerIsNoFaultOfOurs() {
        dead.add("pods");
        apiAnswers.set(false);
        assertThat(watchdog.look(START)).isEmpty();
        assertThat(watchdog.look(START.plusSeconds(600))).isEmpty();
        apiAnswers.set(true);
        assertThat(watchdog.look(START.plusSeconds(610))).isEmpty();
    }
}
