package io.kubevirt.ferry.volumes;

import io.kubevirt.ferry.api.MigratedVolume;
import io.kubevirt.ferry.api.Original;
import io.kubevirt.ferry.api.Verdict;
import io.kubevirt.ferry.api.VolumeMigrationState;
import io.kubevirt.ferry.api.VolumeMigrationState.State;
import io.kubevirt.ferry.api.VolumeMigrationStatus;
import io.kubevirt.ferry.kubevirt.MigrationState;
import io.kubevirt.ferry.kubevirt.Volume;
import io.kubevirt.ferry.volumes.Next.Situation;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The status, told from what was seen and what is remembered. */
final class Report {
    private Report() {}

    /** Of one that waits to start, or may not. */
    static VolumeMigrationStatus ofWaiting(Observation seen, List<Finding> findings, Situation situation, Instant now) {
        var before = seen.migration().status();
        return new VolumeMigrationStatus(
                seen.migration().getMetadata().getGeneration(),
                seen.machine().map(vm -> vm.getMetadata().getName()).orElse(null),
                seen.instance().map(vmi -> vmi.getMetadata().getName()).orElse(null),
                null,
                null,
                null,
                null,
                null,
                null,
                states(
                        seen,
                        asked -> onMachine(seen, asked).orElse(null),
                        asked -> VolumeState.waiting(asked, findings)),
                before.original(),
                Conditions.of(seen.migration(), situation, Optional.empty(), now));
    }

    /** Of one that runs, or has just ended with what is to be remembered now. */
    static VolumeMigrationStatus of(View v, Next next) {
        var ended = !next.run().progress().open() && next.run().progress().verdict() != Verdict.GiveUp;
        return ended
                ? ofEnded(View.of(v.seen(), next.run(), v.settings(), v.now()))
                : status(v, next.run(), next.now(), v.migration().status().endTimestamp());
    }

    /** Of one whose run is over. */
    static VolumeMigrationStatus ofEnded(View v) {
        var end = v.migration().status().endTimestamp();
        return status(v, v.run(), outcome(v), end != null ? end : seconds(v.now()));
    }

    private static Situation outcome(View v) {
        var progress = v.progress();
        return switch (progress.verdict()) {
            case Success -> {
                var inUse =
                        progress.keepSources() ? List.<String>of() : Reclaim.inUse(v.seen(), v.run(), v.migration());
                yield inUse.isEmpty()
                        ? new Situation(Reason.Migrated, progress.message() + (v.manual() ? Words.strategyLater() : ""))
                        : new Situation(
                                Reason.SourceInUse,
                                "The volumes have moved; not deleted yet: " + String.join(", ", inUse)
                                        + ". It is tried again until nobody uses it");
            }
            case RollForward -> new Situation(Reason.RolledForward, progress.message());
            case Run, GiveUp, RollBack, Changed, RestartNeeded, DataLocationUnknown ->
                new Situation(Reason.valueOf(progress.reason()), Words.ended(v));
        };
    }

    private static VolumeMigrationStatus status(View v, Original run, Situation now, @Nullable String end) {
        var before = v.migration().status();
        var migration = v.migrationState();
        return new VolumeMigrationStatus(
                v.migration().getMetadata().getGeneration(),
                // while it waited it may have been about another VM
                v.machineThere() ? v.machine().getMetadata().getName() : before.virtualMachineName(),
                orElse(
                        before.virtualMachineInstanceName(),
                        v.seen().instance().map(vmi -> vmi.getMetadata().getName())),
                newestMigration(v).orElse(before.virtualMachineMigrationName()),
                migration
                        .map(MigrationState::sourceNode)
                        .or(() -> Optional.ofNullable(before.sourceNode()))
                        .or(() -> v.instance().map(vmi -> vmi.status().nodeName()))
                        .orElse(null),
                migration.map(MigrationState::targetNode).orElse(before.targetNode()),
                Objects.requireNonNullElse(before.startTimestamp(), seconds(v.now())),
                end,
                attempts(run),
                states(v.seen(), asked -> ofRun(v, asked), asked -> VolumeState.running(now.reason())),
                run,
                Conditions.of(v.migration(), now, Optional.of(reclaimed(v)), v.now()));
    }

    private static Situation reclaimed(View v) {
        boolean deletes = v.moves().stream().anyMatch(Move::deleteSource)
                && !v.progress().keepSources()
                && v.progress().verdict() == Verdict.Success;
        return deletes
                ? new Situation(Reason.Deleted, "The sources that were to be deleted are gone")
                : new Situation(Reason.Retained, "The sources were kept");
    }

    /** The one under way, else the newest that has failed or succeeded. */
    private static Optional<String> newestMigration(View v) {
        return v.ofRun().stream()
                .max(java.util.Comparator.comparing(
                        vmim -> Objects.requireNonNullElse(vmim.getMetadata().getCreationTimestamp(), "")))
                .map(vmim -> vmim.getMetadata().getName());
    }

    /** Those that failed, and the one that did not, or not yet. */
    private static int attempts(Original run) {
        boolean another = !run.attempts().current().isEmpty() || run.progress().verdict() == Verdict.Success;
        return run.attempts().failed().size() + (another ? 1 : 0);
    }

    private static List<VolumeMigrationState> states(
            Observation seen,
            Function<MigratedVolume, @Nullable String> volume,
            Function<MigratedVolume, VolumeState> of) {
        return seen.migration().getSpec().migratedVolume().stream()
                .map(asked -> {
                    var state = of.apply(asked);
                    return new VolumeMigrationState(
                            asked.sourcePvc(),
                            asked.destinationPvc(),
                            asked.reclaimPolicy(),
                            volume.apply(asked),
                            state.state(),
                            state.reason(),
                            state.message());
                })
                .toList();
    }

    private static Optional<String> onMachine(Observation seen, MigratedVolume asked) {
        return seen.machine().stream()
                .flatMap(vm -> vm.volumes().stream())
                .filter(volume ->
                        volume.claim().filter(asked.sourcePvc()::equals).isPresent())
                .map(Volume::name)
                .findFirst();
    }

    private static @Nullable String ofRun(View v, MigratedVolume asked) {
        return v.moves().stream()
                .filter(move -> move.source().equals(asked.sourcePvc()))
                .map(Move::volume)
                .findFirst()
                .orElse(null);
    }

    /** How one volume stands. */
    private record VolumeState(
            State state, @Nullable String reason, @Nullable String message) {
        static VolumeState waiting(MigratedVolume asked, List<Finding> findings) {
            var own = findings.stream()
                    .filter(finding -> finding.sources().contains(asked.sourcePvc()))
                    .toList();
            var worst = own.stream()
                    .filter(Finding::rejects)
                    .findFirst()
                    .or(() -> own.stream().findFirst());
            return worst.map(finding -> new VolumeState(
                            finding.rejects() ? State.Rejected : State.Pending,
                            finding.reason().name(),
                            finding.message()))
                    .orElse(new VolumeState(State.Valid, null, null));
        }

        static VolumeState running(Reason now) {
            var state = switch (now.shows()) {
                case Done, Reclaiming, Reclaimed -> State.Migrated;
                case Failed -> now.onMigrated() == Reason.RolledBack ? State.RolledBack : State.Migrating;
                case Accepted, Pending, Rejected, RejectedVolume, Working -> State.Migrating;
            };
            return new VolumeState(state, null, null);
        }
    }

    private static @Nullable String orElse(@Nullable String first, Optional<String> second) {
        return first != null ? first : second.orElse(null);
    }

    private static String seconds(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
