package io.kubevirt.ferry.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class QuotedTest {

    static Stream<Arguments> texts() {
        return Stream.of(
                arguments("node-1", "\"node-1\""),
                arguments("", "\"\""),
                arguments("a b", "\"a b\""),
                arguments("größe 日本 😀", "\"größe 日本 😀\""),
                arguments("say \"a\\b\"", "\"say \\\"a\\\\b\\\"\""),
                arguments("a\nb\tc\u0000", "\"a\\u000ab\\u0009c\\u0000\""),
                arguments("no\u00A0break", "\"no\\u00a0break\""),
                arguments("right\u202Eleft", "\"right\\u202eleft\""),
                arguments("\u2028", "\"\\u2028\""),
                arguments("half \uD800", "\"half \\ud800\""),
                arguments("tag \uDB40\uDC41", "\"tag \\U000e0041\""),
                arguments("x".repeat(80), "\"" + "x".repeat(80) + "\""),
                arguments("x".repeat(81), "\"" + "x".repeat(80) + "…\""),
                arguments("😀".repeat(81), "\"" + "😀".repeat(80) + "…\""));
    }

    @ParameterizedTest
    @MethodSource("texts")
    void showsEveryCharacterOnOneLineAndNotTooManyOfThem(String text, String shown) {
        assertThat(Quoted.of(text)).isEqualTo(shown);
    }
}
