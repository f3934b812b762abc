package io.kubevirt.ferry.placement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SpellingTest {

    private static final List<String> KNOWN = List.of("matchExpressions", "matchFields", "key", "In", "NotIn", "Gt");

    @ParameterizedTest
    @CsvSource({
        "matchExpressions,matchExpressions",
        "MATCHEXPRESSIONS,matchExpressions",
        "matchExpression,matchExpressions",
        "matchExpresions,matchExpressions",
        "machtExpressions,matchExpressions",
        "match_fields,matchFields",
        "Key,key",
        "keys,key",
        "in,In",
        "Inn,In",
        "notin,NotIn",
    })
    void aWordNearAKnownOneIsTakenForIt(String word, String meant) {
        assertThat(Spelling.meant(word, KNOWN)).contains(meant);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "=", "matchLabels", "nodeSelector", "ky__", "abcdefgh"})
    void aWordFarFromAllIsNotGuessed(String word) {
        assertThat(Spelling.meant(word, KNOWN)).isEmpty();
    }

    @Test
    void aVeryLongWordIsNotLookedAt() {
        assertThat(Spelling.meant("a".repeat(41), List.of("a".repeat(41)))).isEmpty();
    }
}
