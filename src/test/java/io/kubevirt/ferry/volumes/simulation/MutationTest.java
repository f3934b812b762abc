package io.kubevirt.ferry.volumes.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubevirt.ferry.volumes.Mutation;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A wrong decision core breaks the law, and is caught: a law that nothing breaks says nothing. */
class MutationTest {
    private static final int SCHEDULES = 3_000;

    @ParameterizedTest
    @EnumSource
    void isCaught(Mutation mutation) {
        var law = Law.numbered(mutation.law());
        var core = Cores.of(mutation);
        assertThat(law == Law.SAME_END ? SameEnd.isBroken(core) : breaks(core, law))
                .as("%s breaks %s", mutation, law)
                .isTrue();
    }

    private static boolean breaks(Core core, Law law) {
        return new Simulation(core)
                .first(1, SCHEDULES, failure -> failure.breaks(law))
                .isPresent();
    }

    @Test
    void eachLawHasOne() {
        assertThat(Arrays.stream(Mutation.values())
                        .map(mutation -> Law.numbered(mutation.law()))
                        .collect(Collectors.toSet()))
                .containsExactlyInAnyOrder(Law.values());
    }
}
