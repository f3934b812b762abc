package io.kubevirt.ferry.placement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ListedTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a             | a",
                "a b           | a and b",
                "a b c         | a, b and c",
                "a b c d       | a, b, c and 1 more",
                "a b c d e f g | a, b, c and 4 more",
            })
    void atMostThreeThenACount(String words, String listed) {
        assertThat(Listed.of(List.of(words.split(" ")), 3)).isEqualTo(listed);
    }
}
