package io.kubevirt.ferry.volumes;

import static io.kubevirt.ferry.volumes.Scene.dataVolume;
import static io.kubevirt.ferry.volumes.Scene.otherMachine;
import static io.kubevirt.ferry.volumes.Scene.volume;
import static org.assertj.core.api.Assertions.assertThat;

import io.kubevirt.ferry.api.MachineUpdatePolicy;
import io.kubevirt.ferry.api.Progress.Step;
import io.kubevirt.ferry.api.Verdict;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which VM a VolumeMigration is about, and when the lists of who uses a claim are wanted. */
class UsageTest {
    private static final VirtualMachine OTHER = otherMachine("web", volume("root", "x"));
    private static final VirtualMachine ON_SOURCES = otherMachine("shop", dataVolume("data", "old-data"));
    private static final VirtualMachine ON_DESTINATIONS = otherMachine("cache", volume("root", "new-root"));

    @Test
    void beforeAnythingHasBegunItIsTheVmOnASource() {
        assertThat(machineName(new Scene(), OTHER, ON_SOURCES)).isEqualTo("shop");
        assertThat(machineName(new Scene(), OTHER, ON_DESTINATIONS)).isEqualTo("none");
    }

    @Test
    void whereItsUserChangesTheVmItMayBeOnADestinationAlready() {
        var manual = new Scene().with(s -> s.policy = MachineUpdatePolicy.Manual);
        assertThat(machineName(manual, OTHER, ON_DESTINATIONS)).isEqualTo("cache");
        assertThat(machineName(manual, ON_DESTINATIONS, ON_SOURCES)).isEqualTo("shop");
    }

    @Test
    void aRunIsAboutItsVmWhateverOthersName() {
        assertThat(machineName(Scene.at(Step.Quiet), ON_SOURCES)).isEqualTo("db");
        assertThat(machineName(
                        Scene.moved().progress(p -> p.with(Verdict.Success).closed()), ON_SOURCES))
                .isEqualTo("db");
    }

    @Test
    void afterARunWasGivenUpTheVmIsLookedForAgain() {
        var givenUp = Scene.at(Step.Held)
                .progress(p -> p.with(Verdict.GiveUp, "MigrationInFlight", "").closed());
        assertThat(machineName(givenUp, ON_SOURCES)).isEqualTo("shop");
    }

    private static String machineName(Scene scene, VirtualMachine... machines) {
        return Usage.machineName(scene.migration(), List.of(machines)).orElse("none");
    }
}
