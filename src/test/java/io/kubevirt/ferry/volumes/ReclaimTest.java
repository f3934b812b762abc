package io.kubevirt.ferry.volumes;

import static io.kubevirt.ferry.volumes.Scene.OLD;
import static io.kubevirt.ferry.volumes.Scene.dataVolumeObject;
import static io.kubevirt.ferry.volumes.Scene.moved;
import static io.kubevirt.ferry.volumes.Scene.named;
import static io.kubevirt.ferry.volumes.Scene.otherInstance;
import static io.kubevirt.ferry.volumes.Scene.otherMachine;
import static io.kubevirt.ferry.volumes.Scene.otherMigration;
import static io.kubevirt.ferry.volumes.Scene.pod;
import static io.kubevirt.ferry.volumes.Scene.volume;
import static io.kubevirt.ferry.volumes.Scene.volumes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.kubevirt.ferry.api.Names;
import io.kubevirt.ferry.api.Verdict;
import io.kubevirt.ferry.kubevirt.ClaimSource;
import io.kubevirt.ferry.kubevirt.DataSource;
import io.kubevirt.ferry.kubevirt.DataVolume;
import io.kubevirt.ferry.volumes.Action.Source;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What becomes of the sources of volumes that have moved. */
class ReclaimTest {

    /** An operator that was paused may delete a claim late, as it was marked. */
    @Test
    void noMarkIsLeftOnASourceThatStays() {
        assertThat(Told.of(marked().with(s -> s.machineThere = false)))
                .as("the VM is gone")
                .isEqualTo("UnmarkSource");
        assertThat(Told.of(marked().with(s -> s.machineVolumes = volumes(OLD))))
                .as("somebody else has put the VM back")
                .isEqualTo("UnmarkSource");
    }

    private static Scene marked() {
        return success()
                .with(s -> s.claim(
                        "old-root",
                        claim -> claim.getMetadata().setAnnotations(Map.of(Names.VOLUME_MIGRATION, Scene.MARK))));
    }

    static Stream<Arguments> users() {
        return Stream.of(
                arguments("VM web", (Consumer<Scene>)
                        s -> s.otherMachines.add(otherMachine("web", volume("a", "old-root")))),
                arguments("VirtualMachineInstance web", (Consumer<Scene>)
                        s -> s.otherInstances.add(otherInstance("web", volume("a", "old-root")))),
                arguments("pod backup", (Consumer<Scene>)
                        s -> s.otherPods.add(pod("backup", "node-1", "Running", Map.of(), List.of("old-root")))),
                arguments("pod waiting", (Consumer<Scene>)
                        s -> s.otherPods.add(pod("waiting", "", "Pending", Map.of(), List.of("old-root")))),
                arguments("VolumeMigration back", (Consumer<Scene>)
                        s -> s.others.add(otherMigration("back", "2026-05-01T11:30:00Z", "new-root", "old-root"))),
                arguments("DataVolume clone", (Consumer<Scene>) s -> {
                    var clone = dataVolumeObject("clone", "CloneInProgress");
                    clone.setSpec(new DataVolume.Spec(new ClaimSource(new ClaimSource.Claim("shop", "old-root"))));
                    s.dataVolumes.add(clone);
                }),
                arguments("DataSource golden", (Consumer<Scene>) s -> {
                    var golden = named(new DataSource(), "golden", "golden-uid");
                    golden.setSpec(new DataSource.Spec(new ClaimSource(new ClaimSource.Claim(null, "old-root"))));
                    s.dataSources.add(golden);
                }));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("users")
    void aSourceThatSomebodyNamesStaysAndTheRunEndsAllTheSame(String user, Consumer<Scene> change) {
        var scene = success()
                .with(s ->
                        s.claims.removeIf(claim -> claim.getMetadata().getName().equals("old-data")))
                .with(change);
        assertThat(Told.of(scene)).as(user).isEqualTo("Unlock");
        scene.claim(
                "old-root", claim -> claim.getMetadata().setAnnotations(Map.of(Names.VOLUME_MIGRATION, Scene.MARK)));
        assertThat(Told.of(scene)).as("%s, after it was marked", user).isEqualTo("UnmarkSource");

        var ended = ended().with(change);
        var status = ended.decide().status();
        assertThat(status.condition("Ready").orElseThrow().reason()).isEqualTo("SourceInUse");
        assertThat(status.condition("Ready").orElseThrow().message()).contains("old-root is used by " + user);
        assertThat(status.condition("Migrated").orElseThrow().holds()).isTrue();
    }

    @Test
    void aSourceWhoseDestinationSomebodyDeletedStays() {
        Consumer<Scene> deleted = s -> {
            s.claims.removeIf(claim -> claim.getMetadata().getName().equals("old-data"));
            s.claim("new-root", claim -> claim.getMetadata().setDeletionTimestamp("now"));
        };
        assertThat(Told.of(success().with(deleted))).isEqualTo("Unlock");
        var status = ended().with(deleted).decide().status();
        assertThat(status.condition("Ready").orElseThrow().reason()).isEqualTo("SourceInUse");
        assertThat(status.condition("Ready").orElseThrow().message())
                .contains("old-root stays, since new-root was deleted");
    }

    @Test
    void markThenDeleteThatVeryObject() {
        var scene = success();
        assertThat(scene.decide().action()).contains(new Action.MarkSource(claim("old-root"), false, Scene.MARK));
        scene.claim("old-root", claim -> {
            claim.getMetadata().setAnnotations(Map.of(Names.VOLUME_MIGRATION, Scene.MARK));
            claim.getMetadata().setResourceVersion("8");
        });
        assertThat(scene.decide().action())
                .contains(new Action.DeleteSource(new Source(
                        Source.Kind.PersistentVolumeClaim, new Action.Ref("old-root", "old-root-uid"), "8")));
    }

    @Test
    void theMarkOfAnotherRunIsNone() {
        var scene = success()
                .with(s -> s.claim(
                        "old-root",
                        claim -> claim.getMetadata().setAnnotations(Map.of(Names.VOLUME_MIGRATION, "volmig-uid.7"))));
        assertThat(Told.of(scene)).isEqualTo("MarkSource");
    }

    @Test
    void aDataVolumeThatOwnsTheClaimIsDeletedInsteadOfIt() {
        var scene = success().with(s -> {
            s.dataVolumes.add(dataVolumeObject("old-root", "Succeeded"));
            s.claim(
                    "old-root",
                    claim -> claim.getMetadata()
                            .setOwnerReferences(List.of(new OwnerReferenceBuilder()
                                    .withKind("DataVolume")
                                    .withName("old-root")
                                    .withUid("old-root-dv-uid")
                                    .build())));
        });
        var owner = new Source(Source.Kind.DataVolume, new Action.Ref("old-root", "old-root-dv-uid"), "9");
        assertThat(scene.decide().action()).contains(new Action.MarkSource(owner, false, Scene.MARK));
        scene.dataVolumes.getFirst().getMetadata().setAnnotations(Map.of(Names.VOLUME_MIGRATION, Scene.MARK));
        assertThat(scene.decide().action()).contains(new Action.DeleteSource(owner));
        scene.dataVolumes.getFirst().getMetadata().setDeletionTimestamp("now");
        assertThat(Told.of(scene)).isEqualTo("waiting since for SourcePod");
    }

    @Test
    void theFinishedPodThatProtectsADeletedClaimGoesToo() {
        var scene = success()
                .with(s -> s.claim("old-root", claim -> claim.getMetadata().setDeletionTimestamp("now")));
        assertThat(scene.decide().action()).contains(new Action.DeletePod(new Action.Ref("source", "source-uid")));
        scene.pods.removeFirst();
        assertThat(Told.of(scene)).isEqualTo("waiting since for SourcePod");
    }

    @Test
    void aDeletedClaimThatDoesNotGoKeepsTheVmLockedAndHeldForAMinuteOnly() {
        var scene = success().with(s -> {
            s.claims.removeIf(claim -> claim.getMetadata().getName().equals("old-data"));
            s.claim("old-root", claim -> claim.getMetadata().setDeletionTimestamp("now"));
            s.pods.removeFirst();
        });
        scene.run = scene.decide().status().run().orElseThrow();
        assertThat(Told.of(scene)).isEqualTo("waits, ReclaimingSources");
        scene.now = Scene.NOW.plusSeconds(60);
        assertThat(Told.of(scene)).isEqualTo("Unlock");
    }

    @Test
    void aDestinationThatWasMadeAnewUnderItsNameHoldsNothingAndTheSourceStays() {
        var scene = moved().attempts(a -> a.withHandedOver("vmim-1"));
        scene.run = scene.decide().status().run().orElseThrow();
        assertThat(scene.run().before().claims())
                .extracting(claim -> claim.uid())
                .contains("new-root-uid", "new-data-uid");
        assertThat(Told.of(scene)).isEqualTo("MarkSource");
        scene.claim("new-root", claim -> claim.getMetadata().setUid("another"));
        scene.claims.removeIf(claim -> claim.getMetadata().getName().equals("old-data"));
        assertThat(Told.of(scene)).isEqualTo("Unlock");
    }

    @Test
    void aDeletedClaimThatSomebodyElsesPodProtectsIsInUse() {
        var scene = success().with(s -> {
            s.claims.removeIf(claim -> claim.getMetadata().getName().equals("old-data"));
            s.claim("old-root", claim -> claim.getMetadata().setDeletionTimestamp("now"));
            s.pods.removeFirst();
            s.otherPods.add(pod("job", "node-1", "Succeeded", Map.of(), List.of("old-root")));
        });
        assertThat(Told.of(scene)).isEqualTo("Unlock");
    }

    @Test
    void thePodThatTheGuestCameFromHasAMinuteToEnd() {
        var scene = success().with(s -> {
            s.pods.removeFirst();
            s.pods.add(Scene.launcher("source", "node-1", "Running", OLD));
        });
        assertThat(Told.of(scene)).isEqualTo("waiting since for SourcePod");
        scene.run = scene.decide().status().run().orElseThrow();
        assertThat(Told.of(scene)).isEqualTo("waits, ReclaimingSources");
        scene.now = Scene.NOW.plusSeconds(60);
        assertThat(Told.of(scene)).isEqualTo("Unlock");
    }

    @Test
    void anotherClaimOfTheSameNameIsNoneOfOurs() {
        var scene = success().with(s -> {
            s.claims.removeIf(claim -> claim.getMetadata().getName().equals("old-data"));
            s.claim("old-root", claim -> claim.getMetadata().setUid("another"));
        });
        assertThat(Told.of(scene)).isEqualTo("Unlock");
    }

    @Test
    void whereTheVolumeMigrationIsDeletedSourcesStay() {
        var scene = success().with(s -> s.deleted = true);
        assertThat(Told.of(scene)).isEqualTo("Unlock");
    }

    @Test
    void whereTheLockIsGoneNothingIsDeleted() {
        var scene = success().with(s -> s.machineAnnotations.clear());
        assertThat(Told.of(scene)).isEqualTo("Release");
    }

    @Test
    void withoutTheListsNothingIsDeleted() {
        assertThat(Told.of(success().with(s -> s.usage = false))).isEqualTo("waits, ReclaimingSources");
    }

    @Test
    void whenAllAreGoneTheStatusSaysSo() {
        var status = ended().with(s ->
                        s.claims.removeIf(claim -> claim.getMetadata().getName().startsWith("old")))
                .decide()
                .status();
        assertThat(status.condition("SourcesReclaimed").orElseThrow().reason()).isEqualTo("Deleted");
        assertThat(status.condition("Ready").orElseThrow().holds()).isTrue();
    }

    @Test
    void sourcesThatWereInUseAreTriedAgainUnderANewLock() {
        var scene = ended();
        assertThat(Told.of(scene)).isEqualTo("AddFinalizer");
        scene.finalizers.add(Names.VOLUME_MIGRATION);
        assertThat(Told.of(scene)).isEqualTo("run 2");
        scene.status = scene.decide().status();
        assertThat(Told.of(scene)).isEqualTo("Lock");
        scene.machineAnnotations.put(Names.VOLUME_MIGRATION, "volmig-uid/2/");
        assertThat(Told.of(scene)).isEqualTo("step Changed");
        scene.status = scene.decide().status();
        assertThat(scene.decide().action()).contains(new Action.MarkSource(claim("old-root"), false, "volmig-uid.2"));
    }

    @Test
    void asLongAsTheyAreInUseThatIsLookedForNowAndThen() {
        var scene = ended().with(s -> {
            s.finalizers.clear();
            s.otherPods.add(pod("backup", "node-1", "Running", Map.of(), OLD));
        });
        var decision = scene.decide();
        assertThat(decision.action()).isEmpty();
        assertThat(decision.again()).contains(Settings.DEFAULT.poll());
    }

    @Test
    void whereTheVmHasMovedOnSourcesStay() {
        var scene = ended().with(s -> s.machineVolumes = Scene.volumes(List.of("third", "new-data")));
        assertThat(Told.of(scene)).isEqualTo("closed, sources stay");
        assertThat(scene.decide()
                        .status()
                        .condition("SourcesReclaimed")
                        .orElseThrow()
                        .reason())
                .isEqualTo("Retained");
    }

    private static Source claim(String name) {
        return new Source(Source.Kind.PersistentVolumeClaim, new Action.Ref(name, name + "-uid"), "7");
    }

    private static Scene success() {
        return moved().attempts(a -> a.withHandedOver("vmim-1")).verdict(Verdict.Success, Reason.Migrated);
    }

    private static Scene ended() {
        return success().progress(p -> p.closed()).with(s -> {
            s.machineAnnotations.clear();
            s.instanceFinalizers.remove(Names.VOLUME_MIGRATION);
            s.instanceLabels.remove(Names.VOLUME_MIGRATION);
            s.finalizers.clear();
        });
    }
}
