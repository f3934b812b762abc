package io.kubevirt.ferry.volumes;

import static io.kubevirt.ferry.volumes.Scene.vmim;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.kubevirt.ferry.api.MachineUpdatePolicy;
import io.kubevirt.ferry.api.ReclaimPolicy;
import io.kubevirt.ferry.volumes.Preflight.Permission;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is said of a VolumeMigration when it is made. */
class PreflightTest {
    private static final Permission UPDATE_VM = new Permission("kubevirt.io", "virtualmachines", "update");
    private static final Permission MIGRATE =
            new Permission("kubevirt.io", "virtualmachineinstancemigrations", "create");
    private static final Permission DELETE_CLAIM = new Permission("", "persistentvolumeclaims", "delete");
    private static final Permission DELETE_DATA_VOLUME = new Permission("cdi.kubevirt.io", "datavolumes", "delete");

    static Stream<Arguments> permissions() {
        Consumer<Scene> ofDataVolume = scene -> scene.claim(
                "old-data",
                claim -> claim.getMetadata()
                        .setOwnerReferences(List.of(new OwnerReferenceBuilder()
                                .withKind("DataVolume")
                                .withName("old-data")
                                .build())));
        Consumer<Scene> kept = scene -> scene.reclaim = ReclaimPolicy.Retain;
        return Stream.of(
                arguments(
                        "all is done by the operator",
                        (Consumer<Scene>) s -> {},
                        List.of(UPDATE_VM, MIGRATE, DELETE_CLAIM)),
                arguments("the sources stay", kept, List.of(UPDATE_VM, MIGRATE)),
                arguments(
                        "a source is a DataVolume's",
                        ofDataVolume,
                        List.of(UPDATE_VM, MIGRATE, DELETE_CLAIM, DELETE_DATA_VOLUME)),
                arguments("it is, and stays", ofDataVolume.andThen(kept), List.of(UPDATE_VM, MIGRATE)),
                arguments(
                        "the VM is its user's",
                        (Consumer<Scene>) s -> s.policy = MachineUpdatePolicy.Manual,
                        List.of(MIGRATE, DELETE_CLAIM)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("permissions")
    void itsCreatorMustBeAllowedWhatIsDone(String what, Consumer<Scene> change, List<Permission> needed) {
        assertThat(Preflight.permissions(new Scene().with(change).observation()))
                .as(what)
                .containsExactlyElementsOf(needed);
    }

    @Test
    void whatWouldStartNowHasNoWarnings() {
        assertThat(warnings(new Scene())).isEmpty();
    }

    @Test
    void whatIsInTheWayIsToldAllAtOnceWithItsField() {
        var scene = new Scene()
                .with(s ->
                        s.claims.removeIf(claim -> claim.getMetadata().getName().equals("new-data")))
                .with(s -> s.migrations.add(vmim("drain", "Running")));
        assertThat(warnings(scene))
                .containsExactly(
                        "The VM is being migrated by VirtualMachineInstanceMigration drain: this goes on when it is over",
                        "spec.migratedVolume[1]: There is no claim new-data: create it, at least as big as old-data");
    }

    private static List<String> warnings(Scene scene) {
        var subject = scene.subject();
        return Preflight.warnings(subject.seen(), subject.usage());
    }
}
