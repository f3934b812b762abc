package io.kubevirt.ferry.manager;

import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertPathValidator;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Says whether the API server can verify what would be served with a certificate, and if not, why. Pure. */
final class CertificateChecks {
    private CertificateChecks() {}

    /** All that a check looks at. */
    private record Subject(
            List<X509Certificate> chain, Optional<PrivateKey> key, List<X509Certificate> authorities, Instant now) {}

    /** A check says what is wrong; nothing where nothing is. Those after it may rely on it. */
    private interface Check {
        Optional<String> fault(Subject subject);
    }

    private static final List<Check> CHECKS = List.of(
            subject -> subject.chain.isEmpty() ? Optional.of("tls.crt holds no certificate in PEM") : Optional.empty(),
            subject -> subject.key.isEmpty() ? Optional.of("tls.key holds no private key in PEM") : Optional.empty(),
            subject -> subject.authorities.isEmpty()
                    ? Optional.of("ca.crt holds no certificate in PEM")
                    : Optional.empty(),
            CertificateChecks::pair,
            CertificateChecks::time,
            CertificateChecks::signature);

    /** Why the certificate must not be served now; empty if it can be. */
    static Optional<String> fault(ServingCertificate certificate, Instant now) {
        Subject subject = new Subject(
                Pem.certificates(certificate.certificate()),
                Pem.key(certificate.key()),
                Pem.certificates(certificate.ca()),
                now);
        return CHECKS.stream()
                .map(check -> check.fault(subject))
                .flatMap(Optional::stream)
                .findFirst();
    }

    /** What the key signs, the certificate must verify. */
    private static Optional<String> pair(Subject subject) {
        PrivateKey key = subject.key.orElseThrow();
        byte[] text = {1, 2, 3};
        try {
            String algorithm = switch (key.getAlgorithm()) {
                case "EC", "ECDSA" -> "SHA256withECDSA";
                case "RSA" -> "SHA256withRSA";
                default -> key.getAlgorithm();
            };
            Signature signer = Signature.getInstance(algorithm);
            signer.initSign(key);
            signer.update(text);
            byte[] signature = signer.sign();
            Signature verifier = Signature.getInstance(algorithm);
            verifier.initVerify(subject.chain.getFirst().getPublicKey());
            verifier.update(text);
            if (verifier.verify(signature)) {
                return Optional.empty();
            }
        } catch (GeneralSecurityException e) {
            // Another kind of key than the certificate's.
        }
        return Optional.of("tls.key is not the key of tls.crt");
    }

    private static Optional<String> time(Subject subject) {
        X509Certificate own = subject.chain.getFirst();
        Instant from = own.getNotBefore().toInstant();
        Instant until = own.getNotAfter().toInstant();
        return subject.now.isBefore(from) || subject.now.isAfter(until)
                ? Optional.of("tls.crt is good from " + from + " to " + until)
                : Optional.empty();
    }

    /** The path as the API server, which trusts ca.crt alone, will try it. */
    private static Optional<String> signature(Subject subject) {
        X509Certificate own = subject.chain.getFirst();
        Set<TrustAnchor> anchors = subject.authorities.stream()
                .filter(ca -> ca.equals(own) || ca.getBasicConstraints() >= 0)
                .map(ca -> new TrustAnchor(ca, null))
                .collect(Collectors.toSet());
        Optional<String> fault = Optional.of("no CA in ca.crt signed tls.crt");
        if (anchors.isEmpty()) {
            return fault;
        }
        List<X509Certificate> path = subject.chain.stream()
                .filter(each -> each.equals(own) || !subject.authorities.contains(each))
                .toList();
        try {
            PKIXParameters parameters = new PKIXParameters(anchors);
            parameters.setRevocationEnabled(false);
            parameters.setDate(Date.from(subject.now));
            CertPathValidator.getInstance("PKIX")
                    .validate(CertificateFactory.getInstance("X.509").generateCertPath(path), parameters);
            return Optional.empty();
        } catch (GeneralSecurityException e) {
            return fault;
        }
    }

    /** The hosts that a certificate is not for. */
    static List<String> unnamed(ServingCertificate certificate, List<String> hosts) {
        List<X509Certificate> chain = Pem.certificates(certificate.certificate());
        Set<String> names = chain.isEmpty() ? Set.of() : names(chain.getFirst());
        return hosts.stream()
                .filter(host -> !names.contains(host.toLowerCase(Locale.ROOT)))
                .toList();
    }

    private static Set<String> names(X509Certificate certificate) {
        try {
            return Optional.ofNullable(certificate.getSubjectAlternativeNames()).stream()
                    .flatMap(names -> names.stream())
                    .map(name -> String.valueOf(name.get(1)).toLowerCase(Locale.ROOT))
                    .collect(Collectors.toSet());
        } catch (CertificateException e) {
            return Set.of();
        }
    }
}
