package io.kubevirt.ferry.manager;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class CaBundleTest {
    private static String ca() {
        return ServingCertificate.issue(List.of("here.svc"), Instant.now(), Duration.ofDays(1))
                .ca();
    }

    @Test
    void eachReplicaAddsItsOwnAndLeavesThatOfTheOther() {
        String one = ca();
        String other = ca();

        CaBundle both = CaBundle.of(CaBundle.of(null).with(one).encoded()).with(other);

        assertThat(both.contains(one)).isTrue();
        assertThat(both.contains(other)).isTrue();
        assertThat(both.with(one)).isEqualTo(both);
    }

    @Test
    void theOldestGoesWhereThereAreTooMany() {
        String first = ca();
        CaBundle bundle = CaBundle.of(null).with(first);
        for (int i = 0; i < 6; i++) {
            assertThat(bundle.contains(first)).isTrue();
            bundle = bundle.with(ca());
        }

        assertThat(bundle.contains(first)).isFalse();
        assertThat(bundle.certificates()).hasSize(6);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "not base64 ~", "bm90aGluZw=="})
    void whatCannotBeReadIsReplaced(String encoded) {
        String own = ca();

        assertThat(CaBundle.of(encoded).with(own).certificates()).hasSize(1);
    }
}
