package io.kubevirt.ferry.testbed;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfig;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.StreamSupport;

/** What {@code kubectl apply -k deploy} applies, read from those very files. */
public final class Installation {
    private static final Path FOLDER = Path.of("deploy");
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

    private Installation() {}

    /** All objects, in the order of the kustomization. */
    public static List<HasMetadata> objects(KubernetesClient client) {
        return files().stream().flatMap(file -> load(client, file).stream()).toList();
    }

    /** Applies all but the Deployment and its budget: the manager under test runs in this JVM, or in one beside it. */
    public static void apply(KubernetesClient admin) {
        objects(admin).stream()
                .filter(object -> !(object instanceof Deployment) && !(object instanceof PodDisruptionBudget))
                .map(Installation::withoutService)
                .forEach(object -> admin.resource(object).forceConflicts().serverSideApply());
    }

    /** There is no cluster network here: the webhooks are on this machine, at first where nobody listens. */
    private static HasMetadata withoutService(HasMetadata object) {
        if (object instanceof MutatingWebhookConfiguration configuration) {
            configuration.getWebhooks().forEach(webhook -> {
                WebhookClientConfig config = webhook.getClientConfig();
                config.setUrl("https://127.0.0.1:1" + config.getService().getPath());
                config.setService(null);
            });
        }
        return object;
    }

    private static List<Path> files() {
        try (InputStream text = Files.newInputStream(FOLDER.resolve("kustomization.yaml"))) {
            return StreamSupport.stream(YAML.readTree(text).path("resources").spliterator(), false)
                    .map(name -> FOLDER.resolve(name.asText()))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<HasMetadata> load(KubernetesClient client, Path file) {
        try (InputStream text = Files.newInputStream(file)) {
            return client.load(text).items();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
