package io.kubevirt.ferry.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.javaoperatorsdk.operator.api.config.informer.Field;
import io.javaoperatorsdk.operator.api.config.informer.Informer;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.inbound.SimpleInboundEventSource;
import io.kubevirt.ferry.admission.TypedField;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts the typed field into KubeVirt's definition of migrations when it is missing, and takes it out when it is not wanted
 * any more. What virt-operator writes passes our webhook and has it already, so that there is nothing to fight about.
 */
@ControllerConfiguration(
        name = DefinitionReconciler.NAME,
        generationAwareEventProcessing = false,
        informer = @Informer(fieldSelector = @Field(path = "metadata.name", value = TypedField.DEFINITION)))
public final class DefinitionReconciler implements Reconciler<CustomResourceDefinition> {
    public static final String NAME = "definition";

    private static final Logger log = LoggerFactory.getLogger(DefinitionReconciler.class);
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final Duration AGAIN = Duration.ofSeconds(5);

    /** Whether there is to be a typed field. */
    public enum Wish {
        /** Nobody knows yet: nothing is touched. */
        UNKNOWN,
        PRESENT,
        ABSENT
    }

    private final KubernetesClient client;
    private final Caches caches;
    private final Supplier<Wish> wish;
    private final Clock clock;
    private final Pauses additions = new Pauses();
    private final SimpleInboundEventSource<CustomResourceDefinition> wishes = new SimpleInboundEventSource<>("wishes");

    /**
     * @param caches get the definition from this reconciler
     */
    public DefinitionReconciler(KubernetesClient client, Caches caches, Supplier<Wish> wish, Clock clock) {
        this.clock = clock;
        this.client = client;
        this.caches = caches;
        this.wish = wish;
    }

    @Override
    public List<EventSource<?, CustomResourceDefinition>> prepareEventSources(
            EventSourceContext<CustomResourceDefinition> context) {
        caches.followDefinitions(context.getPrimaryCache());
        return List.of(wishes);
    }

    /** Says that the wish may be another now. */
    public void wishChanged() {
        wishes.propagateEvent(new ResourceID(TypedField.DEFINITION));
    }

    @Override
    public UpdateControl<CustomResourceDefinition> reconcile(
            CustomResourceDefinition definition, Context<CustomResourceDefinition> context) {
        JsonNode tree = JSON.valueToTree(definition);
        return switch (wish.get()) {
            case UNKNOWN -> UpdateControl.noUpdate();
            case PRESENT -> add(definition, TypedField.addition(tree).build());
            case ABSENT -> {
                ArrayNode patch = TypedField.removal(tree).build();
                yield patch.isEmpty() ? UpdateControl.noUpdate() : remove(definition, patch);
            }
        };
    }

    /** Adds at once what is missing, and with growing pauses what goes missing again and again. */
    private UpdateControl<CustomResourceDefinition> add(CustomResourceDefinition definition, ArrayNode patch) {
        UpdateControl<CustomResourceDefinition> control = UpdateControl.noUpdate();
        if (patch.isEmpty()) {
            return control;
        }
        Duration wait = additions.wait(clock.instant());
        if (wait.isPositive()) {
            return control.rescheduleAfter(wait);
        }
        if (write(definition, patch).isPresent()) {
            log.info("added the typed field to CustomResourceDefinition {}", TypedField.DEFINITION);
            additions.happened(clock.instant());
        }
        return control;
    }

    /** Comes back as long as a replica with other settings puts the field in on its way. */
    private UpdateControl<CustomResourceDefinition> remove(CustomResourceDefinition definition, ArrayNode patch) {
        UpdateControl<CustomResourceDefinition> control = UpdateControl.noUpdate();
        Optional<CustomResourceDefinition> written = write(definition, patch);
        if (written.isEmpty()) {
            return control;
        }
        if (TypedField.removal(JSON.valueToTree(written.get())).build().isEmpty()) {
            log.info("took the typed field out of CustomResourceDefinition {}", TypedField.DEFINITION);
            return control;
        }
        return control.rescheduleAfter(AGAIN);
    }

    /** What came of it; empty if the definition is gone, as it is when somebody removes KubeVirt. */
    private Optional<CustomResourceDefinition> write(CustomResourceDefinition definition, ArrayNode patch) {
        try {
            return Optional.of(client.resource(definition).patch(PatchContext.of(PatchType.JSON), patch.toString()));
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
                return Optional.empty();
            }
            throw e;
        }
    }
}
