package io.kubevirt.ferry.manager;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServingCertificateTest {
    private static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");
    private static final Duration LIFETIME = Duration.ofDays(90);
    private static final List<String> HOSTS = List.of("webhook.ferry.svc", "10.0.0.1");

    private final ServingCertificate certificate = ServingCertificate.issue(HOSTS, NOW, LIFETIME);

    @Test
    void isRenewedWhenTwoThirdsOfItsLifeAreOver() {
        assertThat(certificate.isDue(NOW.plus(Duration.ofDays(59)))).isFalse();
        assertThat(certificate.isDue(NOW.plus(Duration.ofDays(60)))).isTrue();
    }

    @Test
    void aTextThatIsNoCertificateIsAlwaysDue() {
        assertThat(new ServingCertificate("", "nothing", "").isDue(NOW)).isTrue();
    }
}
