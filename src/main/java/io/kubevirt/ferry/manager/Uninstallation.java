package io.kubevirt.ferry.manager;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.kubevirt.ferry.admission.TypedField;
import io.kubevirt.ferry.controller.Live;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes out what deleting our objects in any order would leave behind: the typed field in KubeVirt's definition of
 * migrations. The webhooks go first, since they put it in again. No manager need run, and one that does is no hindrance.
 */
public final class Uninstallation {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

    /** The API server calls a webhook for a moment after it was deleted, and a manager may not know yet. */
    private static final int LOOKS = 3;

    private final KubernetesClient client;
    private final Consumer<String> teller;

    /**
     * @param client of somebody who may delete the webhook configuration and patch the definition
     * @param teller is told each thing that was done
     */
    public Uninstallation(KubernetesClient client, Consumer<String> teller) {
        this.client = client;
        this.teller = teller;
    }

    /**
     * Returns when webhooks and field are gone and stay so. Does nothing where they are not there.
     *
     * @return whether that was reached in time
     * @throws KubernetesClientException if the API server refuses or does not answer
     */
    public boolean run(Duration patience) throws InterruptedException {
        deleteWebhooks();
        long end = System.nanoTime() + patience.toNanos();
        int clean = 0;
        while (clean < LOOKS && System.nanoTime() < end) {
            clean = isClean() ? clean + 1 : 0;
            if (clean < LOOKS) {
                Thread.sleep(LOOK_AGAIN);
            }
        }
        return clean == LOOKS;
    }

    private void deleteWebhooks() {
        boolean deleted = !client.admissionRegistration()
                .v1()
                .mutatingWebhookConfigurations()
                .withName(WebhookConfiguration.NAME)
                .delete()
                .isEmpty();
        teller.accept(
                "MutatingWebhookConfiguration " + WebhookConfiguration.NAME + (deleted ? ": deleted" : ": not there"));
    }

    /** Whether the field is not there; takes it out if it is. */
    private boolean isClean() {
        @Nullable CustomResourceDefinition definition = client.apiextensions()
                .v1()
                .customResourceDefinitions()
                .withName(TypedField.DEFINITION)
                .get();
        if (definition == null) {
            return true;
        }
        ArrayNode patch = TypedField.removal(JSON.valueToTree(definition)).build();
        if (patch.isEmpty()) {
            return true;
        }
        try {
            CustomResourceDefinition ignored =
                    client.resource(definition).patch(PatchContext.of(PatchType.JSON), patch.toString());
            teller.accept(
                    "CustomResourceDefinition " + TypedField.DEFINITION + ": took spec.addedNodeSelectorTerm out");
        } catch (KubernetesClientException e) {
            // Somebody else has just written it: look again.
            if (!Live.isStale(e)) {
                throw e;
            }
        }
        return false;
    }
}
