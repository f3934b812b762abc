package io.kubevirt.ferry.manager;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;

/** Reads certificates and keys in PEM. */
final class Pem {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN (?<label>[A-Z0-9 ]+)-----(?<base64>[^-]*)-----END \\k<label>-----");
    private static final List<String> ALGORITHMS = List.of("EC", "RSA", "EdDSA");

    private Pem() {}

    /** The certificates in a text, in order; none where one of them cannot be read. */
    static List<X509Certificate> certificates(String pem) {
        List<X509Certificate> found = new ArrayList<>();
        try {
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            for (MatchResult block : blocks(pem)) {
                if (block.group("label").equals("CERTIFICATE")) {
                    found.add((X509Certificate) factory.generateCertificate(new ByteArrayInputStream(decoded(block))));
                }
            }
            return List.copyOf(found);
        } catch (CertificateException | IllegalArgumentException e) {
            return List.of();
        }
    }

    /** The first key in a text; empty where there is none or it cannot be read. */
    static Optional<PrivateKey> key(String pem) {
        return blocks(pem).stream()
                .filter(block -> block.group("label").endsWith("PRIVATE KEY"))
                .findFirst()
                .flatMap(Pem::pkcs8)
                .flatMap(Pem::key);
    }

    private static List<MatchResult> blocks(String pem) {
        return BLOCK.matcher(pem).results().toList();
    }

    private static byte[] decoded(MatchResult block) {
        return Base64.getMimeDecoder().decode(block.group("base64"));
    }

    private static Optional<byte[]> pkcs8(MatchResult block) {
        try {
            return block.group("label").equals("PRIVATE KEY")
                    ? Optional.of(decoded(block))
                    : Traditional.pkcs8(block.group());
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static Optional<PrivateKey> key(byte[] pkcs8) {
        for (String algorithm : ALGORITHMS) {
            try {
                return Optional.of(KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(pkcs8)));
            } catch (GeneralSecurityException e) {
                // A key of another algorithm, or none.
            }
        }
        return Optional.empty();
    }

    /** The forms before PKCS #8, "RSA PRIVATE KEY" and "EC PRIVATE KEY", which the JDK does not read: by BouncyCastle. */
    private static final class Traditional {
        static Optional<byte[]> pkcs8(String pem) {
            try (PEMParser parser = new PEMParser(new StringReader(pem))) {
                return parser.readObject() instanceof PEMKeyPair pair
                        ? Optional.of(pair.getPrivateKeyInfo().getEncoded())
                        : Optional.empty();
            } catch (IOException | RuntimeException e) {
                return Optional.empty();
            }
        }
    }
}
