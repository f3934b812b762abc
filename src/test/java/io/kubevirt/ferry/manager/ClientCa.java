package io.kubevirt.ferry.manager;

import java.io.IOException;
import java.io.StringWriter;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Date;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** A CA that makes certificates for clients. */
record ClientCa(KeyPair keys, X509Certificate certificate) {
    private static final char[] PASSWORD = "test".toCharArray();

    /** A client's certificate, with its key. */
    record Client(KeyPair keys, X509Certificate certificate) {
        /** In PEM. */
        String certificateText() {
            return pem(certificate);
        }

        /** In PEM. */
        String keyText() {
            try {
                return pem(new JcaPKCS8Generator(keys.getPrivate(), null).generate());
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        /** Shows it to a server that is trusted for its certificate. */
        SSLContext towards(ServingCertificate server) {
            try {
                KeyStore store = empty();
                store.setKeyEntry("client", keys.getPrivate(), PASSWORD, new X509Certificate[] {certificate});
                KeyManagerFactory shown = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
                shown.init(store, PASSWORD);
                KeyStore trusted = empty();
                trusted.setCertificateEntry("ca", Pem.certificates(server.ca()).getFirst());
                TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
                trust.init(trusted);
                SSLContext context = SSLContext.getInstance("TLS");
                context.init(shown.getKeyManagers(), trust.getTrustManagers(), null);
                return context;
            } catch (GeneralSecurityException | IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static ClientCa create() {
        try {
            KeyPair keys = newKeys();
            X500Principal name = new X500Principal("CN=clients");
            return new ClientCa(
                    keys,
                    sign(
                            keys,
                            builder(name, name, keys)
                                    .addExtension(Extension.basicConstraints, true, new BasicConstraints(0))));
        } catch (GeneralSecurityException | IOException | OperatorCreationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A certificate of this CA for a common name. */
    Client client(String name) {
        try {
            KeyPair client = newKeys();
            X500Principal issuer = certificate.getSubjectX500Principal();
            return new Client(
                    client,
                    sign(
                            keys,
                            builder(issuer, new X500Principal("CN=" + name), client)
                                    .addExtension(
                                            Extension.extendedKeyUsage,
                                            false,
                                            new ExtendedKeyUsage(KeyPurposeId.id_kp_clientAuth))));
        } catch (GeneralSecurityException | IOException | OperatorCreationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** In PEM. */
    String text() {
        return pem(certificate);
    }

    private static JcaX509v3CertificateBuilder builder(X500Principal issuer, X500Principal subject, KeyPair keys) {
        Instant now = Instant.now();
        return new JcaX509v3CertificateBuilder(
                issuer,
                BigInteger.valueOf(System.nanoTime()),
                Date.from(now.minus(1, ChronoUnit.HOURS)),
                Date.from(now.plus(1, ChronoUnit.DAYS)),
                subject,
                keys.getPublic());
    }

    private static X509Certificate sign(KeyPair issuer, X509v3CertificateBuilder certificate)
            throws GeneralSecurityException, OperatorCreationException {
        return new JcaX509CertificateConverter()
                .getCertificate(
                        certificate.build(new JcaContentSignerBuilder("SHA256withECDSA").build(issuer.getPrivate())));
    }

    private static KeyPair newKeys() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return generator.generateKeyPair();
    }

    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        return store;
    }

    private static String pem(Object object) {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            writer.writeObject(object);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return text.toString();
    }
}
