package io.kubevirt.ferry.volumes;

import static io.kubevirt.ferry.volumes.Scene.NEW;
import static io.kubevirt.ferry.volumes.Scene.OLD;
import static io.kubevirt.ferry.volumes.Scene.at;
import static io.kubevirt.ferry.volumes.Scene.launcher;
import static io.kubevirt.ferry.volumes.Scene.moved;
import static io.kubevirt.ferry.volumes.Scene.takenUp;
import static io.kubevirt.ferry.volumes.Scene.target;
import static io.kubevirt.ferry.volumes.Scene.volume;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.kubevirt.ferry.api.Names;
import io.kubevirt.ferry.api.Progress.Step;
import io.kubevirt.ferry.api.Verdict;
import io.kubevirt.ferry.kubevirt.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Which target pods of a VMI under a run may be created. */
class FenceTest {

    @Test
    void onlyTargetPodsOfFencedVmisConcernIt() {
        assertThat(Fence.concerns(target("t", "m", "", "Pending", NEW))).isTrue();
        assertThat(Fence.concerns(launcher("first", "", "Pending", NEW))).isFalse();
        var unfenced = target("t", "m", "", "Pending", NEW);
        unfenced.getMetadata().getLabels().remove(Names.VOLUME_MIGRATION);
        assertThat(Fence.concerns(unfenced)).isFalse();
    }

    static Stream<Arguments> claims() {
        return Stream.of(
                arguments("the destinations, as the VMI names them", takenUp(), NEW, null),
                arguments(
                        "the sources, as the VMI named them before", takenUp(), OLD, "claim old-root is about to move"),
                arguments("one of both", takenUp(), List.of("new-root", "old-data"), "claim old-data is about to move"),
                arguments("the sources, before KubeVirt took the change up", at(Step.Locked), OLD, "about to move"),
                arguments("the destinations, while the VMI names the sources", at(Step.Locked), NEW, "about to move"),
                arguments("not all of them", takenUp(), List.of("new-root"), "does not mount claim new-data"),
                arguments("more, as for the state of a TPM", takenUp(), List.of("new-root", "new-data", "tpm"), null));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("claims")
    void aPodWith(String what, Scene scene, List<String> claims, String words) {
        var refusal = refusal(scene, claims);
        if (words == null) {
            assertThat(refusal).as(what).isEmpty();
        } else {
            assertThat(refusal)
                    .as(what)
                    .get()
                    .extracting(Fence.Refusal::reason)
                    .asString()
                    .contains(words);
        }
    }

    @ParameterizedTest
    @EnumSource(Verdict.class)
    void underAVerdictThatEndsTheRunNoneGetsIn(Verdict verdict) {
        var in = refusal(takenUp().progress(p -> p.with(verdict)), NEW).isEmpty();
        assertThat(in).isEqualTo(verdict == Verdict.Run || verdict == Verdict.Success);
    }

    static Stream<Arguments> guests() {
        return Stream.of(
                arguments("is on the destinations, KubeVirt is done", NEW, moved(), true),
                arguments("was left on the sources by a migration of before the fence", OLD, moved(), false),
                arguments("was left on one of both", List.of("new-root", "old-data"), moved(), false),
                arguments("is in no pod that can be seen", List.of(), moved(), false),
                arguments("is on the sources, KubeVirt copies", OLD, takenUp(), true),
                arguments("has started on the destinations, KubeVirt would copy", NEW, takenUp(), false),
                arguments("is on one of both, KubeVirt would copy", List.of("new-root", "old-data"), takenUp(), false));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("guests")
    void aGuestMigratesOnlyFromWhereKubeVirtTakesItToBe(String what, List<String> claims, Scene scene, boolean in) {
        scene.pods.clear();
        if (!claims.isEmpty()) {
            scene.pods.add(launcher("guest", scene.node, "Running", claims));
        }
        assertThat(refusal(scene, NEW).isEmpty()).as(what).isEqualTo(in);
    }

    @Test
    void aHotpluggedVolumeComesByAnAttachmentPod() {
        var hot = new Volume(volume("data", "new-data").json().deepCopy());
        hot.json().withObject("/persistentVolumeClaim").put("hotpluggable", true);
        var scene = takenUp().with(s -> s.instanceVolumes = List.of(s.instanceVolumes.getFirst(), hot));
        assertThat(refusal(scene, List.of("new-root"))).isEmpty();
    }

    @Test
    void claimsThatAreLeftOutHaveToBeThere() {
        var scene = takenUp().with(s -> {
            var volumes = new ArrayList<>(s.instanceVolumes);
            volumes.add(volume("scratch", "left"));
            s.instanceVolumes = volumes;
        });
        assertThat(refusal(scene, NEW)).isPresent();
        assertThat(refusal(scene, List.of("new-root", "new-data", "left"))).isEmpty();
    }

    @Test
    void whatCannotBeJudgedDoesNotGetIn() {
        var pod = target("t", "m", "", "Pending", NEW);
        var scene = takenUp();
        var migrations = List.of(scene.migration());
        assertThat(Fence.refusal(pod, Optional.empty(), migrations, () -> scene.pods))
                .as("no VMI")
                .isPresent();
        assertThat(Fence.refusal(pod, Optional.of(scene.instance()), List.of(), () -> scene.pods))
                .as("no VolumeMigration")
                .isPresent();
        scene.instanceLabels.put(Names.VOLUME_MIGRATION, "volmig-uid.2");
        assertThat(Fence.refusal(pod, Optional.of(scene.instance()), migrations, () -> scene.pods))
                .as("a fence of another run")
                .isPresent();
    }

    private static Optional<Fence.Refusal> refusal(Scene scene, List<String> claims) {
        return Fence.refusal(
                target("t", "m", "", "Pending", claims),
                Optional.of(scene.instance()),
                List.of(scene.migration()),
                () -> scene.pods);
    }
}
