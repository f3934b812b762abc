package io.kubevirt.ferry.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AdmissionFuzzerTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void randomReviewsAreAnsweredAndOnlyNarrow(long seed) {
        try (AdmissionFuzzer fuzzer = new AdmissionFuzzer()) {
            assertThat(fuzzer.batch(seed)).isEqualTo(5_000);
            assertThat(fuzzer.batch(seed)).isEqualTo(5_000);
            assertThat(fuzzer.figures()).startsWith("slowest of 5,000 answers ");
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void theSameSeedGivesTheSameReviews(long seed) {
        for (int number = 0; number < 200; number++) {
            assertThat(sent(seed, number)).isEqualTo(sent(seed, number));
        }
    }

    private static List<String> sent(long seed, int number) {
        RandomReview review = RandomReview.of(seed, number);
        SplittableRandom mutations = RandomReview.random(seed, -1 - number);
        return Stream.concat(
                        Stream.of(review.bytes()),
                        Stream.generate(() -> review.mutated(mutations)).limit(4))
                .map(bytes -> new String(bytes, StandardCharsets.ISO_8859_1))
                .toList();
    }
}
