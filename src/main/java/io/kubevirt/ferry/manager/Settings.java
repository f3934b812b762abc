package io.kubevirt.ferry.manager;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/**
 * How one manager runs; each has a flag and an environment variable, which {@code ferry manager --help} lists.
 *
 * @param namespace in which the manager keeps its Secret and its Lease
 * @param webhookPort where HTTPS is served; 0 picks a free one
 * @param healthPort where {@code /healthz}, {@code /readyz} and {@code /metrics} are served, in plain HTTP; 0 picks one
 * @param bindAddress on which both are served
 * @param serviceName the Service in front of the webhooks, for the names in the certificate
 * @param webhookUrl where the API server reaches the webhooks when there is no Service: scheme, host and port
 * @param webhookClients who may call the webhooks; empty: whoever reaches the port
 * @param certManager whether cert-manager writes the Secret with the webhook certificate
 * @param admissionDeadline within which an admission answers, look-ups included
 * @param lookupDeadline within which a live look-up answers; below the admission's
 * @param typedField whether KubeVirt's definition of migrations gets the typed field
 * @param restrictDirectedMigrations whether directing a migration takes a permission of its own
 * @param identity of this replica in the Lease
 */
public record Settings(
        String namespace,
        int webhookPort,
        int healthPort,
        String bindAddress,
        String serviceName,
        Optional<URI> webhookUrl,
        Optional<WebhookClients> webhookClients,
        boolean certManager,
        Duration admissionDeadline,
        Duration lookupDeadline,
        boolean typedField,
        boolean restrictDirectedMigrations,
        String identity) {}
