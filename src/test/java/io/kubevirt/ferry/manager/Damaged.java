package io.kubevirt.ferry.manager;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/**
 * What somebody may have made of a certificate in a Secret.
 *
 * @param how in words of the test
 * @param certificate as it is in the Secret
 * @param fault as it is to be told
 */
record Damaged(String how, ServingCertificate certificate, String fault) {

    /** Each kind of damage, done to a certificate that was good for some hosts. */
    static Stream<Damaged> ways(List<String> hosts, Instant now) {
        ServingCertificate good = ServingCertificate.issue(hosts, now, Duration.ofDays(90));
        ServingCertificate other = ServingCertificate.issue(hosts, now, Duration.ofDays(90));
        return Stream.of(
                new Damaged("empty key", with(good, "key", ""), "tls.key holds no private key in PEM"),
                new Damaged("key that is none", with(good, "key", "garbage"), "tls.key holds no private key in PEM"),
                new Damaged(
                        "key cut short",
                        with(good, "key", good.key().substring(0, 60)),
                        "tls.key holds no private key in PEM"),
                new Damaged(
                        "certificate for a key",
                        with(good, "key", good.certificate()),
                        "tls.key holds no private key in PEM"),
                new Damaged("key of another", with(good, "key", other.key()), "tls.key is not the key of tls.crt"),
                new Damaged("empty certificate", with(good, "certificate", ""), "tls.crt holds no certificate in PEM"),
                new Damaged(
                        "certificate that is none",
                        with(good, "certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
                        "tls.crt holds no certificate in PEM"),
                new Damaged("empty CA", with(good, "ca", ""), "ca.crt holds no certificate in PEM"),
                new Damaged("CA of another", with(good, "ca", other.ca()), "no CA in ca.crt signed tls.crt"),
                new Damaged(
                        "certificate that is no CA",
                        with(good, "ca", other.certificate()),
                        "no CA in ca.crt signed tls.crt"),
                new Damaged(
                        "expired",
                        ServingCertificate.issue(hosts, now.minus(Duration.ofDays(91)), Duration.ofDays(90)),
                        "tls.crt is good from "),
                new Damaged(
                        "not good yet",
                        ServingCertificate.issue(hosts, now.plus(Duration.ofDays(1)), Duration.ofDays(90)),
                        "tls.crt is good from "));
    }

    private static ServingCertificate with(ServingCertificate good, String part, String text) {
        return new ServingCertificate(
                part.equals("ca") ? text : good.ca(),
                part.equals("certificate") ? text : good.certificate(),
                part.equals("key") ? text : good.key());
    }

    @Override
    public String toString() {
        return how;
    }
}
