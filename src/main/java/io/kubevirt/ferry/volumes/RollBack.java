package io.kubevirt.ferry.volumes;

import static io.kubevirt.ferry.volumes.Reason.RollingBack;

import io.kubevirt.ferry.api.Original;
import io.kubevirt.ferry.api.Progress.Guest;
import io.kubevirt.ferry.api.Verdict;
import io.kubevirt.ferry.volumes.Move.Side;
import java.util.Optional;

/**
 * A run that is to be undone: abort, look where the guest is, put back. A VM that names the sources has been put back; from
 * then on nothing is started again.
 */
record RollBack(Rules rules) {
    private static final String SETTLED = "Settled";
    private static final String CANCELLED = "Cancelled";
    private static final String LOOKED = "Looked";
    private static final String FINISHED = "Finished";

    Next next(View v) {
        var side = v.machineSide();
        if (side == Side.Sources) {
            return v.manual() ? tooLate(v).orElseGet(() -> putBack(v)) : putBackByUs(v);
        }
        if (side == Side.Neither || !(v.manual() || v.locked())) {
            return Next.changed(v);
        }
        return abort(v).or(() -> look(v)).orElseGet(() -> decided(v));
    }

    /** Empty when nothing can move the guest any more. */
    private Optional<Next> abort(View v) {
        if (v.instance().isEmpty() || waitsForUser(v) || rules.aborted(v)) {
            return Optional.empty();
        }
        return Optional.of(Abort.step(v).keepingLimit(v));
    }

    /** KubeVirt makes VMIMs until the user has put the VM back; the fence lets none of them get a pod. */
    private static boolean waitsForUser(View v) {
        return v.manual()
                && v.progress().seenGuest().filter(Guest.Sources::equals).isPresent();
    }

    /** Empty when it is known where the guest is. */
    private Optional<Next> look(View v) {
        var seen = rules.whereabouts(v);
        boolean another =
                v.anotherInstance() && seen.filter(Guest.Sources::equals).isPresent();
        if (v.instance().isEmpty() && (seen.isEmpty() || another)) {
            return Optional.of(Next.verdict(v, Verdict.DataLocationUnknown, Words.locationUnknown(v)));
        }
        if (seen.isEmpty()) {
            return Optional.of(Next.within(
                    v,
                    LOOKED,
                    v.settings().cancel(),
                    RollingBack,
                    "Looking for the pod in which the guest runs",
                    () -> Next.verdict(v, Verdict.DataLocationUnknown, Words.locationUnknown(v))));
        }
        return seen.equals(v.progress().seenGuest())
                ? Optional.empty()
                : Optional.of(Next.remember(
                        noted(v, seen.get()),
                        RollingBack,
                        "The guest is on the " + seen.get().name()));
    }

    private static Original noted(View v, Guest seen) {
        var progress = v.progress().with(seen);
        return v.run().with(seen == Guest.Sources && handOverUnseen(v) ? progress.withHandOverUnseen() : progress);
    }

    /** A migration ran when the VMI ended: a hand-over in its last second would not have been reported. */
    private static boolean handOverUnseen(View v) {
        return v.guest().isEmpty()
                && !v.attempts().current().isEmpty()
                && v.migration(v.attempts().current())
                        .map(vmim -> vmim.hasRun() && !vmim.succeeded())
                        .orElse(true);
    }

    private Next decided(View v) {
        return switch (v.progress().seenGuest().orElseThrow()) {
            case Destinations -> v.guest().isPresent() ? stay(v) : forward(v);
            case Sources -> back(v);
        };
    }

    private Next stay(View v) {
        if (rules.moved(v)) {
            var message = "The guest had moved already when it was to be rolled back";
            var kept = v.progress()
                    .with(Verdict.Success, Reason.Migrated.name(), message)
                    .keepingSources();
            return Next.remember(v.run().with(kept), Reason.ReclaimingSources, message);
        }
        return Next.within(
                v,
                FINISHED,
                v.settings().cancel(),
                RollingBack,
                "The guest runs on the destinations: waiting for KubeVirt to finish",
                () -> restartNeeded(v));
    }

    private static Next forward(View v) {
        return Next.verdict(v, Verdict.RollForward, Reason.RolledForward, Words.rolledForward(v));
    }

    private Next back(View v) {
        if (rules.settled(v)) {
            if (v.manual()) {
                return Next.await(v, Reason.WaitingForUser, Words.putBack(v, withStrategy(v)));
            }
            return Next.act(
                    v, MachineActions.putBack(v, withStrategy(v)), RollingBack, "Putting the VM back on the sources");
        }
        if (v.stopping()) {
            return Next.await(v, RollingBack, "Waiting for the VirtualMachineInstance to end");
        }
        return Next.within(
                v,
                SETTLED,
                v.settings().cancel(),
                RollingBack,
                "Waiting until KubeVirt has taken the change up, to put it back",
                () -> restartNeeded(v));
    }

    /** KubeVirt cancels while the strategy is on; where there is nothing to cancel, it goes at once. */
    private static boolean withStrategy(View v) {
        return v.guest()
                .map(vmi -> Settled.refused(v, vmi) || Settled.leftBehind(v, vmi))
                .orElse(true);
    }

    /** A user may put a VM back whose guest has moved already: its next start would be from stale claims. */
    private Optional<Next> tooLate(View v) {
        boolean known = Outcomes.onDestinations(v);
        if (!known && v.instance().isPresent() && !rules.aborted(v)) {
            return Optional.of(Abort.step(v).keepingLimit(v));
        }
        return rules.whereabouts(v)
                .filter(Guest.Destinations::equals)
                .map(there -> known
                        ? again(v)
                        : Next.remember(
                                v.run().with(v.progress().with(there)),
                                RollingBack,
                                "The guest is on the destinations"));
    }

    /** KubeVirt mends it silently as long as its VMI names the destinations; else it would copy onto the newest data. */
    private static Next again(View v) {
        return v.guest().isEmpty() || v.guestIs(Side.Destinations)
                ? Next.await(
                        v,
                        Reason.WaitingForUser,
                        Words.nameDestinationsAgain(v, v.guest().isPresent()))
                : restartNeeded(v);
    }

    /** We put back only when the guest is known to be on the sources; whoever did it before may have been wrong. */
    private Next putBackByUs(View v) {
        return v.progress().seenGuest().filter(Guest.Sources::equals).isPresent() ? putBack(v) : Next.changed(v);
    }

    private Next putBack(View v) {
        if (v.guest().isPresent() && !rules.back(v)) {
            return cancelling(v);
        }
        var strategy = v.locked() ? rules.strategyBack(v) : Optional.<Action>empty();
        return strategy.map(action -> Next.act(v, action, RollingBack, "Putting updateVolumesStrategy back"))
                .orElseGet(() -> new Ending(rules).next(v, RollingBack));
    }

    private Next cancelling(View v) {
        var deletable = Abort.deletable(v);
        if (deletable.isPresent()) {
            return Abort.delete(v, deletable.get()).keepingLimit(v);
        }
        if (v.stopping()) {
            return Next.await(v, RollingBack, "Waiting for the VirtualMachineInstance to end");
        }
        return Next.within(
                v,
                CANCELLED,
                v.settings().cancel(),
                RollingBack,
                "The VM is back on the sources: waiting for KubeVirt to cancel",
                () -> v.unfinished().isEmpty()
                        ? restartNeeded(v)
                        : Next.await(v, RollingBack, "Waiting for the migration under way to end"));
    }

    private static Next restartNeeded(View v) {
        return Next.verdict(v, Verdict.RestartNeeded, Words.restart(v));
    }

    /** Until the VMI ends, or KubeVirt comes to itself. */
    Next untilRestarted(View v) {
        if (v.machineSide() == Side.Neither || (!v.manual() && !v.locked())) {
            return Next.changed(v);
        }
        return v.guest().isEmpty() || listens(v)
                ? Next.verdict(v, Verdict.RollBack, v.progress().message())
                : Next.await(v, Reason.RestartNeeded, Words.restart(v));
    }

    private boolean listens(View v) {
        boolean onSources = v.machineSide() == Side.Sources;
        if (Outcomes.onDestinations(v)) {
            return !onSources && rules.moved(v);
        }
        return onSources ? rules.back(v) : rules.settled(v) || rules.moved(v);
    }
}
