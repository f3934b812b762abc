package io.kubevirt.ferry.admission;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AdmissionFuzzerTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void randomReviewsAreAnsweredAndOnlyNarrow(long seed) {
        try (AdmissionFuzzer fuzzer = new AdmissionFuzzer()) {
            assertThat(fuzzer.batch(seed)).isEqualTo(5_000);
        }
    }
}
