package io.kubevirt.ferry.volumes.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubevirt.ferry.api.Verdict;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The safety laws hold whatever happens. With {@code -Dsimulation.seed} only that schedule is run. */
class SimulationTest {
    private static final int SCHEDULES = 10_000;

    /** A target pod's attachments are built of other volumes only when the VM is put back under a migration. */
    private static final Set<Subtlety> PREVENTED = EnumSet.of(Subtlety.ATTACHED_ELSEWHERE);

    @Test
    void theLawsHold() {
        var simulation = new Simulation(Cores.PROTOCOL);
        var seed = Long.getLong("simulation.seed");
        if (seed != null) {
            assertThat(simulation.run(seed)).isEmpty();
            return;
        }
        assertThat(simulation.run(1, SCHEDULES)).isEmpty();
        System.out.println(simulation.coverage);
        assertThat(simulation.coverage.missing(wanted())).isEmpty();
    }

    private static Set<String> wanted() {
        return Stream.of(
                        Arrays.stream(Move.values()).map(move -> "transition " + move),
                        Arrays.stream(Subtlety.values())
                                .filter(subtlety -> !PREVENTED.contains(subtlety))
                                .map(subtlety -> "subtlety " + subtlety),
                        Arrays.stream(Event.values()).map(event -> "people " + event),
                        Arrays.stream(Verdict.values()).map(verdict -> "verdict " + verdict))
                .flatMap(all -> all)
                .collect(Collectors.toSet());
    }
}
