package io.kubevirt.ferry.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.kubevirt.ferry.kubevirt.LauncherPod;
import io.kubevirt.ferry.kubevirt.MigrationState;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TargetPodsTest {
    private static VirtualMachineInstanceMigration migration(@Nullable MigrationState state) {
        VirtualMachineInstanceMigration migration = new VirtualMachineInstanceMigration();
        migration.setMetadata(new ObjectMetaBuilder()
                .withName("m")
                .withNamespace("shop")
                .withUid("m-uid")
                .build());
        migration.setSpec(new VirtualMachineInstanceMigration.Spec("db"));
        migration.setStatus(new VirtualMachineInstanceMigration.Status("Running", state, List.of()));
        return migration;
    }

    private static MigrationState state(String uid, String targetPod) {
        return new MigrationState(uid, false, false, null, null, null, null, targetPod, null, null);
    }

    /** A pod as virt-controller makes it, but for what a test changes. */
    private static LauncherPod pod(String name, Consumer<ObjectMetaBuilder> change) {
        ObjectMetaBuilder metadata = new ObjectMetaBuilder()
                .withName(name)
                .withNamespace("shop")
                .addToLabels(LauncherPod.LABEL, LauncherPod.LAUNCHER)
                .addToLabels(LauncherPod.MIGRATION_UID_LABEL, "m-uid")
                .addToAnnotations(LauncherPod.MIGRATION_NAME_ANNOTATION, "m")
                .addNewOwnerReference()
                .withApiVersion("kubevirt.io/v1")
                .withKind("VirtualMachineInstance")
                .withName("db")
                .withUid("db-uid")
                .withController(true)
                .endOwnerReference();
        change.accept(metadata);
        LauncherPod pod = new LauncherPod();
        pod.setMetadata(metadata.build());
        return pod;
    }

    private static LauncherPod real(String name) {
        return pod(name, metadata -> {});
    }

    @Test
    void aPodThatOnlyCopiesTheMarksStandsBesideTheRealOneAndNotBeforeIt() {
        List<LauncherPod> both = List.of(real("real"), real("newer"));

        assertThat(TargetPods.of(migration(null), both)).containsExactlyElementsOf(both);
    }

    static Stream<Named<Consumer<ObjectMetaBuilder>>> changes() {
        return Stream.of(
                Named.of("another namespace", metadata -> metadata.withNamespace("elsewhere")),
                Named.of(
                        "another migration's UID",
                        metadata -> metadata.addToLabels(LauncherPod.MIGRATION_UID_LABEL, "other")),
                Named.of("no UID", metadata -> metadata.removeFromLabels(LauncherPod.MIGRATION_UID_LABEL)),
                Named.of(
                        "another migration's name",
                        metadata -> metadata.addToAnnotations(LauncherPod.MIGRATION_NAME_ANNOTATION, "other")),
                Named.of("no name", metadata -> metadata.removeFromAnnotations(LauncherPod.MIGRATION_NAME_ANNOTATION)),
                Named.of("no owner", metadata -> metadata.withOwnerReferences(List.of())),
                Named.of(
                        "another VMI",
                        metadata -> metadata.editFirstOwnerReference()
                                .withName("web")
                                .endOwnerReference()),
                Named.of(
                        "an owner that does not control it",
                        metadata -> metadata.editFirstOwnerReference()
                                .withController(null)
                                .endOwnerReference()),
                Named.of(
                        "an owner of another kind",
                        metadata -> metadata.editFirstOwnerReference()
                                .withKind("VirtualMachine")
                                .endOwnerReference()),
                Named.of(
                        "an owner of another group",
                        metadata -> metadata.editFirstOwnerReference()
                                .withApiVersion("example.com/v1")
                                .endOwnerReference()));
    }

    @ParameterizedTest
    @MethodSource("changes")
    void aPodThatLacksAMarkIsNone(Consumer<ObjectMetaBuilder> change) {
        assertThat(TargetPods.of(migration(null), List.of(pod("forged", change), real("real"))))
                .extracting(pod -> pod.getMetadata().getName())
                .containsExactly("real");
    }

    @Test
    void theOneThatKubeVirtNamesIsTheOnlyOne() {
        assertThat(TargetPods.of(migration(state("m-uid", "real")), List.of(real("real"), real("forged"))))
                .extracting(pod -> pod.getMetadata().getName())
                .containsExactly("real");
    }

    @Test
    void whatIsLeftOfAnotherMigrationNamesNothing() {
        assertThat(TargetPods.of(migration(state("earlier", "its-pod")), List.of(real("real"))))
                .hasSize(1);
    }
}
