package io.kubevirt.ferry.controller;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.kubevirt.ferry.admission.DirectedMigration;
import io.kubevirt.ferry.admission.JsonPatch;
import io.kubevirt.ferry.admission.Migrations;
import io.kubevirt.ferry.admission.TargetPod;
import io.kubevirt.ferry.admission.TargetPodPatch;
import io.kubevirt.ferry.kubevirt.LauncherPod;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import io.kubevirt.ferry.placement.FieldError;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes our scheduling gate off target pods, directed or not: the term, if there is one, is ANDed in and the gate removed
 * in one patch. A pod whose migration still cannot be read stays held and is tried again.
 */
@ControllerConfiguration(name = TargetPodReconciler.NAME, generationAwareEventProcessing = false)
public final class TargetPodReconciler implements Reconciler<LauncherPod> {
    public static final String NAME = "target-pod";

    /** Selects the pods that migrations made. */
    public static final String SELECTOR =
            TargetPod.LAUNCHER_LABEL + "=" + TargetPod.LAUNCHER + "," + TargetPod.MIGRATION_UID_LABEL;

    private static final Logger log = LoggerFactory.getLogger(TargetPodReconciler.class);

    private final Pods pods;
    private final MigrationCache cache;
    private final Migrations migrations;

    /**
     * @param cache is filled by this reconciler's event sources
     * @param migrations may look into the cache
     */
    public TargetPodReconciler(Pods pods, MigrationCache cache, Migrations migrations) {
        this.pods = pods;
        this.cache = cache;
        this.migrations = migrations;
    }

    @Override
    public UpdateControl<LauncherPod> reconcile(LauncherPod seen, Context<LauncherPod> context) {
        if (seen.isHeldBy(DirectedMigration.GATE) && !seen.isMarkedForDeletion()) {
            pods.live(seen.getMetadata().getNamespace(), seen.getMetadata().getName())
                    .ifPresent(this::release);
        }
        return UpdateControl.noUpdate();
    }

    /** Migrations are cached for the look-ups of admission; none of their events concerns a pod. */
    @Override
    public List<EventSource<?, LauncherPod>> prepareEventSources(EventSourceContext<LauncherPod> context) {
        InformerEventSource<VirtualMachineInstanceMigration, LauncherPod> source = new InformerEventSource<>(
                InformerEventSourceConfiguration.from(VirtualMachineInstanceMigration.class, LauncherPod.class)
                        .withName("migrations")
                        .withNamespacesInheritedFromController()
                        .withSecondaryToPrimaryMapper(migration -> Set.of())
                        .build(),
                context);
        cache.follow(source);
        return List.of(source);
    }

    private void release(JsonNode pod) {
        Optional<String> term = term(pod);
        JsonPatch patch = pods.patchOf(pod);
        if (term.isPresent()) {
            switch (TargetPodPatch.narrow(pod, term.get())) {
                case TargetPodPatch.Result.Changed(JsonPatch narrowing) -> patch.append(narrowing);
                case TargetPodPatch.Result.Unchanged() -> {}
                case TargetPodPatch.Result.InvalidTerm(List<FieldError> errors) -> {
                    log.error(
                            "deleting pod {}: the term of its migration is invalid: {}",
                            Pods.nameOf(pod),
                            text(errors));
                    pods.delete(pod);
                    return;
                }
            }
        }
        if (TargetPodPatch.ungate(pod, patch)) {
            pods.patch(pod, patch);
            log.info(
                    "released pod {}{}",
                    Pods.nameOf(pod),
                    term.isPresent() ? ", narrowed by its migration's term" : "");
        }
    }

    /** The term to narrow by; empty for an ordinary migration and for a pod that belongs to none. */
    private Optional<String> term(JsonNode pod) {
        String namespace = pod.at("/metadata/namespace").asText();
        Optional<TargetPod> target = TargetPod.of(namespace, pod);
        if (target.isEmpty()) {
            return Optional.empty();
        }
        return switch (migrations.find(
                namespace, target.get().migrationName(), target.get().migrationUid())) {
            case Migrations.Found.Migration(Optional<String> term) -> term;
            case Migrations.Found.None() -> Optional.empty();
            case Migrations.Found.Unanswered(String why) ->
                throw new KubernetesClientException(
                        "the migration of pod " + Pods.nameOf(pod) + " cannot be read: " + why);
        };
    }

    private static String text(List<FieldError> errors) {
        return errors.stream().map(FieldError::toString).collect(Collectors.joining("; "));
    }
}
