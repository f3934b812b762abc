package io.kubevirt.ferry.volumes;

import static io.kubevirt.ferry.volumes.Scene.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.kubevirt.ferry.api.Names;
import io.kubevirt.ferry.api.Progress.Step;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What no run has is taken off. */
class SweepTest {
    private final Scene scene = at(Step.Locked);

    @Test
    void lockAndHoldOfAnOpenRunStay() {
        assertThat(Sweep.lock(scene.machine(), List.of(scene.migration()))).isEmpty();
        assertThat(Sweep.hold(scene.instance(), List.of(scene.migration()))).isEmpty();
    }

    @Test
    void lockAndHoldOfNobodyGo() {
        assertThat(Sweep.lock(scene.machine(), List.of()))
                .contains(new Action.Unlock(
                        new Action.Machine("db", "vm-uid", 1), Scene.LOCK, List.of(), Optional.empty()));
        assertThat(Sweep.hold(scene.instance(), List.of()))
                .contains(new Action.Release(
                        new Action.Ref("db", "vmi-uid"), scene.instanceFinalizers, Optional.of(Scene.MARK)));
    }

    @Test
    void thoseOfARunThatHasEndedGo() {
        scene.progress(p -> p.closed());
        assertThat(Sweep.lock(scene.machine(), List.of(scene.migration()))).isPresent();
        assertThat(Sweep.hold(scene.instance(), List.of(scene.migration()))).isPresent();
    }

    @Test
    void thoseOfAnEarlierRunGo() {
        scene.machineAnnotations.put(Names.VOLUME_MIGRATION, "volmig-uid/7/");
        scene.instanceLabels.put(Names.VOLUME_MIGRATION, "volmig-uid.7");
        assertThat(Sweep.lock(scene.machine(), List.of(scene.migration()))).isPresent();
        assertThat(Sweep.hold(scene.instance(), List.of(scene.migration()))).isPresent();
    }

    @Test
    void aHoldWhoseFenceSomebodyTookAwayIsStillThatOfTheRunOfItsVmi() {
        scene.instanceLabels.remove(Names.VOLUME_MIGRATION);
        assertThat(Sweep.hold(scene.instance(), List.of(scene.migration()))).isEmpty();
        scene.instanceUid = "another";
        assertThat(Sweep.hold(scene.instance(), List.of(scene.migration()))).isPresent();
    }

    @Test
    void aFinalizerWithoutALabelIsNobodysOnceNoRunIsOpen() {
        scene.instanceLabels.remove(Names.VOLUME_MIGRATION);
        scene.progress(p -> p.closed());
        assertThat(Sweep.hold(scene.instance(), List.of(scene.migration())))
                .contains(new Action.Release(
                        new Action.Ref("db", "vmi-uid"), scene.instanceFinalizers, Optional.empty()));
    }

    @Test
    void whatHasNeitherIsLeftAlone() {
        var untouched = new Scene();
        assertThat(Sweep.lock(untouched.machine(), List.of())).isEmpty();
        assertThat(Sweep.hold(untouched.instance(), List.of())).isEmpty();
    }
}
