package io.kubevirt.ferry.volumes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.kubevirt.ferry.api.Names;
import io.kubevirt.ferry.kubevirt.Condition;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.volumes.Action.StrategyChange;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The strategy comes back when the VMI is gone under which the volumes moved. */
class SettleTest {
    private static final Optional<String> MIGRATION = Optional.of(VirtualMachine.MIGRATION);

    static Stream<Arguments> waits() {
        return Stream.of(
                arguments("the VMI lives", settled("vmi-uid/").with(s -> s.instanceThere = true)),
                arguments(
                        "a run has the VM locked",
                        settled("vmi-uid/").with(s -> s.machineAnnotations.put(Names.VOLUME_MIGRATION, "other/1/"))),
                arguments(
                        "KubeVirt would start the VM from an empty disk",
                        settled("vmi-uid/")
                                .with(s -> s.machineConditions.add(
                                        new Condition(VirtualMachine.MANUAL_RECOVERY_REQUIRED, "True", null, null)))),
                arguments("the VM goes", settled("vmi-uid/").with(s -> s.machineDeleting = true)),
                arguments("nothing was left", settled("vmi-uid/").with(s -> s.machineAnnotations.clear())));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("waits")
    void nothingIsDoneWhere(String what, Scene scene) {
        assertThat(decide(scene)).as(what).isEmpty();
    }

    static Stream<Arguments> settles() {
        return Stream.of(
                arguments("to none", settled("vmi-uid/"), new StrategyChange(MIGRATION, Optional.empty())),
                arguments(
                        "to what it was",
                        settled("vmi-uid/Replacement"),
                        new StrategyChange(MIGRATION, Optional.of("Replacement"))),
                arguments(
                        "under another VMI already",
                        settled("an-older-vmi/").with(s -> s.instanceThere = true),
                        new StrategyChange(MIGRATION, Optional.empty())),
                arguments(
                        "on again after a roll forward",
                        settled("vmi-uid/Migration").with(s -> s.strategy = null),
                        new StrategyChange(Optional.empty(), MIGRATION)),
                arguments(
                        "not over what somebody has written since",
                        settled("vmi-uid/").with(s -> s.strategy = "Replacement"),
                        null),
                arguments("not after nonsense", settled("nonsense"), null));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("settles")
    void itComesBack(String what, Scene scene, StrategyChange change) {
        assertThat(decide(scene))
                .as(what)
                .contains(new Action.SettleStrategy(
                        new Action.Machine("db", "vm-uid", 1),
                        scene.machineAnnotations.get(Names.RESTORE_STRATEGY),
                        Optional.ofNullable(change)));
    }

    private static Optional<Action> decide(Scene scene) {
        return Settle.decide(scene.instanceThere ? Optional.of(scene.instance()) : Optional.empty(), scene.machine());
    }

    private static Scene settled(String text) {
        return new Scene().with(s -> {
            s.instanceThere = false;
            s.strategy = VirtualMachine.MIGRATION;
            s.machineAnnotations.put(Names.RESTORE_STRATEGY, text);
        });
    }
}
