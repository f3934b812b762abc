package io.kubevirt.ferry.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.Toleration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ToleranceTest {

    private static final Taint GPU = new Taint("NoSchedule", "gpu", null, "true");

    private static Toleration toleration(
            @Nullable String key, @Nullable String operator, @Nullable String value, @Nullable String effect) {
        return new Toleration(effect, key, operator, null, value);
    }

    static Stream<Arguments> tolerations() {
        return Stream.of(
                arguments(toleration("gpu", "Equal", "true", "NoSchedule"), true),
                arguments(toleration("gpu", "Equal", "true", null), true),
                arguments(toleration("gpu", "Equal", "true", ""), true),
                arguments(toleration("gpu", null, "true", "NoSchedule"), true),
                arguments(toleration("gpu", "", "true", "NoSchedule"), true),
                arguments(toleration("gpu", "Equal", "false", "NoSchedule"), false),
                arguments(toleration("gpu", "Equal", null, "NoSchedule"), false),
                arguments(toleration("gpu", "Equal", "true", "NoExecute"), false),
                arguments(toleration("tpu", "Equal", "true", "NoSchedule"), false),
                arguments(toleration("gpu", "Exists", null, "NoSchedule"), true),
                arguments(toleration("gpu", "Exists", null, null), true),
                arguments(toleration("gpu", "Exists", null, "NoExecute"), false),
                arguments(toleration("tpu", "Exists", null, null), false),
                arguments(toleration(null, "Exists", null, null), true),
                arguments(toleration("", "Exists", null, "NoSchedule"), true),
                arguments(toleration(null, "Exists", null, "NoExecute"), false),
                arguments(toleration("gpu", "exists", null, null), false),
                arguments(toleration("gpu", "Gt", "0", null), false),
                arguments(toleration("gpu", "Lt", "9", null), false));
    }

    @ParameterizedTest
    @MethodSource("tolerations")
    void aTaintIsTolerated(Toleration toleration, boolean tolerated) {
        assertThat(new Tolerance(List.of(toleration)).tolerates(GPU)).isEqualTo(tolerated);
        assertThat(new Tolerance(List.of(toleration)).isKeptOffBy(GPU)).isNotEqualTo(tolerated);
    }

    @Test
    void aTaintWithoutAValueEqualsOneWithAnEmptyValue() {
        var taint = new Taint("NoSchedule", "gpu", null, null);
        assertThat(new Tolerance(List.of(toleration("gpu", "Equal", "", null))).tolerates(taint))
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource({"NoSchedule,true", "NoExecute,true", "PreferNoSchedule,false", "Whatever,false", ",false"})
    void whatEffectKeepsAPodOff(@Nullable String effect, boolean keptOff) {
        assertThat(new Tolerance(List.of()).isKeptOffBy(new Taint(effect, "gpu", null, "true")))
                .isEqualTo(keptOff);
    }

    @Test
    void oneTolerationOfSeveralIsEnough() {
        var tolerance = new Tolerance(
                List.of(toleration("tpu", "Exists", null, null), toleration("gpu", "Exists", null, null)));
        assertThat(tolerance.tolerates(GPU)).isTrue();
    }

    @Test
    void forHowLongDoesNotMatter() {
        var toleration = new Toleration("NoExecute", "gpu", "Exists", 0L, null);
        assertThat(new Tolerance(List.of(toleration)).isKeptOffBy(new Taint("NoExecute", "gpu", null, null)))
                .isFalse();
    }
}
