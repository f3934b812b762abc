package io.kubevirt.ferry.volumes;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubevirt.ferry.api.VolumeMigration;
import io.kubevirt.ferry.api.VolumeMigrationCondition;
import io.kubevirt.ferry.api.VolumeMigrationStatus;
import io.kubevirt.ferry.volumes.Next.Situation;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every reason shows, for people and for tools that know only {@code Ready}, {@code Reconciling} and {@code Stalled}. */
class ConditionsTest {
    private static final Situation KEPT = new Situation(Reason.Retained, "kept");

    @ParameterizedTest
    @EnumSource(Reason.class)
    void exactlyOneOfReadyReconcilingAndStalledHolds(Reason reason) {
        var conditions = conditions(new Scene().migration(), reason, Scene.NOW);
        assertThat(List.of("Ready", "Reconciling", "Stalled"))
                .filteredOn(type -> condition(conditions, type).holds())
                .hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(Reason.class)
    void everyConditionIsOnceThereAndCompleteAndOfThisGeneration(Reason reason) {
        var migration = new Scene().migration();
        migration.getMetadata().setGeneration(7L);
        assertThat(conditions(migration, reason, Scene.NOW))
                .allMatch(condition -> condition.observedGeneration() == 7)
                .allMatch(condition -> !condition.reason().isEmpty())
                .allMatch(condition -> !condition.message().isEmpty())
                .allMatch(condition -> condition.lastTransitionTime().equals(Scene.NOW.toString()))
                .extracting(VolumeMigrationCondition::type)
                .doesNotHaveDuplicates()
                .contains("Accepted", "Ready", "Reconciling", "Stalled");
    }

    @ParameterizedTest
    @EnumSource(Reason.class)
    void nothingIsSaidToHaveMovedThatMayNot(Reason reason) {
        var conditions = conditions(new Scene().migration(), reason, Scene.NOW);
        boolean accepted = condition(conditions, "Accepted").holds();
        boolean migrated = find(conditions, "Migrated")
                .filter(VolumeMigrationCondition::holds)
                .isPresent();
        boolean reclaimed = find(conditions, "SourcesReclaimed")
                .filter(VolumeMigrationCondition::holds)
                .isPresent();
        assertThat(!migrated || accepted).isTrue();
        assertThat(!reclaimed || migrated).isTrue();
    }

    @Test
    void theTimeOfAConditionIsWhenItsStatusChangedAndNotItsReason() {
        var migration = new Scene().migration();
        migration.setStatus(with(conditions(migration, Reason.DestinationNotReady, Scene.NOW)));
        var later = Scene.NOW.plus(Duration.ofHours(1));

        var waiting = conditions(migration, Reason.MigrationInFlight, later);
        assertThat(condition(waiting, "Accepted").reason()).isEqualTo("MigrationInFlight");
        assertThat(condition(waiting, "Accepted").lastTransitionTime()).isEqualTo(Scene.NOW.toString());

        var running = conditions(migration, Reason.Migrating, later);
        assertThat(condition(running, "Accepted").lastTransitionTime()).isEqualTo(later.toString());
        assertThat(condition(running, "Migrated").lastTransitionTime()).isEqualTo(later.toString());
        assertThat(condition(running, "Ready").lastTransitionTime()).isEqualTo(Scene.NOW.toString());
        assertThat(condition(running, "Reconciling").lastTransitionTime()).isEqualTo(Scene.NOW.toString());
    }

    @Test
    void theSameSituationSaysTheSameAtAnyTime() {
        var migration = new Scene().migration();
        var once = conditions(migration, Reason.Migrating, Scene.NOW);
        migration.setStatus(with(once));
        assertThat(conditions(migration, Reason.Migrating, Scene.NOW.plusSeconds(90)))
                .isEqualTo(once);
    }

    @Test
    void whyAVolumeMayNotMoveIsInItsStateAndNotInTheConditions() {
        var conditions = conditions(new Scene().migration(), Reason.Shareable, Scene.NOW);
        assertThat(condition(conditions, "Accepted").reason()).isEqualTo("VolumesRejected");
        assertThat(condition(conditions, "Ready").reason()).isEqualTo("VolumesRejected");
    }

    @Test
    void oursThatNoLongerHoldAreTakenAwayAndThoseOfOthersStay() {
        var migration = new Scene().migration();
        var audited = new VolumeMigrationCondition(
                "Audited", "True", 1, "2026-05-01T08:00:00Z", "ByHand", "seen by the auditor");
        var before = new ArrayList<>(conditions(migration, Reason.Migrating, Scene.NOW));
        before.add(audited);
        migration.setStatus(with(before));
        assertThat(conditions(migration, Reason.MigrationInFlight, Scene.NOW))
                .contains(audited)
                .extracting(VolumeMigrationCondition::type)
                .containsExactly("Accepted", "Ready", "Reconciling", "Stalled", "Audited");
    }

    @Test
    void aMessageIsNeverLongerThanTheApiServerTakes() {
        var conditions = Conditions.of(
                new Scene().migration(),
                new Situation(Reason.WaitingForUser, "x".repeat(100_000)),
                Optional.empty(),
                Scene.NOW);
        assertThat(condition(conditions, "Ready").message()).hasSize(32768).endsWith("x…");
    }

    private static List<VolumeMigrationCondition> conditions(VolumeMigration migration, Reason reason, Instant now) {
        return Conditions.of(migration, new Situation(reason, "words"), Optional.of(KEPT), now);
    }

    private static VolumeMigrationStatus with(List<VolumeMigrationCondition> conditions) {
        return new VolumeMigrationStatus(
                null, null, null, null, null, null, null, null, null, List.of(), null, conditions);
    }

    private static VolumeMigrationCondition condition(List<VolumeMigrationCondition> conditions, String type) {
        return find(conditions, type).orElseThrow();
    }

    private static Optional<VolumeMigrationCondition> find(List<VolumeMigrationCondition> conditions, String type) {
        return conditions.stream().filter(c -> c.type().equals(type)).findFirst();
    }
}
