package io.kubevirt.ferry.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubevirt.ferry.placement.KubernetesComparison.Split;
import io.kubevirt.ferry.placement.RandomCase.Kind;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class KubernetesComparisonIT {

    private static final int CASES = 21_000;
    private static final long SEED = Long.getLong("placement.seed", 1);

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void kubernetesSaysTheSameOfEveryRandomCase() {
        try (var comparison = KubernetesComparison.start()) {
            int cases = 0;
            for (long seed = SEED; cases < CASES; seed++) {
                cases += comparison.batch(seed);
            }
            Split split = comparison.split();
            System.out.printf("%,d random terms as Kubernetes has them, seed %d. %s%n", cases, SEED, split);
            assertThat(split.accepted(Kind.ACCEPTED)).isEqualTo(cases / 3);
            assertThat(split.refused(Kind.REFUSED)).isEqualTo(cases / 3);
            assertThat(split.accepted(Kind.EDGE)).isGreaterThan(cases / 20);
            assertThat(split.refused(Kind.EDGE)).isGreaterThan(cases / 20);
        }
    }
}
