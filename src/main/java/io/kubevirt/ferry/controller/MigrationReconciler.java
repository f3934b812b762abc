package io.kubevirt.ferry.controller;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.inbound.SimpleInboundEventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.kubevirt.ferry.admission.DirectedMigration;
import io.kubevirt.ferry.controller.Placement.Reason;
import io.kubevirt.ferry.controller.PlacementJudge.Judgement;
import io.kubevirt.ferry.kubevirt.LauncherPod;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import io.kubevirt.ferry.placement.FieldError;
import io.kubevirt.ferry.placement.TermReader;
import io.kubevirt.ferry.placement.TermReading;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says on each directed migration what became of its term, and deletes a target pod that got past it as long as that
 * leaves the guest where it is. It writes the condition {@value Placement#TYPE} and nothing else of a migration, and
 * neither VM nor VMI.
 */
@ControllerConfiguration(name = MigrationReconciler.NAME, generationAwareEventProcessing = false)
public final class MigrationReconciler implements Reconciler<VirtualMachineInstanceMigration> {
    public static final String NAME = "migration";

    private static final Logger log = LoggerFactory.getLogger(MigrationReconciler.class);

    private final Caches caches;
    private final Pods pods;
    private final Placements placements;
    private final Guests guests;
    private final SimpleInboundEventSource<VirtualMachineInstanceMigration> podEvents;

    /**
     * @param caches are filled by this reconciler's event sources, but for the pods
     * @param podEvents says which migrations have a pod that changed
     */
    public MigrationReconciler(
            Caches caches,
            Pods pods,
            Placements placements,
            Guests guests,
            SimpleInboundEventSource<VirtualMachineInstanceMigration> podEvents) {
        this.caches = caches;
        this.pods = pods;
        this.placements = placements;
        this.guests = guests;
        this.podEvents = podEvents;
    }

    /** Nodes are looked at when a migration is judged; when one changes the scheduler says so on the pod. */
    @Override
    public List<EventSource<?, VirtualMachineInstanceMigration>> prepareEventSources(
            EventSourceContext<VirtualMachineInstanceMigration> context) {
        InformerEventSource<Node, VirtualMachineInstanceMigration> nodes = new InformerEventSource<>(
                InformerEventSourceConfiguration.from(Node.class, VirtualMachineInstanceMigration.class)
                        .withName("nodes")
                        .withItemStore(Trimmed.nodes())
                        .withSecondaryToPrimaryMapper(node -> Set.of())
                        .build(),
                context);
        caches.followMigrations(context.getPrimaryCache());
        caches.followNodes(nodes);
        return List.of(nodes, podEvents);
    }

    /** Whether a migration carries a term. */
    public static boolean isDirected(VirtualMachineInstanceMigration migration) {
        return term(migration).isPresent();
    }

    private static Optional<String> term(VirtualMachineInstanceMigration migration) {
        return Optional.ofNullable(migration.getMetadata().getAnnotations())
                .map(annotations -> annotations.get(DirectedMigration.ANNOTATION));
    }

    @Override
    public UpdateControl<VirtualMachineInstanceMigration> reconcile(
            VirtualMachineInstanceMigration migration, Context<VirtualMachineInstanceMigration> context) {
        Optional<String> text = term(migration);
        if (text.isEmpty()) {
            return UpdateControl.noUpdate();
        }
        Optional<Duration> again = switch (TermReader.read(DirectedMigration.ANNOTATION_PATH, text.get())) {
            case TermReading.Invalid(List<FieldError> errors) -> stop(migration, errors);
            case TermReading.Valid(NodeSelectorTerm term) -> judge(migration, term);
        };
        UpdateControl<VirtualMachineInstanceMigration> control = UpdateControl.noUpdate();
        return again.map(control::rescheduleAfter).orElse(control);
    }

    /** A pod that was made while nobody could refuse it goes where nobody asked for, unless it is deleted in time. */
    private Optional<Duration> stop(VirtualMachineInstanceMigration migration, List<FieldError> errors) {
        List<LauncherPod> targets = migration.finished() ? List.of() : caches.targetPods(migration);
        if (!targets.isEmpty()) {
            Guest guest = guests.of(migration);
            targets.stream()
                    .filter(pod -> guest.mayMoveInto(pod) && !guest.mayBeIn(pod))
                    .forEach(pod -> delete(pod, migration, "its term is none"));
        }
        return placements.say(migration, invalid(errors));
    }

    private static Placement invalid(List<FieldError> errors) {
        return new Placement(
                false,
                Reason.InvalidTerm,
                errors.stream().map(FieldError::toString).collect(Collectors.joining("; "))
                        + "; its target pods are refused: delete this migration and create another one");
    }

    private Optional<Duration> judge(VirtualMachineInstanceMigration migration, NodeSelectorTerm term) {
        List<Sighting> seen = caches.targetPods(migration).stream()
                .map(pod -> new Sighting(migration, term, pod, caches.nodes(), sourceNode(migration)))
                .toList();
        List<Judgement> judgements = seen.stream().map(PlacementJudge::judge).toList();
        if (seen.size() > 1 || judgements.stream().anyMatch(Judgement::deletePod)) {
            Guest guest = guests.of(migration);
            judgements = seen.stream()
                    .filter(each -> guest.mayMoveInto(each.pod()))
                    .map(each -> carryOut(each, guest))
                    .toList();
        }
        // A pod that got past the term is gone soon, and others with its marks may stay: they take nothing of that
        // back.
        return PlacementJudge.gravest(judgements)
                .placement()
                .filter(placement -> !(placement.applied() && Placement.isBypassed(migration)))
                .flatMap(placement -> placements.say(migration, placement));
    }

    /** Deletes before anything is said: each moment brings the guest nearer, and the words can be written later. */
    private Judgement carryOut(Sighting seen, Guest guest) {
        Judgement judgement = PlacementJudge.judge(seen);
        if (!judgement.deletePod()) {
            return judgement;
        }
        if (guest.mayBeIn(seen.pod())) {
            return PlacementJudge.leftAlone(seen);
        }
        delete(seen.pod(), seen.migration(), "its term does not match the node");
        return judgement;
    }

    private void delete(LauncherPod pod, VirtualMachineInstanceMigration migration, String why) {
        if (pod.isMarkedForDeletion()) {
            return;
        }
        log.warn(
                "deleting target pod {}/{} of migration {}, which no replica was there to admit: it is on {}, and {}",
                pod.getMetadata().getNamespace(),
                pod.getMetadata().getName(),
                migration.getMetadata().getName(),
                pod.node().orElse("no node"),
                why);
        pods.delete(pod);
    }

    private Optional<String> sourceNode(VirtualMachineInstanceMigration migration) {
        return Optional.ofNullable(migration.status().migrationState())
                .flatMap(state -> Optional.ofNullable(state.sourcePod()))
                .flatMap(name -> caches.pod(migration.getMetadata().getNamespace(), name))
                .flatMap(LauncherPod::node);
    }
}
