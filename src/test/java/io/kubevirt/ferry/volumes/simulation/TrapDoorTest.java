package io.kubevirt.ferry.volumes.simulation;

import static io.kubevirt.ferry.volumes.simulation.Story.DESTINATIONS;
import static io.kubevirt.ferry.volumes.simulation.Story.SOURCES;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * The model falls into each trap door of KubeVirt's volume migration as the real controllers did: a model that is too kind
 * would prove nothing. No operator is in these stories.
 */
class TrapDoorTest {

    @Nested
    class AMigrationTooEarly {
        @Test
        void madeBetweenTheChangeOfTheVmAndThatOfTheVmiMovesNothingAndLooksLikeSuccess() {
            var story = Story.running();
            story.world.hold(Move.VMI_VOLUMES);
            story.migrate().after(Move.MIGRATED_VOLUMES);
            story.ordinary();
            story.after(Move.POD_STORED).world.release();
            looksMovedAndIsNot(story);
        }

        @Test
        void underWayWhenTheVmIsChangedMovesNothingAndLooksLikeSuccess() {
            var story = Story.running();
            story.ordinary();
            story.after(Move.HAND_OFF).world.hold(Move.VMIM_TARGET_READY);
            story.migrate().after(Move.VOLUMES_CHANGE_TRUE).world.release();
            looksMovedAndIsNot(story);
        }

        @Test
        void pendingWithoutPodWhenTheVmIsChangedMovesNothingAndLooksLikeSuccess() {
            var story = Story.running();
            story.ordinary();
            story.after(Move.POD_BUILT).migrate().pass(30);
            looksMovedAndIsNot(story);
        }

        private void looksMovedAndIsNot(Story story) {
            story.pass(30);
            assertThat(story.vmim().phase).isEqualTo(Vmim.Phase.SUCCEEDED);
            assertThat(story.vmi().volumesChange).isEqualTo(VolumesChange.ABSENT);
            assertThat(story.vmi().migratedVolumes).isEmpty();
            assertThat(story.vmNames()).isEqualTo(DESTINATIONS);
            assertThat(story.vmiNames()).isEqualTo(DESTINATIONS);
            assertThat(story.guestOn()).isEqualTo(SOURCES);

            story.ordinary();
            story.pass(30);
            assertThat(story.guestOn()).isEqualTo(DESTINATIONS);
            assertThat(story.violated("without a copy")).isTrue();
        }
    }

    @Nested
    class KilledInTheFirstSecond {
        @Test
        void theVmBootsFromTheEmptyDestination() {
            var story = Story.running();
            story.world.hold(Move.VOLUMES_CHANGE_TRUE);
            story.migrate().deleteVmi().after(Move.VMI_CREATE).pass(30);
            assertThat(story.vm().status.manualRecoveryRequired).isFalse();
            assertThat(story.guestOn()).isEqualTo(DESTINATIONS);
            assertThat(story.violated("boots d0 from dst-0")).isTrue();
        }

        @Test
        void afterThePauseOfACrash() {
            var story = Story.running();
            story.world.hold(Move.VOLUMES_CHANGE_TRUE);
            var killed = story.cluster.now;
            story.migrate().deleteVmi().after(Move.VMI_CREATE);
            assertThat(story.cluster.now - killed).isGreaterThan(10_000);
        }

        @Test
        void unlessTheConditionHadReachedTheVm() {
            var story = Story.running();
            story.world.hold(Move.PODS_DELETED);
            story.migrate().deleteVmi();
            story.world.until(
                    "the condition is on the VM", () -> story.vm().status.volumesChange == VolumesChange.TRUE);
            story.world.release();
            story.pass(60);
            assertThat(story.cluster.vmi).isNull();
            assertThat(story.vm().status.manualRecoveryRequired).isTrue();
            assertThat(story.vmNames()).isEqualTo(DESTINATIONS);
        }
    }

    @Nested
    class PutBackOntoANewInstance {
        private Story onDestinations() {
            var story = Story.running();
            story.world.hold(Move.VOLUMES_CHANGE_TRUE);
            story.migrate().deleteVmi().after(Move.GUEST_BOOTS).world.release();
            return story.pass(5);
        }

        @Test
        void withTheStrategyTheSourcesAreOverwritten() {
            var story = onDestinations().putBack(Vm.MIGRATION).after(Move.MIGRATION_COMPLETED);
            assertThat(story.vmim().copied).containsExactlyInAnyOrder("d0", "d1");
            assertThat(story.guestOn()).isEqualTo(SOURCES);
            assertThat(story.cluster.storage.newest("dst-0")).isFalse();
            assertThat(story.cluster.storage.newest("src-0")).isTrue();
        }

        @Test
        void withoutTheStrategyTheRestartBootsFromTheSources() {
            var story = onDestinations().putBack(null).pass(5);
            assertThat(story.vm().status.restartRequired).isEqualTo(RestartRequired.FIELD_CHANGED);
            assertThat(story.guestOn()).isEqualTo(DESTINATIONS);
            story.restart();
            assertThat(story.guestOn()).isEqualTo(SOURCES);
        }
    }

    @Nested
    class TheHold {
        private Story held() {
            var story = Story.running();
            story.vmi().finalizers.add("hold");
            story.cluster.touch(story.vmi());
            return story.migrate().deleteVmi().pass(60);
        }

        @Test
        void keepsKubeVirtFromStartingANewInstance() {
            var story = held();
            assertThat(story.vmi().phase).isEqualTo(Vmi.Phase.FAILED);
            assertThat(story.vmi().finalizers).containsExactly("hold");
            assertThat(story.cluster.guest).isNull();
        }

        @Test
        void keepsIsThereWhetherTheInstanceWasDeletedStoppedOrFailed() {
            for (var end : List.<Consumer<Story>>of(Story::deleteVmi, Story::stop, Story::shutDown)) {
                var story = Story.running().migrate().after(Move.HAND_OFF);
                story.vmi().finalizers.add("hold");
                story.cluster.touch(story.vmi());
                end.accept(story);
                story.pass(60);
                assertThat(story.vmi().finalizers).containsExactly("hold");
                assertThat(story.cluster.guest).isNull();
                assertThat(story.vmi().migration).isNotNull();
            }
        }

        @Test
        void whatAnybodyElseWritesIntoTheStatusIsDiscardedAndLabelsAndFinalizersAreKept() {
            var vmi = Story.running().vmi();
            vmi.migratedVolumes = List.of(new MigratedVolume("d0", "src-0", "dst-0"));
            var json = StoredJson.of(vmi);
            json.putObject("status").putArray("migratedVolumes");
            json.withObject("/metadata/labels").put("fence", "run");
            json.withArray("/metadata/finalizers").add("hold");
            StoredJson.into(vmi, json);
            assertThat(vmi.migratedVolumes).hasSize(1);
            assertThat(vmi.labels).containsEntry("fence", "run");
            assertThat(vmi.finalizers).contains("hold");
        }

        @Test
        void letsTheVmBePutBackMeanwhileAndStartsFromWhatItNamesWhenItGoes() {
            var story = held().putBack(null).pass(10);
            assertThat(story.vmiNames()).isEqualTo(SOURCES);
            assertThat(story.vmi().volumesChange).isEqualTo(VolumesChange.CANCELLED);
            story.vmi().finalizers.remove("hold");
            story.cluster.touch(story.vmi());
            story.pass(10);
            assertThat(story.guestOn()).isEqualTo(SOURCES);
            assertThat(story.cluster.violations).isEmpty();
        }

        @Test
        void itsLabelGoesToTheLauncherPodsMadeLater() {
            var story = Story.running();
            story.vmi().labels.put("fence", "run");
            story.cluster.touch(story.vmi());
            story.ordinary();
            story.after(Move.POD_STORED);
            var target = story.cluster.pods.get(story.vmim().targetPod);
            assertThat(target.labels).isEqualTo(Map.of("fence", "run"));
        }
    }

    @Nested
    class Refused {
        private Story refused() {
            var story = Story.running();
            story.cluster.claims.get("src-1").readWriteOnce = true;
            return story.edit(Vm.MIGRATION, List.of("dst-0")).pass(10);
        }

        @Test
        void theVmNamesTheEmptyDestinationAndTheRestartBootsFromIt() {
            var story = refused();
            assertThat(story.vm().status.restartRequired).contains("The volume d1 is RWO and not included");
            assertThat(story.vmiNames()).isEqualTo(SOURCES);
            assertThat(story.vmNames()).containsExactly("dst-0", "src-1");
            story.restart();
            assertThat(story.vm().status.restartRequired).isNull();
            assertThat(story.violated("boots d0 from dst-0")).isTrue();
        }

        @Test
        void puttingBackClearsTheConditionAtOnce() {
            var story = refused().putBack(null).pass(1);
            assertThat(story.vm().status.restartRequired).isNull();
        }
    }

    @Nested
    class Cancelled {
        @Test
        void whileHandingOverLeavesTheGuestOnTheDestinationsAndAllElseOnTheSources() {
            var story = Story.running().migrate().after(Move.GUEST_REPORTED);
            story.world.hold(Move.NODE_NAME);
            story.putBack(null).after(Move.CANCEL_STATUS).world.release();
            story.pass(30);
            assertThat(story.vmNames()).isEqualTo(SOURCES);
            assertThat(story.vmiNames()).isEqualTo(SOURCES);
            assertThat(story.guestOn()).isEqualTo(DESTINATIONS);
            assertThat(story.vmim().phase).isEqualTo(Vmim.Phase.SUCCEEDED);
            assertThat(story.vmi().volumesChange).isEqualTo(VolumesChange.ABSENT);
            assertThat(story.vm().status.restartRequired).isNull();
            assertThat(story.cluster.storage.newest("src-0")).isFalse();
        }

        @Test
        void tooLateLeavesTheVmOnStaleSourcesAndTheRestartBootsFromThem() {
            var story = Story.running().migrate().after(Move.MIGRATION_COMPLETED);
            story.putBack(null).pass(10);
            assertThat(story.vmNames()).isEqualTo(SOURCES);
            assertThat(story.vmiNames()).isEqualTo(DESTINATIONS);
            assertThat(story.vm().status.restartRequired).isNull();
            story.restart();
            assertThat(story.violated("boots d0 from src-0")).isTrue();
        }

        @Test
        void tooLateIsMendedByNamingTheDestinationsAgain() {
            var story = Story.running().migrate().after(Move.MIGRATION_COMPLETED);
            story.putBack(null).pass(10).migrate().pass(10).restart();
            assertThat(story.guestOn()).isEqualTo(DESTINATIONS);
            assertThat(story.cluster.violations).isEmpty();
        }

        @Test
        void abortedFirstAndAtTheMomentOfHandOverTheSuccessIsSeenInTime() {
            var story = Story.running().migrate().after(Move.GUEST_HANDED_OVER);
            story.cluster.deleteVmim(story.vmim());
            story.world.until("no VMIM is left", () -> story.cluster.vmims.isEmpty());
            assertThat(story.vmi().migration.failed).isFalse();
            assertThat(story.guestOn()).isEqualTo(DESTINATIONS);
            assertThat(story.vmiNames()).isEqualTo(DESTINATIONS);
        }

        @Test
        void abortedFirstAndBeforeTheHandOverTheGuestStays() {
            var story = Story.running().migrate().after(Move.COPY_STARTS);
            story.cluster.deleteVmim(story.vmim());
            story.world.hold(Move.UPDATER_MIGRATES);
            story.world.until("no VMIM is left", () -> story.cluster.vmims.isEmpty());
            assertThat(story.vmi().migration.failed).isTrue();
            assertThat(story.guestOn()).isEqualTo(SOURCES);
        }

        @Test
        void inTheMiddleEverythingGoesBackWithinSeconds() {
            var story = Story.running();
            story.fate = Vmim.Fate.HANG;
            story.migrate().after(Move.COPY_STARTS).putBack(null);
            story.world.until("no VMIM is left", () -> story.cluster.vmims.isEmpty());
            assertThat(story.vmiNames()).isEqualTo(SOURCES);
            assertThat(story.vm().status.restartRequired).isNull();
            assertThat(story.guestOn()).isEqualTo(SOURCES);
            assertThat(story.cluster.violations).isEmpty();
        }

        @Test
        void anUnmarkedMigrationRunsOn() {
            var story = Story.running();
            story.world.hold(Move.UPDATER_MIGRATES);
            story.migrate().after(Move.VOLUMES_CHANGE_TRUE);
            var ours = story.ordinary();
            story.after(Move.COPY_STARTS).putBack(Vm.MIGRATION).pass(60);
            assertThat(ours.phase).isEqualTo(Vmim.Phase.SUCCEEDED);
            assertThat(story.vmiNames()).isEqualTo(SOURCES);
            assertThat(story.guestOn()).isEqualTo(DESTINATIONS);
        }
    }

    @Nested
    class PutBackAtOnce {
        private Story atOnce(String strategy) {
            var story = Story.running();
            story.world.hold(Move.VMI_VOLUMES);
            story.migrate().after(Move.MIGRATED_VOLUMES).putBack(strategy).world.release();
            return story.pass(60);
        }

        @Test
        void theListStaysWhileEverythingNamesTheSources() {
            for (var strategy : new String[] {null, Vm.MIGRATION}) {
                var story = atOnce(strategy);
                assertThat(story.vmNames()).isEqualTo(SOURCES);
                assertThat(story.vmiNames()).isEqualTo(SOURCES);
                assertThat(story.vmi().migratedVolumes).hasSize(2);
                assertThat(story.vmi().volumesChange).isEqualTo(VolumesChange.ABSENT);
            }
        }

        @Test
        void theNextOrdinaryMigrationCopiesByThatList() {
            var story = atOnce(null);
            story.ordinary();
            story.pass(30);
            assertThat(story.vmim().copied).containsExactlyInAnyOrder("d0", "d1");
            assertThat(story.violated("a copy overwrites src-0")).isTrue();
        }
    }

    @Nested
    class TheSecondVolumeMigrationOfAnInstance {
        private Story second() {
            var story = Story.running().migrate().after(Move.VMIM_SUCCEEDED).pass(10);
            story.cluster.addClaim("2nd-0");
            story.cluster.addClaim("2nd-1");
            story.fate = Vmim.Fate.HANG;
            return story.edit(Vm.MIGRATION, List.of("2nd-0", "2nd-1")).after(Move.COPY_STARTS);
        }

        @Test
        void putBackWithoutTheStrategyIsNotCancelled() {
            var story = second().edit(null, DESTINATIONS).pass(60);
            assertThat(story.vm().status.restartRequired).isEqualTo(RestartRequired.FIELD_CHANGED);
            assertThat(story.vmNames()).isEqualTo(DESTINATIONS);
            assertThat(story.vmiNames()).containsExactly("2nd-0", "2nd-1");
            assertThat(story.vmi().volumesChange).isEqualTo(VolumesChange.TRUE);
            assertThat(story.vmim().phase).isEqualTo(Vmim.Phase.RUNNING);
        }

        @Test
        void putBackWithTheStrategyIsCancelled() {
            var story = second().edit(Vm.MIGRATION, DESTINATIONS).pass(60);
            assertThat(story.vm().status.restartRequired).isNull();
            assertThat(story.vmiNames()).isEqualTo(DESTINATIONS);
            assertThat(story.vmi().migratedVolumes).isEmpty();
            assertThat(story.cluster.unfinishedVmim()).isFalse();
            assertThat(story.guestOn()).isEqualTo(DESTINATIONS);
            assertThat(story.cluster.violations).isEmpty();
        }
    }

    @Test
    void withRestartRequiredFromElsewhereACancelIsNotTakenUp() {
        var story = Story.running();
        story.fate = Vmim.Fate.HANG;
        story.migrate().after(Move.COPY_STARTS);
        story.vm().hardware++;
        story.cluster.touchSpec(story.vm());
        story.pass(2).putBack(Vm.MIGRATION).pass(60);
        assertThat(story.vm().status.restartRequired).isEqualTo(RestartRequired.FIELD_CHANGED);
        assertThat(story.vmiNames()).isEqualTo(DESTINATIONS);
        assertThat(story.vmi().volumesChange).isEqualTo(VolumesChange.TRUE);
    }

    @Nested
    class AClaimLeftOut {
        private Story lockedUp() {
            var story = Story.of(Volume.of("d0", "src-0"), Volume.of("d1", "src-1"), Volume.of("d2", "src-2"));
            story.migrate().after(Move.MIGRATED_VOLUMES).world.hold(Move.CACHE_VMI, Move.UPDATER_MIGRATES);
            story.after(Move.VOLUMES_CHANGE_TRUE).world.release().hold(Move.UPDATER_MIGRATES);
            return story;
        }

        @Test
        void canLockKubeVirtUp() {
            var story = lockedUp().pass(60);
            assertThat(story.vmi().volumesChange).isEqualTo(VolumesChange.TRUE);
            assertThat(story.vmiNames()).startsWith("src-0", "src-1");
            assertThat(story.vm().status.restartRequired).isNull();
        }

        @Test
        void andPuttingBackDoesNotFreeItButARestartDoes() {
            var story = lockedUp();
            story.putBack(Vm.MIGRATION).pass(60);
            assertThat(story.vmi().migratedVolumes).hasSize(2);
            assertThat(story.vmi().volumesChange).isEqualTo(VolumesChange.TRUE);
            story.restart();
            assertThat(story.vmi().migratedVolumes).isEmpty();
            assertThat(story.guestOn()).startsWith("src-0", "src-1");
        }

        @Test
        void orBeLucky() {
            var story = Story.of(Volume.of("d0", "src-0"), Volume.of("d1", "src-1"), Volume.of("d2", "src-2"));
            story.migrate().after(Move.MIGRATION_COMPLETED);
            assertThat(story.guestOn()).containsExactly("dst-0", "dst-1", "src-2");
        }
    }

    @Test
    void aChangedHotpluggedVolumeIsUnpluggedWhenTheStrategyGoesInTheSameWrite() {
        var story = Story.of(Volume.of("d0", "src-0"), new Volume("d1", "src-1", false, true));
        story.migrate().after(Move.MIGRATION_COMPLETED).putBack(null).after(Move.HOT_UNPLUG);
        assertThat(Vm.find(story.vmi().volumes, "d1")).isNull();
        assertThat(story.violated("unplugged from the running guest")).isTrue();
    }

    @Nested
    class AHotpluggedVolume {
        private Story hotplugged() {
            return Story.of(Volume.of("d0", "src-0"), new Volume("d1", "src-1", false, true));
        }

        @Test
        void isMountedByAnAttachmentPodOfTheLauncherAndNotByTheLauncher() {
            var story = hotplugged();
            var launcher = Story.present(story.cluster.guestPod());
            assertThat(launcher.claims).containsOnlyKeys("d0");
            assertThat(story.guestOn()).isEqualTo(SOURCES);
            story.migrate().after(Move.POD_STORED);
            var target = story.cluster.pods.get(story.vmim().targetPod);
            assertThat(story.cluster.mounted(target)).isEqualTo(Map.of("d0", "dst-0"));
            story.after(Move.ATTACHMENT_CREATE);
            assertThat(story.cluster.mounted(target)).isEqualTo(Map.of("d0", "dst-0", "d1", "dst-1"));
            story.after(Move.MIGRATION_COMPLETED);
            assertThat(story.guestOn()).isEqualTo(DESTINATIONS);
        }

        @Test
        void isAttachedAsTheInstanceNamesItByThen() {
            var story = hotplugged();
            story.world.hold(Move.UPDATER_ABORTS);
            story.migrate().after(Move.POD_STORED).world.hold(Move.ATTACHMENT_CREATE, Move.UPDATER_ABORTS);
            story.putBack(Vm.MIGRATION)
                    .after(Move.CANCEL_STATUS)
                    .world
                    .release()
                    .hold(Move.UPDATER_ABORTS);
            story.after(Move.ATTACHMENT_CREATE);
            var target = story.cluster.pods.get(story.vmim().targetPod);
            assertThat(story.cluster.mounted(target)).isEqualTo(Map.of("d0", "dst-0", "d1", "src-1"));
            assertThat(story.cluster.subtleties).contains(Subtlety.ATTACHED_ELSEWHERE);
        }
    }

    @Nested
    class ACancelHalfWay {
        private Story halfWay() {
            var story = Story.running();
            story.fate = Vmim.Fate.FAIL;
            story.world.hold(Move.UPDATER_MIGRATES);
            story.migrate().after(Move.VOLUMES_CHANGE_TRUE);
            story.world.hold(Move.CANCEL_STATUS);
            return story.putBack(Vm.MIGRATION).after(Move.CANCEL_VOLUMES);
        }

        @Test
        void letsTheUpdaterMakeAMigrationThatCopiesOntoItself() {
            var story = halfWay();
            story.world.release().hold(Move.CANCEL_STATUS);
            story.after(Move.COPY_STARTS);
            assertThat(story.vmiNames()).isEqualTo(SOURCES);
            assertThat(story.violated("a copy overwrites src-0")).isTrue();
        }

        @Test
        void isNeverFinishedWhenItsSecondWriteMeetsAConflict() {
            var story = halfWay();
            story.cluster.spuriousConflict = () -> true;
            story.world.release().hold(Move.UPDATER_MIGRATES);
            story.after(Move.CANCEL_STATUS);
            story.cluster.spuriousConflict = () -> false;
            story.pass(120);
            assertThat(story.vmiNames()).isEqualTo(SOURCES);
            assertThat(story.vmi().migratedVolumes).hasSize(2);
            assertThat(story.vmi().volumesChange).isEqualTo(VolumesChange.TRUE);
        }
    }

    @Nested
    class ARefusedTargetPod {
        @Test
        void isTriedAgainWithGrowingPauses() {
            var story = Story.running();
            story.cluster.fence = pod -> Cluster.Fence.Answer.REFUSED;
            story.ordinary();
            story.pass(12);
            assertThat(story.vmim().phase).isEqualTo(Vmim.Phase.PENDING);
            assertThat(story.vmim().refusals).isBetween(5, 20);
        }

        @Test
        void comesAgainAsTheInstanceIsByThenAndMovesTheVolumesAfterAll() {
            var story = Story.running();
            story.cluster.fence = pod ->
                    pod.claims.containsValue("src-0") ? Cluster.Fence.Answer.REFUSED : Cluster.Fence.Answer.ADMITTED;
            story.ordinary();
            story.after(Move.POD_ADMITTED).migrate().after(Move.MIGRATION_COMPLETED);
            assertThat(story.vmim().copied).containsExactlyInAnyOrder("d0", "d1");
            assertThat(story.guestOn()).isEqualTo(DESTINATIONS);
            assertThat(story.cluster.violations).isEmpty();
        }
    }

    @Test
    void virtControllerStartsFromItsCacheWhichMayBeOlderThanTheLastChange() {
        var story = Story.running();
        story.deleteVmi().world.until("the VMI is gone", () -> story.cluster.vmi == null);
        story.world.hold(Move.CACHE_VM);
        story.edit(null, DESTINATIONS);
        assertThat(story.vm().status.desiredGeneration).isLessThan(story.vm().generation);
        story.after(Move.GUEST_BOOTS);
        assertThat(story.vmNames()).isEqualTo(DESTINATIONS);
        assertThat(story.guestOn()).isEqualTo(SOURCES);
    }

    @Test
    void withTheStrategyTakenAwayInTheMiddleAStopIsNotCaught() {
        var story = Story.running();
        story.fate = Vmim.Fate.HANG;
        story.migrate().after(Move.COPY_STARTS).edit(null, DESTINATIONS).pass(5);
        assertThat(story.vm().status.restartRequired).isEqualTo(RestartRequired.FIELD_CHANGED);
        assertThat(story.vm().status.volumeMigrationState).isEmpty();
        assertThat(story.vmim().phase).isEqualTo(Vmim.Phase.RUNNING);
        story.restart();
        assertThat(story.violated("boots d0 from dst-0")).isTrue();
    }

    @Test
    void putBackInPartsCancelsNothingAndIsNotRefused() {
        var story = Story.running();
        story.fate = Vmim.Fate.HANG;
        story.migrate()
                .after(Move.COPY_STARTS)
                .edit(Vm.MIGRATION, List.of("src-0"))
                .pass(60);
        assertThat(story.vmiNames()).isEqualTo(DESTINATIONS);
        assertThat(story.vmi().volumesChange).isEqualTo(VolumesChange.TRUE);
        assertThat(story.vm().status.restartRequired).isNull();
        story.putBack(null).after(Move.CANCEL_STATUS);
        assertThat(story.vmiNames()).isEqualTo(SOURCES);
    }
}
