package io.kubevirt.ferry.volumes;

import io.kubevirt.ferry.api.Names;
import io.kubevirt.ferry.api.Original;
import io.kubevirt.ferry.api.Verdict;
import io.kubevirt.ferry.api.VolumeMigration;
import io.kubevirt.ferry.api.VolumeMigrationStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Decides what a VolumeMigration does next. */
public final class Decider {
    /** By the rules of the protocol. */
    public static final Decider PROTOCOL = new Decider(Rules.PROTOCOL);

    private final Rules rules;

    Decider(Rules rules) {
        this.rules = rules;
    }

    public Decision decide(Observation seen, Settings settings, Instant now) {
        var migration = seen.migration();
        var run = migration.status().run();
        if (run.filter(r -> r.progress().open()).isPresent()) {
            return running(View.of(seen, run.get(), settings, now));
        }
        boolean ended =
                run.filter(r -> r.progress().verdict() != Verdict.GiveUp).isPresent();
        if (migration.getMetadata().getDeletionTimestamp() != null) {
            return letGo(migration, migration.status());
        }
        return ended
                ? new Ended(rules).decide(View.of(seen, run.orElseThrow(), settings, now))
                : new Waiting().decide(seen, settings, now);
    }

    private Decision running(View v) {
        var next = step(v);
        boolean stale = v.progress()
                .awaited()
                .filter(waiting -> next.limit().filter(waiting.reason()::equals).isEmpty())
                .isPresent();
        // what is no longer waited for is forgotten before anything else, or it would be found expired later
        return report(v, stale && next.run().equals(v.run()) ? forgetting(v, next) : next);
    }

    private static Next forgetting(View v, Next next) {
        return Next.remember(
                v.run().with(v.progress().waitingFor(Optional.empty())),
                next.now().reason(),
                next.now().message());
    }

    private Next step(View v) {
        if (v.machineLeaving()) {
            return Ending.abandon(v);
        }
        return switch (v.progress().verdict()) {
            case Run -> witness(v).orElseGet(() -> new Forward(rules).next(v));
            case RollBack -> witness(v).orElseGet(() -> new RollBack(rules).next(v));
            case RestartNeeded -> witness(v).orElseGet(() -> new RollBack(rules).untilRestarted(v));
            case GiveUp -> new Outcomes(rules).givenUp(v);
            case Success -> new Outcomes(rules).moved(v);
            case RollForward -> new Outcomes(rules).rolledForward(v);
            case Changed -> new Outcomes(rules).changed(v);
            case DataLocationUnknown -> new Outcomes(rules).unknown(v);
        };
    }

    /** That the guest ran on the destinations is written down at once: the next migration wipes it off the VMI. */
    private static Optional<Next> witness(View v) {
        return v.handedOver()
                .filter(uid -> !uid.equals(v.attempts().handedOver()))
                .map(uid -> Next.remember(
                        v.run().with(v.attempts().withHandedOver(uid)), Reason.Migrating, "The guest was handed over"));
    }

    private static Decision report(View v, Next next) {
        var status = Report.of(v, next);
        boolean written = !next.run().equals(v.run());
        return new Decision(
                status,
                written ? Optional.empty() : next.action(),
                written ? Optional.of(Duration.ZERO) : next.again());
    }

    /**
     * The finalizer off, where there is nothing to undo.
     *
     * @param status what is written before
     */
    static Decision letGo(VolumeMigration migration, VolumeMigrationStatus status) {
        var finalizers = Objects.requireNonNullElse(migration.getMetadata().getFinalizers(), List.<String>of());
        return finalizers.contains(Names.VOLUME_MIGRATION)
                ? new Decision(
                        status,
                        Optional.of(new Action.RemoveFinalizer(
                                ref(migration),
                                finalizers,
                                migration.getStatus() != null || !status.equals(migration.status()),
                                status.run().map(Original::run))),
                        Optional.of(Duration.ZERO))
                : new Decision(status, Optional.empty(), Optional.empty());
    }

    static Action addFinalizer(VolumeMigration migration) {
        return new Action.AddFinalizer(
                ref(migration),
                Objects.requireNonNullElse(migration.getMetadata().getFinalizers(), List.of()));
    }

    static boolean finalizer(VolumeMigration migration) {
        return migration.getMetadata().getFinalizers().contains(Names.VOLUME_MIGRATION);
    }

    static Action.Ref ref(VolumeMigration migration) {
        return new Action.Ref(
                migration.getMetadata().getName(), migration.getMetadata().getUid());
    }

    static int nextRun(Optional<Original> last) {
        return last.map(Original::run).orElse(0) + 1;
    }
}
