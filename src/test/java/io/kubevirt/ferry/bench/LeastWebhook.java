package io.kubevirt.ferry.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfig;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;

/**
 * The scale for ours: a webhook in Go that reads nothing and allows everything, or also patches a label in, {@code
 * testbed webhook}.
 */
final class LeastWebhook implements AutoCloseable {
    private static final String NAME = "bench-least";

    private final KubernetesClient client;
    private final Process process;

    private LeastWebhook(KubernetesClient client, Process process) {
        this.client = client;
        this.process = process;
    }

    /**
     * Has the API server ask it for the same pods as {@code ours}.
     *
     * @param allowing the label of the namespaces in which it allows
     * @param patching the label of those in which it patches
     */
    static LeastWebhook start(
            KubernetesClient client, MutatingWebhook ours, Map<String, String> allowing, Map<String, String> patching) {
        try {
            Process process = new ProcessBuilder(
                            System.getProperty("testbed.binary", "target/testbed/testbed"), "webhook")
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            WebhookClientConfig address =
                    new ObjectMapper().readValue(process.inputReader().readLine(), WebhookClientConfig.class);
            client.resource(new MutatingWebhookConfigurationBuilder()
                            .withNewMetadata()
                            .withName(NAME)
                            .endMetadata()
                            .withWebhooks(
                                    least(ours, address, "allow", allowing), least(ours, address, "patch", patching))
                            .build())
                    .create();
            return new LeastWebhook(client, process);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static MutatingWebhook least(
            MutatingWebhook ours, WebhookClientConfig address, String path, Map<String, String> namespaces) {
        return new MutatingWebhookBuilder(ours)
                .withName(path + ".bench.ferry.kubevirt.io")
                .withNewClientConfig()
                .withCaBundle(address.getCaBundle())
                .withUrl(address.getUrl() + "/" + path)
                .endClientConfig()
                .withNewNamespaceSelector()
                .withMatchLabels(namespaces)
                .endNamespaceSelector()
                .build();
    }

    @Override
    public void close() {
        client.admissionRegistration()
                .v1()
                .mutatingWebhookConfigurations()
                .withName(NAME)
                .delete();
        process.destroy();
    }
}
