package io.kubevirt.ferry.manager;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.math.BigInteger;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.stream.Stream;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CertificateChecksTest {
    private static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");
    private static final List<String> HOSTS = List.of("webhook.ferry.svc", "10.0.0.1");

    private final ServingCertificate certificate = ServingCertificate.issue(HOSTS, NOW, Duration.ofDays(90));

    static Stream<Damaged> damages() {
        return Damaged.ways(HOSTS, NOW);
    }

    @ParameterizedTest
    @MethodSource("damages")
    void whatTheApiServerCouldNotVerifyIsToldInTheSecretsOwnWords(Damaged damaged) {
        assertThat(CertificateChecks.fault(damaged.certificate(), NOW))
                .hasValueSatisfying(fault -> assertThat(fault).startsWith(damaged.fault()));
    }

    @Test
    void whatWasIssuedCanBeServed() {
        assertThat(CertificateChecks.fault(certificate, NOW)).isEmpty();
        assertThat(CertificateChecks.unnamed(certificate, HOSTS)).isEmpty();
        assertThat(CertificateChecks.unnamed(certificate, List.of("elsewhere.svc", "WEBHOOK.ferry.svc")))
                .containsExactly("elsewhere.svc");
    }

    @Test
    void theCaMayStandBehindTheCertificateAndBesideOthers() {
        ServingCertificate other = ServingCertificate.issue(HOSTS, NOW, Duration.ofDays(90));

        assertThat(CertificateChecks.fault(
                        new ServingCertificate(
                                other.ca() + certificate.ca(),
                                certificate.certificate() + certificate.ca(),
                                certificate.key()),
                        NOW))
                .isEmpty();
    }

    /** cert-manager's self-signed issuer gives such: RSA, the key as PKCS #1, the certificate its own CA. */
    @Test
    void aSelfSignedRsaCertificateCanBeServed() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        KeyPair keys = generator.generateKeyPair();
        X500Principal name = new X500Principal("CN=x");
        String own = pem(new JcaX509v3CertificateBuilder(
                        name,
                        BigInteger.ONE,
                        Date.from(NOW.minusSeconds(60)),
                        Date.from(NOW.plusSeconds(3600)),
                        name,
                        keys.getPublic())
                .build(new JcaContentSignerBuilder("SHA256withRSA").build(keys.getPrivate())));
        String key = pem(keys.getPrivate());

        assertThat(key).startsWith("-----BEGIN RSA PRIVATE KEY-----");
        assertThat(CertificateChecks.fault(new ServingCertificate(own, own, key), NOW))
                .isEmpty();
    }

    private static String pem(Object object) throws Exception {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            writer.writeObject(object);
        }
        return text.toString();
    }
}
