package io.kubevirt.ferry.manager;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * A certificate for the HTTPS server and the CA that signed it, in PEM. The CA's key is thrown away: it signs once.
 *
 * @param ca for the {@code caBundle} of webhook configurations
 * @param certificate what the server shows
 * @param key of the certificate, PKCS #8
 */
public record ServingCertificate(String ca, String certificate, String key) {
    /**
     * Makes a CA and a certificate signed by it, both good from a little before now.
     *
     * @param hosts DNS names or IP addresses that the certificate is for, the first as common name
     */
    public static ServingCertificate issue(List<String> hosts, Instant now, Duration lifetime) {
        return CertificateAuthority.issue(hosts, now, lifetime);
    }

    /** Whether two thirds of its life are over; a certificate that cannot be read is always due. */
    public boolean isDue(Instant now) {
        return Pem.certificates(certificate).stream()
                .findFirst()
                .map(parsed -> renewal(
                        parsed.getNotBefore().toInstant(), parsed.getNotAfter().toInstant()))
                .filter(now::isBefore)
                .isEmpty();
    }

    private static Instant renewal(Instant from, Instant until) {
        return from.plus(Duration.between(from, until).multipliedBy(2).dividedBy(3));
    }
}
