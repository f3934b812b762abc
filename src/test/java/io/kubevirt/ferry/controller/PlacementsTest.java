package io.kubevirt.ferry.controller;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlacementsTest {
    private static final Instant NOW = Instant.parse("2030-01-01T00:00:30Z");

    @ParameterizedTest
    @CsvSource({
        "2030-01-01T00:00:30Z, 10",
        "2030-01-01T00:00:23Z, 3",
        "2030-01-01T00:00:20Z, 0",
        // Written by a replica whose clock is an hour ahead: the words must not stand for an hour.
        "2030-01-01T01:00:30Z, 0",
        "yesterday, 0",
    })
    void wordsStandForAMomentAndNoLonger(String written, long seconds) {
        ObjectNode condition = JsonNodeFactory.instance.objectNode().put("lastProbeTime", written);

        assertThat(Placements.untilWordsMayChange(condition, NOW).map(Duration::toSeconds))
                .isEqualTo(Optional.of(seconds).filter(left -> left > 0));
    }
}
