package io.kubevirt.ferry.volumes.simulation;

import static io.kubevirt.ferry.volumes.simulation.Story.DESTINATIONS;
import static io.kubevirt.ferry.volumes.simulation.Story.SOURCES;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The plain courses of KubeVirt's volume migration, as the real controllers were recorded: who writes what, in which order. */
class KubeVirtModelTest {

    @Test
    void aVolumeMigrationGoesInTheseSteps() {
        var story = Story.running().migrate();
        for (var move : List.of(
                Move.MIGRATED_VOLUMES,
                Move.VMI_VOLUMES,
                Move.VOLUMES_CHANGE_TRUE,
                Move.UPDATER_MIGRATES,
                Move.POD_BUILT,
                Move.POD_ADMITTED,
                Move.POD_STORED,
                Move.VMIM_SCHEDULING,
                Move.VMIM_SCHEDULED,
                Move.HAND_OFF,
                Move.VMIM_PREPARING,
                Move.VMIM_TARGET_READY,
                Move.COPY_STARTS,
                Move.GUEST_HANDED_OVER,
                Move.GUEST_REPORTED,
                Move.NODE_NAME,
                Move.MIGRATION_COMPLETED,
                Move.VMIM_SUCCEEDED,
                Move.VMIM_RELEASED)) {
            story.after(move);
        }
        story.pass(10);
        assertThat(story.guestOn()).isEqualTo(DESTINATIONS);
        assertThat(story.vmiNames()).isEqualTo(DESTINATIONS);
        assertThat(story.vmi().volumesChange).isEqualTo(VolumesChange.ABSENT);
        assertThat(story.vm().status.volumesChange).isEqualTo(VolumesChange.ABSENT);
        assertThat(story.vmi().migratedVolumes).isEmpty();
        assertThat(story.vm().status.volumeMigrationState).hasSize(2);
        assertThat(story.cluster.storage.newest("dst-0")).isTrue();
        assertThat(story.cluster.storage.newest("src-0")).isFalse();
        assertThat(story.cluster.violations).isEmpty();
    }

    @Test
    void vmAndVmiNameTheDestinationsLongBeforeTheGuestIsThere() {
        var story = Story.running().migrate().after(Move.COPY_STARTS);
        assertThat(story.vmNames()).isEqualTo(DESTINATIONS);
        assertThat(story.vmiNames()).isEqualTo(DESTINATIONS);
        assertThat(story.guestOn()).isEqualTo(SOURCES);
    }

    @Test
    void theStrategyTakenAwayAfterwardsOwesARestart() {
        var story = Story.running().migrate().after(Move.VMIM_SUCCEEDED).pass(5);
        story.edit(null, DESTINATIONS).pass(5);
        assertThat(story.vm().status.restartRequired).isEqualTo(RestartRequired.FIELD_CHANGED);
        assertThat(story.vm().status.volumeMigrationState).isEmpty();
    }

    @Test
    void theStrategyTakenAwayAfterTheRestartLeavesNoTrace() {
        var story = Story.running().migrate().after(Move.VMIM_SUCCEEDED).pass(5).restart();
        story.edit(null, DESTINATIONS).pass(5);
        assertThat(story.vm().status.restartRequired).isNull();
        assertThat(story.cluster.violations).isEmpty();
    }

    @Test
    void aFailedAttemptIsTriedAgainAndTheNextOneWaitsTwentySeconds() {
        var story = Story.running();
        story.fate = Vmim.Fate.FAIL;
        story.migrate().after(Move.VMIM_FAILED);
        var failed = story.cluster.now;
        assertThat(story.vmim().failureReason).isEqualTo("migration stalled");
        assertThat(story.vmi().volumesChange).isEqualTo(VolumesChange.TRUE);
        story.after(Move.UPDATER_MIGRATES);
        assertThat(story.cluster.now - failed).isLessThan(6_000);
        assertThat(story.cluster.mayMigrate()).isFalse();
        assertThat(story.vmi().migration.failureReason).isEqualTo("migration stalled");
        story.after(Move.POD_BUILT);
        assertThat(story.cluster.now - failed).isGreaterThanOrEqualTo(20_000);
        story.after(Move.HAND_OFF);
        assertThat(story.vmi().migration.failureReason).isNull();
    }

    @Test
    void withoutLiveMigrateInTheUpdateMethodsNoMigrationAppears() {
        var story = Story.running();
        story.cluster.liveMigrate = false;
        story.migrate().pass(120);
        assertThat(story.cluster.vmims).isEmpty();
        assertThat(story.vmi().volumesChange).isEqualTo(VolumesChange.TRUE);
    }

    @Test
    void stoppedInTheMiddleTheVmIsNotStartedUntilItIsPutBack() {
        var story = Story.running();
        story.fate = Vmim.Fate.HANG;
        story.migrate().after(Move.COPY_STARTS);
        story.vm().run = false;
        story.cluster.touchSpec(story.vm());
        story.world.until("the VMI is gone", () -> story.cluster.vmi == null);
        story.pass(5);
        assertThat(story.cluster.vmims).isEmpty();
        assertThat(story.vm().status.manualRecoveryRequired).isTrue();
        story.vm().run = true;
        story.cluster.touchSpec(story.vm());
        story.pass(60);
        assertThat(story.cluster.vmi).isNull();
        story.putBack(null).after(Move.GUEST_BOOTS);
        assertThat(story.guestOn()).isEqualTo(SOURCES);
        assertThat(story.cluster.violations).isEmpty();
    }

    @Test
    void brokenAfterTheHandOverTheNewestDataIsOnTheDestinations() {
        var story = Story.running();
        story.fate = Vmim.Fate.SPLIT;
        story.migrate();
        story.world.until("the VMI is gone", () -> story.cluster.vmi == null);
        story.pass(5);
        assertThat(story.vm().status.manualRecoveryRequired).isTrue();
        assertThat(story.cluster.storage.newest("dst-0")).isTrue();
        assertThat(story.cluster.storage.newest("src-0")).isFalse();
        story.edit(null, DESTINATIONS).after(Move.GUEST_BOOTS);
        assertThat(story.guestOn()).isEqualTo(DESTINATIONS);
        assertThat(story.cluster.violations).isEmpty();
    }

    @Test
    void brokenBeforeTheReportBothSidesHoldWhatCounts() {
        var story = Story.running();
        story.fate = Vmim.Fate.SPLIT_UNSEEN;
        story.migrate().after(Move.EVERYTHING_BREAKS);
        assertThat(story.vmi().migration.targetReady).isNegative();
        assertThat(story.cluster.storage.newest("src-0")).isTrue();
        assertThat(story.cluster.storage.newest("dst-0")).isTrue();
    }

    @Test
    void aMissingDestinationIsWaitedForAndTheMigrationStartsByItself() {
        var story = Story.running();
        story.cluster.claims.remove("dst-1");
        story.migrate().pass(10);
        assertThat(story.vmi().volumesChange).isEqualTo(VolumesChange.MISSING);
        assertThat(story.vmiNames()).isEqualTo(SOURCES);
        story.cluster.addClaim("dst-1");
        story.after(Move.MIGRATION_COMPLETED);
        assertThat(story.guestOn()).isEqualTo(DESTINATIONS);
    }

    @Test
    void aMissingDestinationIsStillComplainedAboutAfterThePutBack() {
        var story = Story.running();
        story.cluster.claims.remove("dst-1");
        story.migrate().pass(10).putBack(null).pass(60);
        assertThat(story.vmi().volumesChange).isEqualTo(VolumesChange.MISSING);
    }

    @Test
    void aDeletedClaimLingersWhileAFinishedPodNamesIt() {
        var story = Story.running().migrate().after(Move.SOURCE_POD_DONE).pass(5);
        story.cluster.deleteClaim(Story.present(story.cluster.claims.get("src-0")));
        story.pass(600);
        assertThat(story.cluster.claims).containsKey("src-0");
        story.cluster.deletePod(story.cluster.pods.get(story.vmi().migration.sourcePod));
        story.pass(5);
        assertThat(story.cluster.claims).doesNotContainKey("src-0");
    }

    @Test
    void aDataVolumeBringsItsClaimBackEmpty() {
        var story = Story.running().migrate().after(Move.SOURCE_POD_DONE).pass(5);
        var dataVolume = new DataVolume("src-0", "dv");
        story.cluster.dataVolumes.put("src-0", dataVolume);
        Story.present(story.cluster.claims.get("src-0")).owner = dataVolume;
        story.cluster.deletePod(story.cluster.pods.get(story.vmi().migration.sourcePod));
        story.cluster.deleteClaim(Story.present(story.cluster.claims.get("src-0")));
        story.after(Move.CLAIM_OF_DATA_VOLUME);
        assertThat(Story.present(story.cluster.claims.get("src-0")).disk).isNull();
        story.cluster.deleteDataVolume(dataVolume);
        story.pass(5);
        assertThat(story.cluster.claims).doesNotContainKey("src-0");
    }

    @Test
    void whenTheVmiDisappearsItsMigrationsAreDeleted() {
        var story = Story.running().migrate().after(Move.VMIM_SUCCEEDED).pass(5);
        assertThat(story.cluster.vmims).hasSize(1);
        story.deleteVmi();
        story.world.until("the VMI is gone", () -> story.cluster.vmi == null);
        story.world.hold(Move.VMI_CREATE);
        story.pass(2);
        assertThat(story.cluster.vmims).isEmpty();
    }

    @Test
    void aLostTargetPodFailsTheAttemptAndTheGuestStays() {
        var story = Story.running();
        story.fate = Vmim.Fate.HANG;
        story.migrate().after(Move.COPY_STARTS);
        story.cluster.deletePod(story.cluster.pods.get(story.vmim().targetPod));
        story.after(Move.VMIM_FAILED);
        assertThat(story.guestOn()).isEqualTo(SOURCES);
        assertThat(story.vmi().migration.failureReason).isEqualTo("Target pod is down");
    }
}
