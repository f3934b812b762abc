package io.kubevirt.ferry.volumes.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever happens with whichever single write of the operator, it comes to the same end. */
class SameEndTest {
    static Stream<SameEnd.Plot> plots() {
        return SameEnd.plots();
    }

    @ParameterizedTest
    @MethodSource("plots")
    void whateverHappensWithOneWrite(SameEnd.Plot plot) {
        assertThat(SameEnd.end(Cores.PROTOCOL, plot, () -> Mishap.NONE).violations())
                .isEmpty();
        assertThat(SameEnd.different(Cores.PROTOCOL, plot)).isEmpty();
    }
}
