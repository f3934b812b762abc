package io.kubevirt.ferry.volumes;

import static io.kubevirt.ferry.volumes.Reason.ReclaimingSources;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.kubevirt.ferry.api.MigratedVolume;
import io.kubevirt.ferry.api.Names;
import io.kubevirt.ferry.api.Original;
import io.kubevirt.ferry.api.ReclaimPolicy;
import io.kubevirt.ferry.api.VolumeMigration;
import io.kubevirt.ferry.kubevirt.DataVolume;
import io.kubevirt.ferry.volumes.Action.Source;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Deletes the sources of volumes that have moved, one write at a time: mark, look again, delete what has not been touched
 * since. A claim that is deleted lingers as long as a pod that was scheduled names it, so the finished pod that the guest
 * came from goes too.
 */
record Reclaim(Rules rules) {
    private static final String SOURCE_POD = "SourcePod";

    /** Empty when there is nothing more to be done now: all is deleted, kept, or in use. */
    Optional<Next> next(View v) {
        var claims = toReclaim(v);
        if (v.deleted() || v.progress().keepSources()) {
            return unmarking(v);
        }
        if (v.seen().usage().isEmpty()) {
            return Optional.of(Next.await(v, ReclaimingSources, "Looking who uses the sources"));
        }
        return claims.stream()
                .map(claim -> step(v, claim))
                .flatMap(Optional::stream)
                .findFirst()
                .map(next -> waitedForPod(v) ? next.under(SOURCE_POD) : next);
    }

    /**
     * Takes the marks off, where nothing is to be deleted any more: what an operator that was paused deletes late is a claim
     * as it was marked. Empty when none is left.
     */
    static Optional<Next> unmarking(View v) {
        return toReclaim(v).stream()
                .filter(claim -> claim.getMetadata().getDeletionTimestamp() == null)
                .flatMap(claim -> unmark(v, claim).stream())
                .findFirst();
    }

    /** The sources that are to be deleted and still there; not another claim that has got the name since. */
    private static List<PersistentVolumeClaim> toReclaim(View v) {
        return v.moves().stream()
                .filter(Move::deleteSource)
                .flatMap(move -> sourceClaim(v.seen(), v.run(), move.source()).stream())
                .toList();
    }

    static Optional<PersistentVolumeClaim> sourceClaim(Observation seen, Original run, String name) {
        return seen.claims().stream()
                .filter(claim -> claim.getMetadata().getName().equals(name))
                .filter(claim -> run.before().claims().stream()
                        .anyMatch(
                                known -> known.uid().equals(claim.getMetadata().getUid())))
                .findFirst();
    }

    private Optional<Next> step(View v, PersistentVolumeClaim claim) {
        var name = claim.getMetadata().getName();
        if (claim.getMetadata().getDeletionTimestamp() != null) {
            return lingering(v, claim);
        }
        if (destinationGoing(v.seen(), v.run(), v.migration(), name).isPresent()) {
            return unmark(v, claim);
        }
        if (!rules.unused(v, name)) {
            return usedByOwnPodsOnly(v, name) && !waitedForPod(v)
                    ? Optional.of(untilSourcePodEnds(v))
                    : unmark(v, claim);
        }
        var owner = owner(v, claim);
        HasMetadata object = owner.isPresent() ? owner.get() : claim;
        var source = source(object, owner.isPresent());
        if (object.getMetadata().getDeletionTimestamp() != null) {
            return untilGone(v, name);
        }
        return Optional.of(
                marked(v, object)
                        ? Next.act(v, new Action.DeleteSource(source), ReclaimingSources, "Deleting source " + name)
                        : Next.act(
                                v,
                                new Action.MarkSource(source, annotated(object), v.mark()),
                                ReclaimingSources,
                                "Marking source " + name));
    }

    /** Finished pods of the VMI that still protect the claim; where there are only those of others, it is in use. */
    private static Optional<Next> lingering(View v, PersistentVolumeClaim claim) {
        var name = claim.getMetadata().getName();
        var finished = ownPods(v, name).filter(Pods::terminated).findFirst();
        if (finished.isPresent()) {
            return Optional.of(Next.act(
                    v,
                    new Action.DeletePod(Pods.ref(finished.get())),
                    ReclaimingSources,
                    "Deleting the pod that held " + name));
        }
        boolean others = v.seen().usage().orElseThrow().pods().stream()
                .anyMatch(pod -> Pods.claims(pod).contains(name));
        return others ? Optional.empty() : untilGone(v, name);
    }

    /** Somebody else's finalizer can keep it for ever, and meanwhile the VM is locked and held. */
    private static Optional<Next> untilGone(View v, String name) {
        var message = "Waiting for source " + name + " to be gone";
        return waitedForPod(v)
                ? Optional.empty()
                : Optional.of(Next.within(
                        v,
                        SOURCE_POD,
                        v.settings().poll(),
                        ReclaimingSources,
                        message,
                        () -> Next.await(v, ReclaimingSources, message)));
    }

    private static Stream<Pod> ownPods(View v, String claim) {
        return v.seen().usage().orElseThrow().pods().stream()
                .filter(pod -> own(v, pod))
                .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
                .filter(pod -> Pods.claims(pod).contains(claim));
    }

    /** A launcher pod of the VMI, or an attachment pod of one. */
    private static boolean own(View v, Pod pod) {
        var instance = v.run().virtualMachineInstanceUid();
        return Pods.launches(pod, instance)
                || v.seen().usage().orElseThrow().pods().stream()
                        .anyMatch(launcher -> Pods.launches(launcher, instance) && Pods.attachesFor(pod, launcher));
    }

    private static boolean usedByOwnPodsOnly(View v, String claim) {
        return Users.ofSource(v.seen().usage().orElseThrow(), v.migration(), claim, pod -> !own(v, pod))
                .findAny()
                .isEmpty();
    }

    /** The pod that the guest came from takes a moment to end. */
    private static Next untilSourcePodEnds(View v) {
        return Next.within(
                v,
                SOURCE_POD,
                v.settings().poll(),
                ReclaimingSources,
                "Waiting for the pod that the guest came from to end",
                () -> Next.await(v, ReclaimingSources, "The pod that the guest came from does not end"));
    }

    private static boolean waitedForPod(View v) {
        return v.progress()
                .awaited()
                .filter(waiting -> waiting.reason().equals(SOURCE_POD))
                .filter(waiting ->
                        !v.now().isBefore(waiting.start().plus(v.settings().poll())))
                .isPresent();
    }

    private static Optional<Next> unmark(View v, PersistentVolumeClaim claim) {
        var owner = owner(v, claim);
        HasMetadata object = owner.isPresent() ? owner.get() : claim;
        return marked(v, object)
                ? Optional.of(Next.act(
                        v,
                        new Action.UnmarkSource(source(object, owner.isPresent()), v.mark()),
                        ReclaimingSources,
                        "Source " + claim.getMetadata().getName() + " stays for now"))
                : Optional.empty();
    }

    private static boolean marked(View v, HasMetadata object) {
        return View.annotation(object.getMetadata(), Names.VOLUME_MIGRATION)
                .filter(v.mark()::equals)
                .isPresent();
    }

    private static boolean annotated(HasMetadata object) {
        var annotations = object.getMetadata().getAnnotations();
        return annotations != null && !annotations.isEmpty();
    }

    /** The DataVolume that would bring the claim back. */
    private static Optional<DataVolume> owner(View v, PersistentVolumeClaim claim) {
        return v.seen().dataVolumes().stream()
                .filter(dataVolume -> claim.getMetadata().getOwnerReferences().stream()
                        .anyMatch(owner ->
                                owner.getUid().equals(dataVolume.getMetadata().getUid())))
                .findFirst();
    }

    private static Source source(HasMetadata object, boolean dataVolume) {
        var meta = object.getMetadata();
        return new Source(
                dataVolume ? Source.Kind.DataVolume : Source.Kind.PersistentVolumeClaim,
                new Action.Ref(meta.getName(), meta.getUid()),
                meta.getResourceVersion());
    }

    /**
     * The destination that somebody has deleted: it goes with the guest's pod, and then the source is all that is left.
     * Another claim that has got its name since does not hold what has moved.
     */
    static Optional<String> destinationGoing(Observation seen, Original run, VolumeMigration migration, String source) {
        return migration.getSpec().migratedVolume().stream()
                .filter(volume -> volume.sourcePvc().equals(source))
                .map(MigratedVolume::destinationPvc)
                .filter(destination -> seen.claims().stream()
                        .filter(claim -> claim.getMetadata().getName().equals(destination))
                        .filter(claim -> claim.getMetadata().getDeletionTimestamp() == null)
                        .noneMatch(claim -> run.before()
                                .mayBe(destination, claim.getMetadata().getUid())))
                .findFirst();
    }

    /** Who keeps a source that is to be deleted from being so, in words; empty when all that are to be deleted are gone. */
    static List<String> inUse(Observation seen, Original run, VolumeMigration migration) {
        return migration.getSpec().migratedVolume().stream()
                .filter(volume -> volume.reclaimPolicy() == ReclaimPolicy.Delete)
                .flatMap(volume -> sourceClaim(seen, run, volume.sourcePvc()).stream())
                .map(claim -> claim.getMetadata().getName())
                .map(name -> name + inUse(seen, run, migration, name))
                .toList();
    }

    private static String inUse(Observation seen, Original run, VolumeMigration migration, String name) {
        return destinationGoing(seen, run, migration, name)
                .map(destination -> " stays, since " + destination + " was deleted")
                .or(() -> seen.usage()
                        .flatMap(usage -> Users.ofSource(usage, migration, name, pod -> true)
                                .findFirst())
                        .map(user -> " is used by " + user))
                .orElse(" is still there");
    }
}
