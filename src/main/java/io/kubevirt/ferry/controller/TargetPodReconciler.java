package io.kubevirt.ferry.controller;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.inbound.SimpleInboundEventSource;
import io.kubevirt.ferry.admission.DirectedMigration;
import io.kubevirt.ferry.admission.Migrations;
import io.kubevirt.ferry.admission.TargetPod;
import io.kubevirt.ferry.admission.TargetPodPatch;
import io.kubevirt.ferry.kubevirt.LauncherPod;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import io.kubevirt.ferry.patch.JsonPatch;
import io.kubevirt.ferry.placement.FieldError;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes our scheduling gate off target pods, directed or not: the term, if there is one, is ANDed in and the gate removed
 * in one patch. A pod whose migration still cannot be read stays held and is tried again.
 */
@ControllerConfiguration(name = TargetPodReconciler.NAME, generationAwareEventProcessing = false)
public final class TargetPodReconciler implements Reconciler<LauncherPod> {
    public static final String NAME = "target-pod";

    /** Selects the pods that guests run in: those that migrations make, and those that they leave. */
    public static final String SELECTOR = LauncherPod.LABEL + "=" + LauncherPod.LAUNCHER;

    private static final Logger log = LoggerFactory.getLogger(TargetPodReconciler.class);

    private final Pods pods;
    private final Caches caches;
    private final Migrations migrations;
    private final SimpleInboundEventSource<VirtualMachineInstanceMigration> changed;

    /**
     * @param caches get their pods from this reconciler
     * @param changed is told which migrations have a pod that changed
     */
    public TargetPodReconciler(
            Pods pods,
            Caches caches,
            Migrations migrations,
            SimpleInboundEventSource<VirtualMachineInstanceMigration> changed) {
        this.pods = pods;
        this.caches = caches;
        this.migrations = migrations;
        this.changed = changed;
    }

    @Override
    public UpdateControl<LauncherPod> reconcile(LauncherPod seen, Context<LauncherPod> context) {
        String namespace = seen.getMetadata().getNamespace();
        if (seen.isHeldBy(DirectedMigration.GATE) && !seen.isMarkedForDeletion()) {
            pods.live(namespace, seen.getMetadata().getName()).ifPresent(pod -> release(seen, pod));
        }
        seen.migrationName().ifPresent(name -> changed.propagateEvent(new ResourceID(name, namespace)));
        return UpdateControl.noUpdate();
    }

    @Override
    public List<EventSource<?, LauncherPod>> prepareEventSources(EventSourceContext<LauncherPod> context) {
        caches.followPods(context.getPrimaryCache());
        return List.of();
    }

    private void release(LauncherPod seen, JsonNode pod) {
        Optional<String> term = term(pod);
        JsonPatch patch = pods.patchOf(pod);
        if (term.isPresent()) {
            switch (TargetPodPatch.narrow(pod, term.get())) {
                case TargetPodPatch.Result.Changed(JsonPatch narrowing) -> patch.append(narrowing);
                case TargetPodPatch.Result.Unchanged() -> {}
                case TargetPodPatch.Result.InvalidTerm(List<FieldError> errors) -> {
                    log.error(
                            "deleting pod {}: the annotation of its migration is no term: {}",
                            Pods.nameOf(pod),
                            FieldError.inOneLine(errors));
                    pods.delete(seen);
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
}
