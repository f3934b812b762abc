package io.kubevirt.ferry.testbed;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfig;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.StreamSupport;

/** What {@code kubectl apply -k deploy} applies, read from those very files. */
public final class Installation {
    /** A scheduling gate that is not ours. */
    public static final String GATE_OF_OTHERS = "example.com/quota";

    private static final String GATING_POLICY = """
            apiVersion: admissionregistration.k8s.io/v1
            kind: MutatingAdmissionPolicy
            metadata: {name: gate-of-others}
            spec:
              reinvocationPolicy: Never
              matchConstraints:
                namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: %s}}
                objectSelector: {matchLabels: {kubevirt.io: virt-launcher}}
                resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
              mutations:
              - patchType: ApplyConfiguration
                applyConfiguration:
                  expression: >-
                    Object{spec: Object.spec{schedulingGates: [Object.spec.schedulingGates{name: "%s"}]}}
            ---
            apiVersion: admissionregistration.k8s.io/v1
            kind: MutatingAdmissionPolicyBinding
            metadata: {name: gate-of-others}
            spec: {policyName: gate-of-others}
            """;

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

    /** From now on the API server asks nobody; it takes a moment to notice. */
    public static void removeWebhooks(KubernetesClient admin) {
        admin.admissionRegistration()
                .v1()
                .mutatingWebhookConfigurations()
                .withName("kubevirt-ferry")
                .delete();
    }

    /** Does something while no webhook is installed, as often as it takes until the API server has noticed that. */
    public static <T> T withoutMigrationWebhook(KubernetesClient admin, Supplier<T> action) {
        removeWebhooks(admin);
        try {
            return Patience.eventually()
                    .ignoreExceptionsInstanceOf(KubernetesClientException.class)
                    .until(action::get, Objects::nonNull);
        } finally {
            apply(admin);
        }
    }

    /** From now on another controller puts its gate on the launcher pods of a namespace. */
    public static void gateOfOthers(KubernetesClient admin, String namespace) {
        admin.load(new ByteArrayInputStream(
                        GATING_POLICY.formatted(namespace, GATE_OF_OTHERS).getBytes(StandardCharsets.UTF_8)))
                .items()
                .forEach(object -> admin.resource(object).serverSideApply());
        Patience.eventually()
                .until(() -> !admin.pods()
                        .inNamespace(namespace)
                        .resource(probe())
                        .dryRun()
                        .create()
                        .getSpec()
                        .getSchedulingGates()
                        .isEmpty());
    }

    private static Pod probe() {
        return new PodBuilder()
                .withNewMetadata()
                .withGenerateName("probe-")
                .addToLabels("kubevirt.io", "virt-launcher")
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("probe")
                .withImage("probe")
                .endContainer()
                .endSpec()
                .build();
    }

    /** The other controller is gone again. */
    public static void noGateOfOthers(KubernetesClient admin) {
        admin.load(new ByteArrayInputStream(
                        GATING_POLICY.formatted("none", GATE_OF_OTHERS).getBytes(StandardCharsets.UTF_8)))
                .delete();
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
