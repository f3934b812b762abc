package io.kubevirt.ferry.manager;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.operator.ContentSigner;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * Signs serving certificates, each as a CA of its own. Apart from {@link ServingCertificate}, because BouncyCastle's signed
 * archives, whose lists of digests the JVM reads whole, are then left alone by a manager that finds a good certificate.
 */
final class CertificateAuthority {
    private static final Duration BACKDATED = Duration.ofMinutes(5);
    private static final SecureRandom RANDOM = new SecureRandom();

    private CertificateAuthority() {}

    static ServingCertificate issue(List<String> hosts, Instant now, Duration lifetime) {
        try {
            KeyPair caKeys = keys();
            KeyPair keys = keys();
            X500Principal caName = new X500Principal("CN=kubevirt-ferry-ca");
            Date from = Date.from(now.minus(BACKDATED));
            Date until = Date.from(now.plus(lifetime));
            ContentSigner signer = new JcaContentSignerBuilder("SHA256withECDSA").build(caKeys.getPrivate());

            X509CertificateHolder ca = new JcaX509v3CertificateBuilder(
                            caName, serial(), from, until, caName, caKeys.getPublic())
                    .addExtension(Extension.basicConstraints, true, new BasicConstraints(0))
                    .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign))
                    .build(signer);
            X509CertificateHolder certificate = new JcaX509v3CertificateBuilder(
                            caName,
                            serial(),
                            from,
                            until,
                            new X500Principal("CN=" + hosts.getFirst()),
                            keys.getPublic())
                    .addExtension(Extension.subjectAlternativeName, false, names(hosts))
                    .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature))
                    .addExtension(
                            Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth))
                    .build(signer);
            return new ServingCertificate(
                    pem(ca), pem(certificate), pem(new JcaPKCS8Generator(keys.getPrivate(), null)));
        } catch (GeneralSecurityException | OperatorCreationException e) {
            throw new IllegalStateException("this JVM cannot make an ECDSA certificate", e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static KeyPair keys() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return generator.generateKeyPair();
    }

    private static BigInteger serial() {
        return new BigInteger(Long.SIZE * 2, RANDOM).abs().add(BigInteger.ONE);
    }

    private static GeneralNames names(List<String> hosts) {
        return new GeneralNames(hosts.stream()
                .map(host -> new GeneralName(isAddress(host) ? GeneralName.iPAddress : GeneralName.dNSName, host))
                .toArray(GeneralName[]::new));
    }

    private static boolean isAddress(String host) {
        return host.contains(":") || host.matches("[0-9.]+");
    }

    private static String pem(Object object) throws IOException {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            writer.writeObject(object);
        }
        return text.toString();
    }
}
