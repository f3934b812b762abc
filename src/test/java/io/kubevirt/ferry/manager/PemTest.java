package io.kubevirt.ferry.manager;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.util.io.pem.PemObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PemTest {
    private final ServingCertificate one = issue();
    private final ServingCertificate other = issue();

    @ParameterizedTest
    @ValueSource(strings = {"RSA", "EC", "Ed25519"})
    void aKeyIsReadAsPkcs8(String algorithm) throws Exception {
        PrivateKey key =
                KeyPairGenerator.getInstance(algorithm).generateKeyPair().getPrivate();

        assertThat(Pem.key(pem(new JcaPKCS8Generator(key, null)))).hasValue(key);
    }

    @Test
    void aKeyIsReadAsPkcs1() throws Exception {
        PrivateKey key = KeyPairGenerator.getInstance("RSA").generateKeyPair().getPrivate();

        assertThat(pem(key)).startsWith("-----BEGIN RSA PRIVATE KEY-----");
        assertThat(Pem.key(pem(key))).hasValue(key);
    }

    @Test
    void aKeyIsReadAsSec1() throws Exception {
        KeyPair keys = ec();

        assertThat(Pem.key(sec1(keys)).map(PrivateKey::getAlgorithm)).hasValue("EC");
        assertThat(Pem.key(sec1(keys)).map(key -> ((ECPrivateKey) key).getS()))
                .hasValue(((ECPrivateKey) keys.getPrivate()).getS());
    }

    @Test
    void whatStandsBeforeAKeyIsLeftAside() throws Exception {
        String parameters = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";

        assertThat(Pem.key(parameters + sec1(ec()))).isPresent();
        assertThat(Pem.key(one.certificate() + one.key())).isPresent();
    }

    @Test
    void certificatesKeepTheirOrder() {
        String text = "# the chain\n" + one.certificate() + "\n" + one.key() + other.ca();

        assertThat(Pem.certificates(text))
                .containsExactly(
                        Pem.certificates(one.certificate()).getFirst(),
                        Pem.certificates(other.ca()).getFirst());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "garbage",
                "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
                "-----BEGIN CERTIFICATE-----\n*\n-----END CERTIFICATE-----",
                "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----",
                "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
                "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----",
                "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----",
                "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----"
            })
    void whatIsNeitherIsNeither(String text) {
        assertThat(Pem.certificates(text)).isEmpty();
        assertThat(Pem.key(text)).isEmpty();
    }

    @Test
    void oneBadCertificateSpoilsAll() {
        assertThat(Pem.certificates(
                        one.certificate() + "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"))
                .isEmpty();
    }

    private static KeyPair ec() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return generator.generateKeyPair();
    }

    /** As OpenSSL and Go write it, with its curve and public key. */
    private static String sec1(KeyPair keys) throws IOException {
        var publicKey = SubjectPublicKeyInfo.getInstance(keys.getPublic().getEncoded());
        var key = new org.bouncycastle.asn1.sec.ECPrivateKey(
                256,
                ((ECPrivateKey) keys.getPrivate()).getS(),
                publicKey.getPublicKeyData(),
                publicKey.getAlgorithm().getParameters());
        return pem(new PemObject("EC PRIVATE KEY", key.getEncoded()));
    }

    private static ServingCertificate issue() {
        return ServingCertificate.issue(List.of("localhost"), Instant.now(), Duration.ofDays(1));
    }

    private static String pem(Object object) throws IOException {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            writer.writeObject(object);
        }
        return text.toString();
    }
}
