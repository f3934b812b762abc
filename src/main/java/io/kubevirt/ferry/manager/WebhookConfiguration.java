package io.kubevirt.ferry.manager;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfig;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.kubevirt.ferry.controller.Live;
import io.kubevirt.ferry.controller.Refusal;
import io.kubevirt.ferry.patch.JsonPatch;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the way to our webhooks true in the MutatingWebhookConfiguration that was installed: the CA that signed the
 * certificate we serve and, outside a cluster, the URL. All else in it belongs to whoever installed it.
 */
final class WebhookConfiguration implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(WebhookConfiguration.class);

    /** Sorts before {@code virt-api-mutator}: configurations are called in the order of their names. */
    static final String NAME = "kubevirt-ferry";

    /** What could not be written is tried again; while all is true this looks at what the watch has seen. */
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(10);

    /** What a directed migration cannot do without. (Without the one for definitions it is written twice, no more.) */
    private static final List<String> NEEDED = List.of(Manager.MIGRATIONS_PATH, Manager.PODS_PATH);

    private final KubernetesClient client;
    private volatile String ca;
    private final Optional<URI> url;
    private final Readiness readiness;
    private final Runnable changed;
    private volatile Optional<Boolean> installed = Optional.empty();
    private volatile String wrong = "";
    private Optional<SharedIndexInformer<MutatingWebhookConfiguration>> informer = Optional.empty();

    /**
     * @param ca in PEM
     * @param url where the API server reaches us; empty to leave the Service in place
     * @param changed is run when the configuration was installed or removed
     */
    WebhookConfiguration(KubernetesClient client, String ca, Optional<URI> url, Readiness readiness, Runnable changed) {
        this.client = client;
        this.ca = ca;
        this.url = url;
        this.readiness = readiness;
        this.changed = changed;
    }

    /** Starts to watch the configuration; returns when it is known whether there is one. */
    void start() {
        var watch = client.admissionRegistration()
                .v1()
                .mutatingWebhookConfigurations()
                .withName(NAME)
                .inform(new Keeper(), LOOK_AGAIN.toMillis());
        informer = Optional.of(watch);
        if (watch.getStore().list().isEmpty()) {
            missing();
        }
    }

    /** From now on this CA is to be trusted too. */
    void trust(String other) {
        ca = other;
        informer.stream().flatMap(watch -> watch.getStore().list().stream()).forEach(this::keep);
    }

    /** Whether the API server has been told, for every webhook, to trust the CA; the watch has seen it. */
    boolean isTrusted() {
        return informer.stream()
                .flatMap(watch -> watch.getStore().list().stream())
                .flatMap(configuration -> Optional.ofNullable(configuration.getWebhooks()).orElse(List.of()).stream())
                .allMatch(webhook -> isTrue(webhook.getClientConfig()));
    }

    /** Whether the watch is connected now. */
    boolean isWatching() {
        return informer.filter(SharedIndexInformer::isWatching).isPresent();
    }

    /** Whether the configuration is there; empty as long as nobody knows. */
    Optional<Boolean> isInstalled() {
        return installed;
    }

    private final class Keeper implements ResourceEventHandler<MutatingWebhookConfiguration> {
        @Override
        public void onAdd(MutatingWebhookConfiguration configuration) {
            keep(configuration);
        }

        @Override
        public void onUpdate(MutatingWebhookConfiguration before, MutatingWebhookConfiguration now) {
            keep(now);
        }

        @Override
        public void onDelete(MutatingWebhookConfiguration configuration, boolean unknown) {
            missing();
        }
    }

    private void missing() {
        wrong("it is missing, so that directed migrations are not directed: install it with `kubectl apply -k deploy`");
        installed(false);
    }

    /** Told once: this is looked at again and again. */
    private void wrong(String what) {
        if (!what.equals(wrong)) {
            log.error("MutatingWebhookConfiguration {}: {}", NAME, what);
        }
        wrong = what;
        readiness.waiting(Readiness.Part.WEBHOOK_CONFIGURATION, "MutatingWebhookConfiguration " + NAME + ": " + what);
    }

    private void installed(boolean now) {
        boolean before = installed.orElse(!now);
        installed = Optional.of(now);
        if (before != now) {
            changed.run();
        }
    }

    private synchronized void keep(MutatingWebhookConfiguration configuration) {
        installed(true);
        List<MutatingWebhook> webhooks =
                Optional.ofNullable(configuration.getWebhooks()).orElse(List.of());
        JsonPatch patch = JsonPatch.start();
        patch.test(
                "/metadata/resourceVersion",
                JsonNodeFactory.instance.textNode(configuration.getMetadata().getResourceVersion()));
        boolean changed = false;
        for (int i = 0; i < webhooks.size(); i++) {
            WebhookClientConfig now = webhooks.get(i).getClientConfig();
            if (!isTrue(now)) {
                patch.replace("/webhooks/" + i + "/clientConfig", wanted(now));
                changed = true;
            }
        }
        boolean written = !changed || apply(configuration, patch);
        List<String> absent = NEEDED.stream()
                .filter(path -> webhooks.stream().noneMatch(webhook -> path.equals(path(webhook.getClientConfig()))))
                .toList();
        if (!absent.isEmpty()) {
            wrong(
                    "it has no webhook for " + String.join(" and ", absent)
                            + ", without which directed migrations go anywhere: install it anew with `kubectl apply -k deploy`");
        } else if (written) {
            wrong = "";
            readiness.ok(Readiness.Part.WEBHOOK_CONFIGURATION);
        }
    }

    private boolean isTrue(WebhookClientConfig config) {
        boolean way = url.isEmpty() || Objects.equals(config.getUrl(), url(url.get(), config));
        return way && CaBundle.of(config.getCaBundle()).contains(ca);
    }

    private ObjectNode wanted(WebhookClientConfig config) {
        ObjectNode wanted = JsonNodeFactory.instance
                .objectNode()
                .put("caBundle", CaBundle.of(config.getCaBundle()).with(ca).encoded());
        if (url.isPresent()) {
            wanted.put("url", url(url.get(), config));
        } else if (config.getService() != null) {
            wanted.putObject("service")
                    .put("namespace", config.getService().getNamespace())
                    .put("name", config.getService().getName())
                    .put("path", config.getService().getPath())
                    .put(
                            "port",
                            Optional.ofNullable(config.getService().getPort()).orElse(443));
        } else {
            wanted.put("url", config.getUrl());
        }
        return wanted;
    }

    /** The path of a webhook under another base. */
    private static String url(URI base, WebhookClientConfig config) {
        return base.resolve(path(config)).toString();
    }

    private static String path(WebhookClientConfig config) {
        @Nullable String path = config.getService() != null
                ? config.getService().getPath()
                : URI.create(String.valueOf(config.getUrl())).getPath();
        return Objects.requireNonNullElse(path, "/");
    }

    /** Whether the patch is in; a conflict is not an error: the change that came between brings an event of its own. */
    private boolean apply(MutatingWebhookConfiguration configuration, JsonPatch patch) {
        try {
            MutatingWebhookConfiguration ignored = client.resource(configuration)
                    .patch(PatchContext.of(PatchType.JSON), patch.build().toString());
            log.info("set CA{} in MutatingWebhookConfiguration {}", url.isPresent() ? " and URL" : "", NAME);
            return true;
        } catch (KubernetesClientException e) {
            if (!Live.isStale(e)) {
                wrong("cannot be written: " + Refusal.words(e));
            }
            return false;
        }
    }

    @Override
    public void close() {
        informer.ifPresent(SharedIndexInformer::close);
    }
}
