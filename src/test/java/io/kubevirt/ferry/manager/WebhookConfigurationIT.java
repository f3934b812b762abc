package io.kubevirt.ferry.manager;

import static io.kubevirt.ferry.testbed.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.kubevirt.ferry.testbed.ControlPlane;
import io.kubevirt.ferry.testbed.ControlPlaneExtension;
import io.kubevirt.ferry.testbed.Installation;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The webhook configuration, whatever others make of it, under the roles that are shipped. */
@ExtendWith(ControlPlaneExtension.class)
class WebhookConfigurationIT {
    private static final String CA = ca();
    private static final String OTHER_CA = ca();

    private KubernetesClient admin;
    private KubernetesClient client;

    @BeforeEach
    void given(ControlPlane controlPlane) {
        admin = controlPlane.admin();
        client = controlPlane.client(ControlPlane.OPERATOR);
        install();
    }

    @AfterEach
    void install() {
        Installation.apply(admin);
    }

    private static String ca() {
        return ServingCertificate.issue(List.of("127.0.0.1"), Instant.now(), Duration.ofDays(1))
                .ca();
    }

    private WebhookConfiguration keeper(String ca, Readiness readiness) {
        WebhookConfiguration keeper = new WebhookConfiguration(
                client, ca, Optional.of(URI.create("https://127.0.0.1:1/")), readiness, () -> {});
        keeper.start();
        return keeper;
    }

    private Resource<MutatingWebhookConfiguration> configuration() {
        return admin.admissionRegistration()
                .v1()
                .mutatingWebhookConfigurations()
                .withName(WebhookConfiguration.NAME);
    }

    private boolean isTrusted(String ca) {
        return configuration().get().getWebhooks().stream()
                .allMatch(webhook ->
                        CaBundle.of(webhook.getClientConfig().getCaBundle()).contains(ca));
    }

    private void edit(Consumer<MutatingWebhookConfiguration> change) {
        MutatingWebhookConfiguration ignored = configuration().edit(found -> {
            change.accept(found);
            return found;
        });
    }

    private static void awaitSaid(Readiness readiness, String words) {
        eventually().untilAsserted(() -> assertThat(readiness.report()).contains(words));
    }

    @Test
    void twoReplicasWithDifferentCertificatesAreBothTrustedAndDoNotUndoEachOther() {
        try (WebhookConfiguration one = keeper(CA, new Readiness());
                WebhookConfiguration other = keeper(OTHER_CA, new Readiness())) {
            eventually().until(() -> isTrusted(CA) && isTrusted(OTHER_CA));
            eventually().until(() -> one.isTrusted() && other.isTrusted());
            String version = configuration().get().getMetadata().getResourceVersion();

            // Both look again every ten seconds, and find nothing to do.
            eventually()
                    .during(Duration.ofSeconds(12))
                    .until(() ->
                            version.equals(configuration().get().getMetadata().getResourceVersion()));
        }
    }

    @Test
    void aCaThatSomebodyTookOutOrOverwroteIsPutBack() {
        try (WebhookConfiguration keeper = keeper(CA, new Readiness())) {
            eventually().until(() -> isTrusted(CA));

            edit(found -> found.getWebhooks()
                    .forEach(webhook -> webhook.getClientConfig().setCaBundle(null)));
            eventually().until(() -> isTrusted(CA));
            edit(found -> found.getWebhooks()
                    .forEach(webhook -> webhook.getClientConfig().setCaBundle("bm90aGluZw==")));
            eventually().until(() -> isTrusted(CA));

            keeper.trust(OTHER_CA);
            eventually().until(() -> isTrusted(OTHER_CA) && isTrusted(CA));
        }
    }

    @Test
    void whatIsDeletedOrLacksAWebhookIsToldWithWhatToDoAndComesBack() {
        Readiness readiness = new Readiness();
        try (WebhookConfiguration keeper = keeper(CA, readiness)) {
            awaitSaid(readiness, "webhook-configuration: ok");

            edit(found -> found.getWebhooks().removeFirst());
            awaitSaid(readiness, "kubevirt-ferry: it has no webhook for /admit/migrations, ");
            assertThat(readiness.report()).contains("kubectl apply -k deploy");
            install();
            awaitSaid(readiness, "webhook-configuration: ok");

            configuration().delete();
            awaitSaid(readiness, "MutatingWebhookConfiguration kubevirt-ferry: it is missing");
            assertThat(keeper.isInstalled()).contains(false);
            install();
            awaitSaid(readiness, "webhook-configuration: ok");
            assertThat(keeper.isInstalled()).contains(true);
        }
    }
}
