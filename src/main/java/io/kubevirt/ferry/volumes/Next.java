package io.kubevirt.ferry.volumes;

import io.kubevirt.ferry.api.Original;
import io.kubevirt.ferry.api.Progress.Waiting;
import io.kubevirt.ferry.api.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What a step of a run comes to: something to remember, or something to do, or only to wait, never two of them.
 *
 * @param run as it is to be remembered
 * @param now what the conditions say
 * @param limit the limit under which is waited, if any
 */
record Next(Original run, Situation now, Optional<Action> action, Optional<Duration> again, Optional<String> limit) {

    /** What the conditions say: why, and in words what is going on and what to do. */
    record Situation(Reason reason, String message) {}

    static Next act(View v, Action action, Reason reason, String message) {
        return new Next(
                v.run(),
                new Situation(reason, message),
                Optional.of(action),
                Optional.of(Duration.ZERO),
                Optional.empty());
    }

    static Next await(View v, Reason reason, String message) {
        return new Next(
                v.run(),
                new Situation(reason, message),
                Optional.empty(),
                Optional.of(v.settings().poll()),
                Optional.empty());
    }

    static Next remember(Original run, Reason reason, String message) {
        return new Next(
                run, new Situation(reason, message), Optional.empty(), Optional.of(Duration.ZERO), Optional.empty());
    }

    /** The verdict and why, before anything that follows from it. */
    static Next verdict(View v, Verdict verdict, Reason reason, String message) {
        return remember(
                v.run().with(v.progress().with(verdict, reason.name(), message)), underWay(verdict, reason), message);
    }

    /** The verdict, before anything that follows from it, for the reason that there was already. */
    static Next verdict(View v, Verdict verdict, String message) {
        var why = Reason.valueOf(v.progress().reason());
        return remember(v.run().with(v.progress().with(verdict)), underWay(verdict, why), message);
    }

    /** The verdict where somebody else writes the volumes now. */
    static Next changed(View v) {
        return verdict(
                v,
                Verdict.Changed,
                Reason.VirtualMachineChanged,
                "Somebody else changed the volumes of the VM, or unlocked it");
    }

    private static Reason underWay(Verdict verdict, Reason reason) {
        return switch (verdict) {
            case RollBack, RollForward, Changed -> Reason.RollingBack;
            case RestartNeeded -> Reason.RestartNeeded;
            case DataLocationUnknown -> Reason.DataLocationUnknown;
            case Success -> Reason.ReclaimingSources;
            case Run, GiveUp -> reason;
        };
    }

    /** Waits for at most that long, from when it was first written down; then {@code late} decides. */
    static Next within(View v, String limit, Duration most, Reason reason, String message, Supplier<Next> late) {
        Optional<Instant> since = v.progress()
                .awaited()
                .filter(waiting -> waiting.reason().equals(limit))
                .map(Waiting::start);
        if (since.isEmpty()) {
            var waiting = Optional.of(new Waiting(limit, v.now().toString()));
            return remember(v.run().with(v.progress().waitingFor(waiting)), reason, message)
                    .under(limit);
        }
        var left = Duration.between(v.now(), since.get().plus(most));
        return left.isPositive()
                ? new Next(
                        v.run(),
                        new Situation(reason, message),
                        Optional.empty(),
                        Optional.of(left),
                        Optional.of(limit))
                : late.get().under(limit);
    }

    /** The limit that runs already goes on: what is done meanwhile is no reason to begin to wait anew. */
    Next keepingLimit(View v) {
        return v.progress().awaited().map(waiting -> under(waiting.reason())).orElse(this);
    }

    /** The same while that limit goes on counting. */
    Next under(String waited) {
        return new Next(run, now, action, again, Optional.of(waited));
    }
}
