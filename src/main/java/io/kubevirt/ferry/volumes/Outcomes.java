package io.kubevirt.ferry.volumes;

import io.kubevirt.ferry.api.Progress.Guest;
import io.kubevirt.ferry.api.Progress.Step;
import io.kubevirt.ferry.api.Verdict;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.volumes.Move.Side;
import java.util.Optional;

/** What is still to be done under each verdict under which nothing moves any more. */
record Outcomes(Rules rules) {

    /** Nothing was changed: let go, and wait for a better moment. */
    Next givenUp(View v) {
        return v.locked() && v.machineSide() == Side.Destinations
                ? Next.verdict(
                        v, Verdict.RollBack, Reason.RolledBack, v.progress().message())
                : new Ending(rules).next(v, Reason.valueOf(v.progress().reason()));
    }

    /** The guest is on the destinations: reclaim the sources under the lock. */
    Next moved(View v) {
        if (v.progress().step() == Step.Quiet) {
            return relock(v);
        }
        boolean ours = v.machineSide() == Side.Destinations && (v.manual() || v.locked());
        return (ours ? new Reclaim(rules).next(v) : Reclaim.unmarking(v))
                .orElseGet(() ->
                        new Ending(rules).next(v, Reason.ReclaimingSources).keepingLimit(v));
    }

    /** Sources that were in use are tried again in a run of their own, which only locks. */
    private Next relock(View v) {
        if (v.manual() || v.locked()) {
            return Next.remember(
                    v.run().with(v.progress().with(Step.Changed)), Reason.ReclaimingSources, "Reclaiming the sources");
        }
        return v.machineLock().isEmpty() && v.machineSide() == Side.Destinations
                ? Next.act(v, MachineActions.lock(v), Reason.ReclaimingSources, "Locking the VM to reclaim the sources")
                : new Ending(rules).next(v, Reason.SourceInUse);
    }

    /** The guest was on the destinations when its VMI ended: they stay, and KubeVirt has to be told. */
    Next rolledForward(View v) {
        boolean ours = v.machineSide() == Side.Destinations;
        if (ours && v.manual() && v.machine().strategy().equals(Optional.of(VirtualMachine.MIGRATION))) {
            return Next.await(v, Reason.WaitingForUser, Words.takeStrategyOut(v));
        }
        var strategy = ours && v.locked() ? MachineActions.dropStrategy(v) : Optional.<Action>empty();
        return strategy.map(action -> Next.act(v, action, Reason.RollingBack, "Taking updateVolumesStrategy out"))
                .orElseGet(() -> new Ending(rules).next(v, Reason.RollingBack));
    }

    /** Somebody else decides about the volumes now: stop what we began, and say where the guest is. */
    Next changed(View v) {
        if (v.instance().isPresent() && !rules.aborted(v)) {
            return Abort.step(v);
        }
        var seen = rules.whereabouts(v);
        if (seen.isPresent() && !seen.equals(v.progress().seenGuest())) {
            return Next.remember(
                    v.run().with(v.progress().with(seen.get())), Reason.RollingBack, "Looking where the guest is");
        }
        return new Ending(rules).next(v, Reason.RollingBack);
    }

    /** Only a user can choose; until then nothing is touched. */
    Next unknown(View v) {
        if (chosen(v)) {
            return Next.verdict(
                    v, Verdict.Changed, Reason.VirtualMachineChanged, "A user has chosen which claims the VM names");
        }
        // let go, the VM would start on what it names now, at once or when its guest stops
        boolean kept = v.instance().isPresent();
        return v.deleted() && !kept
                ? new Ending(rules).next(v, Reason.DataLocationUnknown)
                : Next.await(v, Reason.DataLocationUnknown, Words.locationUnknown(v));
    }

    private static boolean chosen(View v) {
        boolean open = v.manual() ? v.machine().strategy().equals(Optional.of(VirtualMachine.MIGRATION)) : v.locked();
        return !open || v.machineSide() != Side.Destinations;
    }

    static boolean onDestinations(View v) {
        return v.progress().seenGuest().filter(Guest.Destinations::equals).isPresent();
    }
}
