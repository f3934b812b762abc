package io.kubevirt.ferry.volumes;

import static io.kubevirt.ferry.volumes.Reason.Migrating;
import static io.kubevirt.ferry.volumes.Reason.UpdatingVirtualMachine;

import io.fabric8.kubernetes.api.model.Pod;
import io.kubevirt.ferry.api.Before;
import io.kubevirt.ferry.api.Progress.Guest;
import io.kubevirt.ferry.api.Verdict;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstance;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import io.kubevirt.ferry.volumes.Move.Side;
import java.util.Optional;
import java.util.stream.Stream;

/** A run whose VM names the destinations: KubeVirt takes it up, migrates, and tries again where that fails. */
record Moving(Rules rules) {
    private static final String NEXT_MIGRATION = "NextMigration";
    private static final String TAKEN_UP = "TakenUp";
    private static final String BETWEEN = "Between";
    private static final String FINISHED = "Finished";

    Next next(View v) {
        return taken(v).or(() -> ended(v)).or(() -> attempt(v)).orElseGet(() -> onward(v));
    }

    /** Somebody else writes the volumes now. */
    private Optional<Next> taken(View v) {
        if (v.manual() && v.machineSide() == Side.Sources) {
            return Optional.of(rollBack(v, Reason.Cancelled, "The VM was put back on the sources"));
        }
        if (v.machineSide() == Side.Destinations && (v.manual() || v.locked())) {
            return Optional.empty();
        }
        return Optional.of(Next.changed(v));
    }

    private Optional<Next> ended(View v) {
        if (v.deleted()) {
            return Optional.of(rollBack(v, Reason.Cancelled, "The VolumeMigration was deleted"));
        }
        if (v.stopping()) {
            return Optional.of(rollBack(v, Reason.RolledBack, "The VM was stopped in the middle"));
        }
        if (v.restartRequired() && v.guestIs(Side.Sources)) {
            return Optional.of(rollBack(v, Reason.RolledBack, "KubeVirt refused the change" + kubeVirtsWords(v)));
        }
        if (rules.moved(v)) {
            return Optional.of(moved(v));
        }
        return v.guest()
                .filter(vmi -> Settled.leftBehind(v, vmi))
                .map(vmi -> rollBack(v, Reason.RolledBack, "A migration moved the guest without its volumes"));
    }

    /** Which claims the destinations are is written down with it: the guest's pod keeps others from their place. */
    private static Next moved(View v) {
        var destinations = v.moves().stream().map(Move::destination).toList();
        var known = v.seen().claims().stream()
                .map(claim -> claim.getMetadata())
                .filter(meta -> destinations.contains(meta.getName()))
                .map(meta -> new Before.Claim(meta.getName(), meta.getUid()))
                .toList();
        var message = Words.moved(v);
        var success = v.progress().with(Verdict.Success, Reason.Migrated.name(), message);
        return Next.remember(
                v.run().with(v.run().before().knowing(known)).with(success), Reason.ReclaimingSources, message);
    }

    private static String kubeVirtsWords(View v) {
        return v.machine()
                .condition(VirtualMachine.RESTART_REQUIRED)
                .map(condition -> ": " + condition.text())
                .orElse("");
    }

    /** Counts a failed attempt, or notes the one that is under way: what is gone was deleted. */
    private Optional<Next> attempt(View v) {
        var attempts = v.attempts();
        var failed = v.ofRun().stream()
                .filter(vmim -> vmim.failed() && !attempts.failed().contains(View.uid(vmim)))
                .findFirst();
        if (failed.isPresent()) {
            return Optional.of(failed(v, View.uid(failed.get()), failureReason(failed.get())));
        }
        if (!attempts.current().isEmpty() && v.migration(attempts.current()).isEmpty()) {
            return Optional.of(failed(v, attempts.current(), "it was deleted"));
        }
        return v.unfinished().stream()
                .map(View::uid)
                .filter(uid ->
                        v.unfinished().stream().noneMatch(vmim -> View.uid(vmim).equals(attempts.current())))
                .findFirst()
                .map(uid -> Next.remember(v.run().with(attempts.underWay(uid)), Migrating, "A migration is under way"));
    }

    private static String failureReason(VirtualMachineInstanceMigration vmim) {
        return Optional.ofNullable(vmim.status().migrationState())
                .map(state -> state.failureReason())
                .filter(reason -> !reason.isEmpty())
                .orElse("KubeVirt gave no reason");
    }

    private Next failed(View v, String uid, String why) {
        var attempts = v.attempts().withFailed(uid);
        int count = attempts.failed().size();
        int allowed = v.migration().getSpec().attemptsAllowed();
        var message = "Attempt " + count + " of " + allowed + " failed: " + why;
        var counted = v.run().with(attempts);
        return count >= allowed
                ? Next.remember(
                        counted.with(v.progress().with(Verdict.RollBack, Reason.BackoffLimitExceeded.name(), message)),
                        Reason.RollingBack,
                        message)
                : Next.remember(
                        counted.with(v.progress().saying(Reason.AttemptFailed.name(), message)),
                        Reason.AttemptFailed,
                        message);
    }

    private Next onward(View v) {
        var wrong = wrongTargetPods(v).findFirst();
        if (wrong.isPresent()) {
            return Next.act(
                    v,
                    new Action.DeletePod(Pods.ref(wrong.get())),
                    Migrating,
                    "A target pod mounts a source: deleting it");
        }
        var lockedUp = v.guest().flatMap(vmi -> lockedUp(v, vmi));
        if (lockedUp.isPresent()) {
            return lockedUp.get();
        }
        if (v.allWaitForPods()) {
            var elsewhere = guestElsewhere(v);
            if (elsewhere.isPresent()) {
                return elsewhere.get();
            }
        }
        if (!v.unfinished().isEmpty()) {
            return underWay(v, v.unfinished().getFirst());
        }
        if (rules.startable(v)) {
            return start(v);
        }
        return v.guest().map(vmi -> untilTakenUp(v, vmi)).orElseThrow();
    }

    /** Pods that would take the guest along without its volumes; not once the guest may be in there. */
    private static Stream<Pod> wrongTargetPods(View v) {
        return v.unfinished().stream()
                .filter(vmim -> !vmim.hasRun())
                .flatMap(vmim -> v.targetPods(vmim).stream())
                .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null && !Pods.terminated(pod))
                .filter(v::mountsSource);
    }

    private Next underWay(View v, VirtualMachineInstanceMigration vmim) {
        return Next.await(
                v,
                Migrating,
                "Attempt " + (v.attempts().failed().size() + 1) + " of "
                        + v.migration().getSpec().attemptsAllowed() + " by "
                        + vmim.getMetadata().getName() + ": "
                        + (vmim.phase().isEmpty() ? "Pending" : vmim.phase()));
    }

    /** The first VMIM is ours if KubeVirt has none yet; after a failure KubeVirt's own comes first, held back by it. */
    private Next start(View v) {
        int made = (int) v.ofRun().stream().filter(vmim -> vmim.succeeded()).count()
                + v.attempts().failed().size();
        var create = InstanceActions.migrate(v, made + 1);
        return made == 0
                ? Next.act(v, create, Migrating, "Starting the migration")
                : Next.within(
                        v,
                        NEXT_MIGRATION,
                        v.settings().nextMigration(),
                        Reason.AttemptFailed,
                        v.progress().message() + "; the next one starts in a moment",
                        () -> Next.act(v, create, Migrating, "Starting the next attempt"));
    }

    /** What no migration may go on from; the fence keeps it out. */
    private static Optional<Next> guestElsewhere(View v) {
        if (!v.guestBetween().isEmpty()) {
            return Optional.of(between(v));
        }
        boolean unfinished = v.guest().filter(vmi -> !v.calm(vmi)).isPresent();
        return unfinished && v.guestPodOn().filter(Guest.Destinations::equals).isPresent()
                ? Optional.of(unfinished(v))
                : Optional.empty();
    }

    private static Next unfinished(View v) {
        return Next.within(
                v,
                FINISHED,
                v.settings().finish(),
                Migrating,
                "The guest runs on the destinations: waiting for KubeVirt to finish",
                () -> rollBack(
                        v, Reason.RolledBack, "KubeVirt did not finish the move of a guest on the destinations"));
    }

    /** KubeVirt takes the move for done, or will not begin it: nothing that we may do moves the rest of the volumes. */
    private static Next between(View v) {
        return Next.within(
                v,
                BETWEEN,
                v.settings().cancel(),
                UpdatingVirtualMachine,
                "The guest's pod mounts sources and destinations at once",
                () -> Next.verdict(
                        v, Verdict.DataLocationUnknown, Reason.DataLocationUnknown, Words.locationUnknown(v)));
    }

    /** KubeVirt may never go on from there. */
    private Optional<Next> lockedUp(View v, VirtualMachineInstance vmi) {
        return !halfTakenUp(v, vmi)
                ? Optional.empty()
                : Optional.of(Next.within(
                        v,
                        TAKEN_UP,
                        v.settings().cancel(),
                        UpdatingVirtualMachine,
                        "KubeVirt is changing the volumes of the guest",
                        () -> rollBack(
                                v, Reason.RolledBack, "KubeVirt locked up while it changed the volumes of the guest")));
    }

    /** KubeVirt says that volumes are under way before it has changed them, or has changed them and never says so. */
    private static boolean halfTakenUp(View v, VirtualMachineInstance vmi) {
        return v.side(vmi) == Side.Destinations
                ? !v.volumesChanging(vmi)
                        && !vmi.status().migratedVolumes().isEmpty()
                        && v.guestPodOn().filter(Guest.Sources::equals).isPresent()
                : v.volumesChanging(vmi);
    }

    /** KubeVirt has not taken the change up, or not finished what it took up. */
    private Next untilTakenUp(View v, VirtualMachineInstance vmi) {
        var said = vmi.condition(VirtualMachineInstance.VOLUMES_CHANGE)
                .filter(condition -> condition.denied())
                .map(condition -> condition.text())
                .filter(text -> !text.isEmpty());
        return Next.await(
                v,
                UpdatingVirtualMachine,
                said.map(text -> "KubeVirt waits: " + text + ". Put that right, or delete the VolumeMigration")
                        .orElse("Waiting for KubeVirt to take the change up"));
    }

    private static Next rollBack(View v, Reason reason, String message) {
        return Next.verdict(v, Verdict.RollBack, reason, message);
    }
}
