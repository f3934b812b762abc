package io.kubevirt.ferry.manager;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** What a client trusts. */
public final class Trust {
    private Trust() {}

    /** The CA of a certificate, and no other. */
    static SSLContext in(ServingCertificate certificate) {
        return in(certificate.ca());
    }

    /** The CA with this certificate in PEM, and no other. */
    public static SSLContext in(String ca) {
        try {
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            trusted.setCertificateEntry(
                    "ca",
                    CertificateFactory.getInstance("X.509")
                            .generateCertificate(new ByteArrayInputStream(ca.getBytes(StandardCharsets.UTF_8))));
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (java.security.GeneralSecurityException | java.io.IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
