package io.kubevirt.ferry.manager;

import static io.kubevirt.ferry.testbed.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.kubevirt.ferry.testbed.ControlPlane;
import io.kubevirt.ferry.testbed.ControlPlaneExtension;
import io.kubevirt.ferry.testbed.Installation;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The Secret with the webhook certificate, in whatever state somebody left it, under the roles that are shipped. */
@ExtendWith(ControlPlaneExtension.class)
class CertificateIT {
    private static final List<String> HOSTS = List.of("127.0.0.1");
    private static final String NAMESPACE = "kubevirt-ferry";

    private ControlPlane controlPlane;
    private KubernetesClient admin;
    private CertificateSecret secret;

    @BeforeEach
    void given(ControlPlane controlPlane) {
        this.controlPlane = controlPlane;
        admin = controlPlane.admin();
        Installation.apply(admin);
        remove();
        secret = new CertificateSecret(controlPlane.client(ControlPlane.OPERATOR), NAMESPACE, HOSTS);
    }

    @AfterEach
    void remove() {
        admin.secrets().inNamespace(NAMESPACE).withName(CertificateSecret.NAME).delete();
    }

    private CertificateKeeper keeper(boolean certManager) {
        return new CertificateKeeper(secret, certManager, Clock.systemUTC());
    }

    private void put(String type, @Nullable Boolean immutable, Map<String, String> data) {
        admin.resource(new SecretBuilder()
                        .withNewMetadata()
                        .withName(CertificateSecret.NAME)
                        .withNamespace(NAMESPACE)
                        .endMetadata()
                        .withType(type)
                        .withImmutable(immutable)
                        .withStringData(data)
                        .build())
                .create();
    }

    private static Map<String, String> data(ServingCertificate certificate) {
        return Map.of("ca.crt", certificate.ca(), "tls.crt", certificate.certificate(), "tls.key", certificate.key());
    }

    private @Nullable ServingCertificate stored() {
        @Nullable Secret found = admin.secrets()
                .inNamespace(NAMESPACE)
                .withName(CertificateSecret.NAME)
                .get();
        return found == null
                ? null
                : new ServingCertificate(text(found, "ca.crt"), text(found, "tls.crt"), text(found, "tls.key"));
    }

    private static String text(Secret secret, String key) {
        return new String(Base64.getDecoder().decode(secret.getData().get(key)), StandardCharsets.UTF_8);
    }

    static Stream<Damaged> damages() {
        return Damaged.ways(HOSTS, Instant.now());
    }

    @ParameterizedTest
    @MethodSource("damages")
    void whatCannotBeServedIsReplacedAtTheStart(Damaged damaged) {
        put("kubernetes.io/tls", null, data(damaged.certificate()));

        ServingCertificate served = keeper(false).first();

        assertThat(CertificateChecks.fault(served, Instant.now())).isEmpty();
        assertThat(stored()).isEqualTo(served);
    }

    @ParameterizedTest
    @MethodSource("damages")
    void whileItRunsWhatIsServedIsPutBack(Damaged damaged) {
        CertificateKeeper keeper = keeper(false);
        ServingCertificate served = keeper.first();
        remove();
        put("kubernetes.io/tls", null, data(damaged.certificate()));

        assertThat(keeper.look()).isEmpty();

        assertThat(stored()).isEqualTo(served);
    }

    @ParameterizedTest
    @CsvSource({"Opaque, other", "kubernetes.io/basic-auth, username", "kubernetes.io/ssh-auth, ssh-privatekey"})
    void aSecretOfAnotherTypeAndWithoutTheKeysGetsThem(String type, String key) {
        put(type, null, Map.of(key, "kept"));

        ServingCertificate served = keeper(false).first();

        assertThat(stored()).isEqualTo(served);
    }

    @Test
    void whatCannotBeWrittenIsToldWithWhatToDo() {
        put("Opaque", true, Map.of("tls.key", ""));

        assertThatThrownBy(() -> keeper(false).first())
                .isInstanceOf(KubernetesClientException.class)
                .hasMessageContaining("Secret kubevirt-ferry/" + CertificateSecret.NAME)
                .hasMessageContaining("delete it");
    }

    @Test
    void aCertificateThatIsGoodForOthersIsLeftToThemAsLongAsOursIsGood() {
        CertificateKeeper keeper = keeper(false);
        keeper.first();
        ServingCertificate others =
                ServingCertificate.issue(List.of("in.cluster.svc"), Instant.now(), Duration.ofDays(90));
        remove();
        put("kubernetes.io/tls", null, data(others));

        assertThat(keeper.look()).isEmpty();

        assertThat(stored()).isEqualTo(others);
    }

    @Test
    void oneReplicaRenewsAndTheOtherFollows() {
        ServingCertificate old = almostDue();
        put("kubernetes.io/tls", null, data(old));
        CertificateKeeper behind = keeper(false);
        assertThat(behind.first()).isEqualTo(old);

        Clock later = Clock.offset(Clock.systemUTC(), Duration.ofMinutes(3));
        ServingCertificate renewed = new CertificateKeeper(secret, false, later).first();

        assertThat(renewed).isNotEqualTo(old).isEqualTo(stored());
        assertThat(behind.look()).contains(renewed);
        assertThat(behind.look()).isEmpty();
    }

    /** Backdated by five minutes as all are, it has two thirds of three hours behind it in a minute and a half. */
    private static ServingCertificate almostDue() {
        return ServingCertificate.issue(
                HOSTS, Instant.now().minus(Duration.ofSeconds(6810)), Duration.ofSeconds(10500));
    }

    @Test
    void whereCertManagerWritesTheSecretItIsWaitedForAndNeverWritten() {
        CertificateKeeper keeper = keeper(true);
        assertThatThrownBy(keeper::first)
                .hasMessageContaining("it is missing")
                .hasMessageContaining("kubectl -n kubevirt-ferry describe certificate");
        assertThat(stored()).isNull();

        ServingCertificate first = ServingCertificate.issue(HOSTS, Instant.now(), Duration.ofDays(90));
        put("kubernetes.io/tls", null, data(first));
        assertThat(keeper.first()).isEqualTo(first);

        remove();
        assertThat(keeper.look()).isEmpty();
        assertThat(stored()).isNull();

        ServingCertificate next = ServingCertificate.issue(HOSTS, Instant.now(), Duration.ofDays(90));
        put("kubernetes.io/tls", null, data(next));
        assertThat(keeper.look()).contains(next);
    }

    /** A clock that a test moves, by less than certificates are backdated: the API server has one of its own. */
    private static final class Movable extends Clock {
        private volatile Duration ahead = Duration.ZERO;

        @Override
        public ZoneOffset getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(java.time.ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return Instant.now().plus(ahead);
        }
    }

    @Test
    void atTwoThirdsOfItsLifeTheCertificateChangesWithoutARestartAndTheApiServerTrustsBoth() throws Exception {
        ServingCertificate old = almostDue();
        put("kubernetes.io/tls", null, data(old));
        Movable clock = new Movable();
        try (Manager manager = new Manager(
                LifeIT.settings(), Clients.of(controlPlane.config(ControlPlane.OPERATOR)), clock, () -> {})) {
            int port = manager.start().webhooks();
            eventually()
                    .untilAsserted(() -> assertThat(trusted()).contains(old.ca().strip()));
            assertThat(shown(port, old)).isEqualTo(leaf(old));

            clock.ahead = Duration.ofMinutes(3);
            manager.lookAtCertificate();
            ServingCertificate next = stored();
            assertThat(next).isNotEqualTo(old);
            assertThat(shown(port, old))
                    .as("until the API server trusts the next")
                    .isEqualTo(leaf(old));

            eventually().untilAsserted(() -> {
                manager.lookAtCertificate();
                assertThat(shown(port, next)).isEqualTo(leaf(next));
            });
            assertThat(trusted()).contains(old.ca().strip(), next.ca().strip());
            assertThat(manager.report()).contains("certificate: ok");
        }
    }

    private List<String> trusted() {
        return CaBundle.of(admin.admissionRegistration()
                        .v1()
                        .mutatingWebhookConfigurations()
                        .withName("kubevirt-ferry")
                        .get()
                        .getWebhooks()
                        .getFirst()
                        .getClientConfig()
                        .getCaBundle())
                .certificates();
    }

    private static X509Certificate leaf(ServingCertificate certificate) {
        return Pem.certificates(certificate.certificate()).getFirst();
    }

    /** What a client gets to see that trusts the CA of a certificate; null if it trusts nothing of that. */
    private static @Nullable X509Certificate shown(int port, ServingCertificate trusted) throws Exception {
        SSLContext context = Trust.in(trusted);
        try (SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", port)) {
            socket.startHandshake();
            return (X509Certificate) socket.getSession().getPeerCertificates()[0];
        } catch (javax.net.ssl.SSLHandshakeException e) {
            return null;
        }
    }
}
