package io.kubevirt.ferry.volumes;

import io.kubevirt.ferry.api.VolumeMigration;
import io.kubevirt.ferry.api.VolumeMigrationCondition;
import io.kubevirt.ferry.volumes.Next.Situation;
import io.kubevirt.ferry.volumes.Reason.Shows;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The conditions that a situation shows, so that kstatus and whatever stands on it understand them. */
final class Conditions {
    static final String ACCEPTED = "Accepted";
    static final String MIGRATED = "Migrated";
    static final String SOURCES_RECLAIMED = "SourcesReclaimed";
    static final String READY = "Ready";
    static final String RECONCILING = "Reconciling";
    static final String STALLED = "Stalled";

    private static final Set<String> OWN = Set.of(ACCEPTED, MIGRATED, SOURCES_RECLAIMED, READY, RECONCILING, STALLED);

    private final VolumeMigration migration;
    private final Instant now;
    private final List<VolumeMigrationCondition> conditions = new ArrayList<>();

    private Conditions(VolumeMigration migration, Instant now) {
        this.migration = migration;
        this.now = now;
    }

    /** @param reclaimed what became of the sources, once the volumes have moved */
    static List<VolumeMigrationCondition> of(
            VolumeMigration migration, Situation situation, Optional<Situation> reclaimed, Instant now) {
        var all = new Conditions(migration, now);
        // of which volume that is the reason, its state says
        var told = situation.reason().shows() == Shows.RejectedVolume
                ? new Situation(Reason.VolumesRejected, situation.message())
                : situation;
        all.addWhatIsAsked(told, reclaimed);
        all.addSummary(told);
        all.addForeign();
        return List.copyOf(all.conditions);
    }

    private void addWhatIsAsked(Situation situation, Optional<Situation> reclaimed) {
        switch (situation.reason().shows()) {
            case Accepted, Pending, Rejected, RejectedVolume -> add(ACCEPTED, false, situation);
            case Working -> {
                accepted();
                add(MIGRATED, false, situation);
            }
            case Reclaiming, Reclaimed -> {
                accepted();
                migrated(new Situation(Reason.Migrated, "The guest runs on the destinations"));
                add(SOURCES_RECLAIMED, false, situation);
            }
            case Done -> {
                accepted();
                migrated(situation);
                reclaimed.ifPresent(what -> add(SOURCES_RECLAIMED, true, what));
            }
            case Failed -> {
                accepted();
                add(MIGRATED, false, new Situation(situation.reason().onMigrated(), situation.message()));
            }
        }
    }

    /** The API server would refuse more. */
    private static String shortened(String message) {
        return message.length() <= VolumeMigrationCondition.LONGEST_MESSAGE
                ? message
                : message.substring(0, VolumeMigrationCondition.LONGEST_MESSAGE - 1) + "…";
    }

    private void accepted() {
        add(ACCEPTED, true, new Situation(Reason.Valid, "Every check held"));
    }

    private void migrated(Situation situation) {
        add(MIGRATED, true, situation);
    }

    private void addSummary(Situation situation) {
        boolean ready = false;
        boolean stalled = false;
        switch (situation.reason().shows()) {
            case Done -> ready = true;
            case Rejected, RejectedVolume, Failed -> stalled = true;
            case Accepted, Pending, Working, Reclaiming, Reclaimed -> {}
        }
        add(READY, ready, situation);
        add(RECONCILING, !ready && !stalled, situation);
        add(STALLED, stalled, situation);
    }

    /** Somebody else's stay as they are. */
    private void addForeign() {
        migration.status().conditions().stream()
                .filter(condition -> !OWN.contains(condition.type()))
                .forEach(conditions::add);
    }

    private void add(String type, boolean holds, Situation situation) {
        var status = holds ? "True" : "False";
        var since = migration
                .status()
                .condition(type)
                .filter(before -> before.status().equals(status))
                .map(VolumeMigrationCondition::lastTransitionTime)
                .orElse(now.truncatedTo(ChronoUnit.SECONDS).toString());
        conditions.add(new VolumeMigrationCondition(
                type,
                status,
                migration.getMetadata().getGeneration(),
                since,
                situation.reason().name(),
                shortened(situation.message())));
    }
}
