package io.kubevirt.ferry.volumes;

import io.kubevirt.ferry.api.Original;
import io.kubevirt.ferry.api.Progress.Step;
import io.kubevirt.ferry.api.Verdict;
import io.kubevirt.ferry.volumes.Move.Side;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** A VolumeMigration whose run is over: let go of it, try sources again that were in use, and delete it after its time. */
record Ended(Rules rules) {

    Decision decide(View v) {
        var migration = v.migration();
        var status = Report.ofEnded(v);
        var inUse = toTryAgain(v);
        if (!inUse) {
            var letGo = Decider.letGo(migration, status);
            return letGo.action().isPresent() ? letGo : timeToLive(v, letGo);
        }
        if (!v.machineLeaving() && v.machineSide() == Side.Destinations) {
            return tryAgain(v);
        }
        // the VM has moved on: whoever changed it decides about the old claims too
        var kept = v.run().with(v.progress().keepingSources());
        return new Decision(
                Report.ofEnded(View.of(v.seen(), kept, v.settings(), v.now())),
                Optional.empty(),
                Optional.of(Duration.ZERO));
    }

    private static boolean toTryAgain(View v) {
        return v.progress().verdict() == Verdict.Success
                && !v.progress().keepSources()
                && !Reclaim.inUse(v.seen(), v.run(), v.migration()).isEmpty();
    }

    private Decision tryAgain(View v) {
        var status = Report.ofEnded(v);
        boolean free = v.moves().stream()
                .filter(Move::deleteSource)
                .flatMap(move -> Reclaim.sourceClaim(v.seen(), v.run(), move.source()).stream())
                .filter(claim -> claim.getMetadata().getDeletionTimestamp() == null)
                .map(claim -> claim.getMetadata().getName())
                .anyMatch(name -> rules.unused(v, name)
                        && Reclaim.destinationGoing(v.seen(), v.run(), v.migration(), name)
                                .isEmpty());
        if (!free || v.machineLock().isPresent()) {
            return new Decision(
                    status,
                    Decider.letGo(v.migration(), status).action(),
                    Optional.of(v.settings().poll()));
        }
        if (!Decider.finalizer(v.migration())) {
            return new Decision(status, Optional.of(Decider.addFinalizer(v.migration())), Optional.of(Duration.ZERO));
        }
        var again = new Original(
                v.run().virtualMachineUid(),
                v.run().virtualMachineInstanceUid(),
                Decider.nextRun(Optional.of(v.run())),
                v.run().before(),
                v.progress().reopened(Step.Quiet),
                v.run().attempts());
        return new Decision(
                Report.of(v, Next.remember(again, Reason.ReclaimingSources, "Reclaiming the sources")),
                Optional.empty(),
                Optional.of(Duration.ZERO));
    }

    private static Decision timeToLive(View v, Decision otherwise) {
        var ttl = v.migration().getSpec().ttlSecondsAfterFinished();
        var end = otherwise.status().endTimestamp();
        if (ttl == null || end == null) {
            return otherwise;
        }
        var left = Duration.between(v.now(), Instant.parse(end).plusSeconds(ttl));
        return left.isPositive()
                ? new Decision(otherwise.status(), Optional.empty(), Optional.of(left))
                : new Decision(
                        otherwise.status(),
                        Optional.of(new Action.DeleteVolumeMigration(
                                Decider.ref(v.migration()),
                                v.migration().getMetadata().getResourceVersion())),
                        Optional.of(v.settings().poll()));
    }
}
