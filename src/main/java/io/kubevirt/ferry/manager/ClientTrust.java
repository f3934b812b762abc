package io.kubevirt.ferry.manager;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets a client into the webhook port by its certificate, as {@link WebhookClients} says. The file of the CA may change. */
public final class ClientTrust extends X509ExtendedTrustManager {
    private static final Logger log = LoggerFactory.getLogger(ClientTrust.class);

    private final WebhookClients clients;
    private String last;
    private volatile X509TrustManager trusted;

    /**
     * Reads the file.
     *
     * @throws CertificateException if there is no certificate in it; the message says so
     */
    public ClientTrust(WebhookClients clients) throws CertificateException {
        this.clients = clients;
        this.last = read();
        this.trusted = trusting(last);
    }

    /** Follows the file. What is no CA is told once, and the one before it goes on. */
    synchronized void look() {
        String now = read();
        if (now.equals(last)) {
            return;
        }
        last = now;
        try {
            trusted = trusting(now);
            log.info("clients of the webhooks are verified with the new CA in {}", clients.ca());
        } catch (CertificateException e) {
            log.error("{}: {}; goes on with the CA that it had", clients.ca(), e.getMessage());
        }
    }

    /** Empty where it cannot be read: there is no certificate in that either. */
    private String read() {
        try {
            return Files.readString(clients.ca());
        } catch (IOException e) {
            return "";
        }
    }

    private static X509TrustManager trusting(String pem) throws CertificateException {
        List<X509Certificate> certificates = Pem.certificates(pem);
        if (certificates.isEmpty()) {
            throw new CertificateException("it is not there, cannot be read, or has no certificate in PEM");
        }
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (X509Certificate certificate : certificates) {
                store.setCertificateEntry("ca-" + store.size(), certificate);
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            return Arrays.stream(factory.getTrustManagers())
                    .filter(X509TrustManager.class::isInstance)
                    .map(X509TrustManager.class::cast)
                    .findFirst()
                    .orElseThrow();
        } catch (GeneralSecurityException | IOException e) {
            throw new CertificateException(e);
        }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        trusted.checkClientTrusted(chain, type);
        Set<String> names = clients.names();
        String name = commonName(chain[0]);
        if (!names.isEmpty() && !names.contains(name)) {
            throw new CertificateException("--webhook-client-name does not name \"" + name + "\"");
        }
    }

    /** Empty where there is none. */
    private static String commonName(X509Certificate certificate) throws CertificateException {
        try {
            return new LdapName(certificate.getSubjectX500Principal().getName())
                    .getRdns().stream()
                            .filter(part -> part.getType().equalsIgnoreCase("CN"))
                            .map(Rdn::getValue)
                            .map(String::valueOf)
                            .findFirst()
                            .orElse("");
        } catch (InvalidNameException e) {
            throw new CertificateException("its subject cannot be read", e);
        }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        checkClientTrusted(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        checkClientTrusted(chain, type);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        throw new CertificateException("only clients are verified here");
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        checkServerTrusted(chain, type);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        checkServerTrusted(chain, type);
    }

    /** Clients are not told which CAs there are: whoever picked by that would not follow a change of the file. */
    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }
}
