package io.kubevirt.ferry.volumes;

import static io.kubevirt.ferry.volumes.Scene.dataVolume;
import static io.kubevirt.ferry.volumes.Scene.dataVolumeObject;
import static io.kubevirt.ferry.volumes.Scene.kubeVirt;
import static io.kubevirt.ferry.volumes.Scene.launcher;
import static io.kubevirt.ferry.volumes.Scene.otherInstance;
import static io.kubevirt.ferry.volumes.Scene.otherMachine;
import static io.kubevirt.ferry.volumes.Scene.otherMigration;
import static io.kubevirt.ferry.volumes.Scene.pod;
import static io.kubevirt.ferry.volumes.Scene.template;
import static io.kubevirt.ferry.volumes.Scene.vmim;
import static io.kubevirt.ferry.volumes.Scene.volume;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.VolumeResourceRequirementsBuilder;
import io.kubevirt.ferry.api.LeftOutPolicy;
import io.kubevirt.ferry.api.MachineUpdatePolicy;
import io.kubevirt.ferry.api.Names;
import io.kubevirt.ferry.api.Progress.Step;
import io.kubevirt.ferry.api.Verdict;
import io.kubevirt.ferry.api.VolumeMigration;
import io.kubevirt.ferry.api.VolumeMigrationSpec;
import io.kubevirt.ferry.api.VolumeMigrationState;
import io.kubevirt.ferry.api.VolumeMigrationState.State;
import io.kubevirt.ferry.api.VolumeMigrationStatus;
import io.kubevirt.ferry.kubevirt.Condition;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstance;
import io.kubevirt.ferry.kubevirt.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What stands in the way of a start: one row for each thing that may be wrong. */
class ChecksTest {

    @Test
    void nothingStandsInTheWayOfAVmThatRunsWithReadyDestinations() {
        assertThat(findings(scene -> {})).isEmpty();
    }

    static Stream<Arguments> pending() {
        return Stream.of(
                row("KubeVirt is not there", Reason.KubeVirtNotReady, s -> s.kubeVirt = Optional.empty()),
                row(
                        "KubeVirt evicts where an attempt fails",
                        Reason.KubeVirtNotReady,
                        s -> s.kubeVirt = Optional.of(kubeVirt("v1.7.0", null, "Evict"))),
                row("no VM names the sources", Reason.VolumesPending, s -> {
                    s.machineThere = false;
                    s.instanceThere = false;
                }),
                row("the VM names one of the sources", Reason.VolumesPending, s -> {
                    s.machineVolumes = List.of(volume("root", "old-root"));
                    s.instanceVolumes = s.machineVolumes;
                }),
                row("the VM is off", Reason.VirtualMachineNotRunning, s -> s.instanceThere = false),
                row("the VM starts", Reason.VirtualMachineNotRunning, s -> s.phase = "Scheduling"),
                row("the VM stops", Reason.VirtualMachineNotRunning, s -> s.instanceDeleting = true),
                row("the VM is being deleted", Reason.VirtualMachineNotRunning, s -> s.machineDeleting = true),
                row(
                        "its namespace is being deleted",
                        Reason.VirtualMachineNotRunning,
                        s -> s.namespaceTerminating = true),
                row(
                        "KubeVirt is too old",
                        Reason.KubeVirtNotReady,
                        s -> s.kubeVirt = Optional.of(kubeVirt("v1.4.2", "LiveUpdate"))),
                row(
                        "KubeVirt has not told its version",
                        Reason.KubeVirtNotReady,
                        s -> s.kubeVirt = Optional.of(kubeVirt("", null))),
                row("the VM names a volume that its guest has not got", Reason.VirtualMachineNotSettled, s -> {
                    s.leftOut = LeftOutPolicy.Accept;
                    s.machineVolumes = with(s.machineVolumes, volume("more", "left"));
                }),
                row("the guest has got a volume that the VM does not name", Reason.VirtualMachineNotSettled, s -> {
                    s.leftOut = LeftOutPolicy.Accept;
                    s.instanceVolumes = with(s.instanceVolumes, volume("plugged", "left"));
                }),
                row("a guest is still on the sources, which no VM names any more", Reason.VolumesPending, s -> {
                    s.machineThere = false;
                    s.instanceThere = false;
                    s.otherMachines.add(otherMachine("web", volume("root", "x")));
                    s.otherInstances.add(owned(otherInstance("web", volume("root", "old-root")), "web-uid"));
                }),
                row(
                        "a destination is missing",
                        Reason.DestinationNotReady,
                        s -> s.claims.removeIf(c -> c.getMetadata().getName().equals("new-data"))),
                row(
                        "a destination is being deleted",
                        Reason.DestinationNotReady,
                        s -> s.claim("new-data", c -> c.getMetadata().setDeletionTimestamp("now"))),
                row(
                        "a destination is being filled",
                        Reason.DestinationNotReady,
                        s -> s.dataVolumes.add(dataVolumeObject("new-data", "ImportInProgress"))),
                row(
                        "the VM is being migrated",
                        Reason.MigrationInFlight,
                        s -> s.migrations.add(vmim("drain", "Pending"))),
                row(
                        "VM and VMI name different claims",
                        Reason.VirtualMachineNotSettled,
                        s -> s.instanceVolumes = List.of(volume("root", "old-root"), volume("data", "other"))),
                row("the guest has left the claims that VM and VMI name", Reason.VirtualMachineNotSettled, s -> {
                    s.pods.clear();
                    s.pods.add(launcher("elsewhere", "node-1", "Running", List.of("old-root", "third")));
                }),
                row("nobody sees the guest's pod", Reason.VirtualMachineNotSettled, s -> s.pods.clear()),
                row("volumes are under way", Reason.VirtualMachineNotSettled, s -> s.underWay = true),
                row(
                        "volumes are said to be under way",
                        Reason.VirtualMachineNotSettled,
                        s -> s.instanceConditions.add(
                                new Condition(VirtualMachineInstance.VOLUMES_CHANGE, "True", null, null))),
                row(
                        "an earlier migration has to be recovered from",
                        Reason.VirtualMachineNotSettled,
                        s -> s.machineConditions.add(
                                new Condition(VirtualMachine.MANUAL_RECOVERY_REQUIRED, "True", null, null))),
                row(
                        "the strategy is about to be put back",
                        Reason.VirtualMachineNotSettled,
                        s -> s.machineAnnotations.put(Names.RESTORE_STRATEGY, "an-older-vmi/")),
                row(
                        "another VolumeMigration of the VM is older",
                        Reason.AnotherVolumeMigrationActive,
                        s -> s.others.add(otherMigration("older", "2026-05-01T10:00:00Z", "old-root", "third"))),
                row(
                        "another one wants the same destination",
                        Reason.AnotherVolumeMigrationActive,
                        s -> s.others.add(otherMigration("older", "2026-05-01T10:00:00Z", "elsewhere", "new-data"))),
                row(
                        "another one is as old, and first by name",
                        Reason.AnotherVolumeMigrationActive,
                        s -> s.others.add(otherMigration("a", "2026-05-01T11:00:00Z", "old-root", "third"))),
                row("the user has changed the VM for an older one already", Reason.AnotherVolumeMigrationActive, s -> {
                    s.leftOut = LeftOutPolicy.Accept;
                    s.machineVolumes = with(s.machineVolumes, volume("more", "moved"));
                    s.instanceVolumes = s.machineVolumes;
                    s.others.add(manual(otherMigration("older", "2026-05-01T10:00:00Z", "before", "moved")));
                }),
                row(
                        "a deleted one has started",
                        Reason.AnotherVolumeMigrationActive,
                        s -> s.others.add(
                                deleted(started(otherMigration("older", "2026-05-01T10:00:00Z", "old-root", "x"))))),
                row(
                        "another one's source is a destination here",
                        Reason.AnotherVolumeMigrationActive,
                        s -> s.others.add(otherMigration("older", "2026-05-01T10:00:00Z", "new-root", "x"))),
                row(
                        "another one's destination is a source here",
                        Reason.AnotherVolumeMigrationActive,
                        s -> s.others.add(otherMigration("older", "2026-05-01T10:00:00Z", "x", "old-root"))),
                row(
                        "another one was given up, and is older",
                        Reason.AnotherVolumeMigrationActive,
                        s -> s.others.add(givenUp(otherMigration("older", "2026-05-01T10:00:00Z", "old-root", "x")))),
                row(
                        "a younger one has started",
                        Reason.AnotherVolumeMigrationActive,
                        s -> s.others.add(started(otherMigration("younger", "2026-05-01T11:30:00Z", "old-root", "x")))),
                row(
                        "another run has locked the VM",
                        Reason.AnotherVolumeMigrationActive,
                        s -> s.machineAnnotations.put(Names.VOLUME_MIGRATION, "other-uid/1/")),
                row(
                        "nonsense has locked the VM",
                        Reason.AnotherVolumeMigrationActive,
                        s -> s.machineAnnotations.put(Names.VOLUME_MIGRATION, "nonsense")),
                row(
                        "another run holds the VMI",
                        Reason.AnotherVolumeMigrationActive,
                        s -> s.instanceLabels.put(Names.VOLUME_MIGRATION, "other-uid.1")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("pending")
    void isPending(String what, Reason reason, Consumer<Scene> change) {
        var findings = findings(change);
        assertThat(findings).as(what).extracting(Finding::reason).contains(reason);
        assertThat(findings).as(what).noneMatch(Finding::rejects);
    }

    static Stream<Arguments> rejected() {
        return Stream.of(
                row(
                        "KubeVirt stages updates",
                        Reason.RolloutStrategy,
                        s -> s.kubeVirt = Optional.of(kubeVirt("v1.7.0", "Stage"))),
                row(
                        "KubeVirt 1.5 stages updates when it is not told otherwise",
                        Reason.RolloutStrategy,
                        s -> s.kubeVirt = Optional.of(kubeVirt("v1.5.3", null))),
                row("the other source is another VM's", Reason.SeveralVirtualMachines, s -> {
                    s.machineVolumes = List.of(volume("root", "old-root"));
                    s.instanceVolumes = s.machineVolumes;
                    s.otherMachines.add(otherMachine("web", volume("data", "old-data")));
                }),
                row("the sources are those of a VMI without a VM", Reason.NoVirtualMachine, s -> {
                    s.machineThere = false;
                    s.otherInstances.add(otherInstance("alone", volume("root", "old-root")));
                }),
                row(
                        "a source is another VM's too",
                        Reason.SeveralVirtualMachines,
                        s -> s.otherMachines.add(otherMachine("web", volume("shared", "old-data")))),
                row("a source is only the base of an ephemeral disk", Reason.NotADisk, s -> {
                    s.machineVolumes = List.of(volume("root", "old-root"), other("ephemeral", "old-data"));
                    s.instanceVolumes = s.machineVolumes;
                }),
                row("a source takes memory dumps", Reason.NotADisk, s -> {
                    s.machineVolumes = List.of(volume("root", "old-root"), other("memoryDump", "old-data"));
                    s.instanceVolumes = s.machineVolumes;
                }),
                row("a source is in two volumes", Reason.UsedTwice, s -> {
                    s.machineVolumes = with(s.machineVolumes, volume("again", "old-root"));
                    s.instanceVolumes = s.machineVolumes;
                }),
                row(
                        "a disk is shareable",
                        Reason.Shareable,
                        s -> s.devices = new VirtualMachine.Devices(
                                List.of(new VirtualMachine.Disk("root", true, null)), List.of())),
                row(
                        "a disk is a LUN",
                        Reason.Lun,
                        s -> s.devices = new VirtualMachine.Devices(
                                List.of(new VirtualMachine.Disk("data", null, JsonNodeFactory.instance.objectNode())),
                                List.of())),
                row(
                        "a volume is shared as a filesystem",
                        Reason.Filesystem,
                        s -> s.devices =
                                new VirtualMachine.Devices(List.of(), List.of(new VirtualMachine.Filesystem("data")))),
                row(
                        "a destination is smaller than its source",
                        Reason.DestinationTooSmall,
                        s -> s.claim(
                                "new-root", c -> c.getStatus().setCapacity(Map.of("storage", new Quantity("9Gi"))))),
                row(
                        "a destination that is not bound asks for less",
                        Reason.DestinationTooSmall,
                        s -> s.claim("new-root", c -> {
                            c.getStatus().setPhase("Pending");
                            c.getSpec()
                                    .setResources(new VolumeResourceRequirementsBuilder()
                                            .addToRequests("storage", new Quantity("10G"))
                                            .build());
                        })),
                row(
                        "a destination is another VM's",
                        Reason.DestinationInUse,
                        s -> s.otherMachines.add(otherMachine("web", volume("root", "new-root")))),
                row(
                        "a destination is another VMI's",
                        Reason.DestinationInUse,
                        s -> s.otherInstances.add(otherInstance("web", volume("root", "new-root")))),
                row(
                        "a destination is in use by a pod",
                        Reason.DestinationInUse,
                        s -> s.otherPods.add(pod("backup", "node-1", "Running", Map.of(), List.of("new-root")))),
                row("a destination is in another volume of the VM", Reason.DestinationInUse, s -> {
                    s.machineVolumes = with(s.machineVolumes, volume("other", "new-root"));
                    s.instanceVolumes = s.machineVolumes;
                }),
                row("a destination is the base of an ephemeral disk of the VM", Reason.DestinationInUse, s -> {
                    s.machineVolumes = with(s.machineVolumes, other("ephemeral", "new-root"));
                    s.instanceVolumes = s.machineVolumes;
                }),
                row(
                        "a destination is in use by a pod that is about to end",
                        Reason.DestinationInUse,
                        s -> s.otherPods.add(
                                ending(pod("backup", "node-1", "Running", Map.of(), List.of("new-root"))))),
                row("the term could match nothing", Reason.InvalidTerm, s -> s.term = new NodeSelectorTerm()),
                row("a claim is left out", Reason.ClaimLeftOut, s -> {
                    s.machineVolumes = with(s.machineVolumes, volume("scratch", "left"));
                    s.instanceVolumes = s.machineVolumes;
                }),
                row(
                        "KubeVirt cannot migrate the storage",
                        Reason.StorageNotLiveMigratable,
                        s -> s.instanceConditions.add(new Condition(
                                VirtualMachineInstance.STORAGE_LIVE_MIGRATABLE, "False", null, "a reason"))),
                row(
                        "the VM owes a restart",
                        Reason.RestartRequired,
                        s -> s.machineConditions.add(
                                new Condition(VirtualMachine.RESTART_REQUIRED, "True", null, "cpu changed"))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rejected")
    void isRejected(String what, Reason reason, Consumer<Scene> change) {
        assertThat(findings(change))
                .as(what)
                .filteredOn(finding -> finding.reason() == reason)
                .isNotEmpty()
                .allMatch(Finding::rejects)
                .allMatch(finding -> !finding.sources().isEmpty());
    }

    static Stream<Arguments> fine() {
        return Stream.of(
                arguments("KubeVirt 1.5 told to update live", (Consumer<Scene>)
                        s -> s.kubeVirt = Optional.of(kubeVirt("v1.5.3", "LiveUpdate"))),
                arguments("a development version of KubeVirt", (Consumer<Scene>)
                        s -> s.kubeVirt = Optional.of(kubeVirt("v0.0.0-main.1", null))),
                arguments("KubeVirt 1.6 that is not told otherwise", (Consumer<Scene>)
                        s -> s.kubeVirt = Optional.of(kubeVirt("v1.6.0-rc.1", null))),
                arguments("KubeVirt of another make", (Consumer<Scene>)
                        s -> s.kubeVirt = Optional.of(kubeVirt("20260801_abcdef", null))),
                arguments("KubeVirt that tells no version, told to update live", (Consumer<Scene>)
                        s -> s.kubeVirt = Optional.of(kubeVirt("", "LiveUpdate"))),
                arguments("a source that is being deleted", (Consumer<Scene>)
                        s -> s.claim("old-root", c -> c.getMetadata().setDeletionTimestamp("now"))),
                arguments("DataVolumes of the VM's templates", (Consumer<Scene>) s -> {
                    s.machineVolumes = List.of(dataVolume("root", "old-root"), volume("data", "old-data"));
                    s.instanceVolumes = s.machineVolumes;
                    s.templates = List.of(template("old-root"));
                    s.dataVolumes.add(dataVolumeObject("old-root", "Succeeded"));
                }),
                arguments("a volume by DataVolume in the VM and by claim in the guest", (Consumer<Scene>)
                        s -> s.machineVolumes = List.of(dataVolume("root", "old-root"), volume("data", "old-data"))),
                arguments("a hotplugged volume", (Consumer<Scene>) s -> {
                    s.machineVolumes = List.of(volume("root", "old-root"), hotplugged("data", "old-data"));
                    s.instanceVolumes = s.machineVolumes;
                }),
                arguments("KubeVirt that evicts only what it cannot migrate", (Consumer<Scene>)
                        s -> s.kubeVirt = Optional.of(kubeVirt("v1.7.0", null, "LiveMigrate", "Evict"))),
                arguments("finished migrations", (Consumer<Scene>) s -> {
                    s.migrations.add(vmim("old", "Succeeded"));
                    s.migrations.add(vmim("older", "Failed"));
                }),
                arguments("a destination that was filled", (Consumer<Scene>)
                        s -> s.dataVolumes.add(dataVolumeObject("new-root", "Succeeded"))),
                arguments("a pod on a destination that is over", (Consumer<Scene>)
                        s -> s.otherPods.add(pod("import", "node-1", "Succeeded", Map.of(), List.of("new-root")))),
                arguments("disks with nothing special", (Consumer<Scene>) s -> s.devices =
                        new VirtualMachine.Devices(List.of(new VirtualMachine.Disk("root", false, null)), List.of())),
                arguments("a strategy that waits for the end of this very VMI", (Consumer<Scene>)
                        s -> s.machineAnnotations.put(Names.RESTORE_STRATEGY, "vmi-uid/")),
                arguments("a younger VolumeMigration that has not started", (Consumer<Scene>)
                        s -> s.others.add(otherMigration("younger", "2026-05-01T11:30:00Z", "old-root", "new-root"))),
                arguments("an older one that has ended", (Consumer<Scene>)
                        s -> s.others.add(ended(otherMigration("older", "2026-05-01T10:00:00Z", "old-root", "x")))),
                arguments("an older one that is being deleted and has not started", (Consumer<Scene>)
                        s -> s.others.add(deleted(otherMigration("older", "2026-05-01T10:00:00Z", "old-root", "x")))),
                arguments("one that is as old, and later by name", (Consumer<Scene>)
                        s -> s.others.add(otherMigration("z", "2026-05-01T11:00:00Z", "old-root", "third"))),
                arguments("an older one of other claims", (Consumer<Scene>)
                        s -> s.others.add(otherMigration("older", "2026-05-01T10:00:00Z", "elsewhere", "somewhere"))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("fine")
    void isFine(String what, Consumer<Scene> change) {
        assertThat(findings(change)).as(what).isEmpty();
    }

    @Test
    void theStatusSaysOfEachVolumeWhetherItIsItselfTheReason() {
        var status = new Scene()
                .with(scene -> scene.devices =
                        new VirtualMachine.Devices(List.of(new VirtualMachine.Disk("root", true, null)), List.of()))
                .decide()
                .status();
        assertThat(status.volumeMigrationStates())
                .extracting(
                        VolumeMigrationState::sourcePvc,
                        VolumeMigrationState::volumeName,
                        VolumeMigrationState::state,
                        VolumeMigrationState::reason)
                .containsExactly(
                        Tuple.tuple("old-root", "root", State.Rejected, "Shareable"),
                        Tuple.tuple("old-data", "data", State.Valid, null));
    }

    @Test
    void aRejectionComesBeforeWhatOnlyHasToBeWaitedFor() {
        var status = new Scene()
                .with(scene -> scene.migrations.add(vmim("drain", "Running")))
                .with(scene -> scene.machineConditions.add(
                        new Condition(VirtualMachine.RESTART_REQUIRED, "True", null, "cpu changed")))
                .decide()
                .status();
        assertThat(status.condition("Ready").orElseThrow().reason()).isEqualTo("VolumesRejected");
        assertThat(status.condition("Stalled").orElseThrow().holds()).isTrue();
        assertThat(status.condition("Ready").orElseThrow().message()).contains("restart");
    }

    private static List<Finding> findings(Consumer<Scene> change) {
        return Checks.findings(Checks.BEFORE_CHANGE, new Scene().with(change).subject());
    }

    private static Arguments row(String what, Reason reason, Consumer<Scene> change) {
        return arguments(what, reason, change);
    }

    private static <T> List<T> with(List<T> some, T more) {
        var all = new ArrayList<>(some);
        all.add(more);
        return all;
    }

    private static VolumeMigration started(VolumeMigration other) {
        other.setStatus(Scene.at(Step.Recorded).migration().status());
        return other;
    }

    private static VolumeMigration givenUp(VolumeMigration other) {
        var given = Scene.at(Step.Held)
                .progress(p -> p.with(Verdict.GiveUp, "MigrationInFlight", "").closed());
        other.setStatus(given.migration().status());
        return other;
    }

    private static VolumeMigration deleted(VolumeMigration other) {
        other.getMetadata().setDeletionTimestamp("2026-05-01T11:50:00Z");
        return other;
    }

    private static VolumeMigration manual(VolumeMigration other) {
        other.setSpec(new VolumeMigrationSpec(
                other.getSpec().migratedVolume(), null, MachineUpdatePolicy.Manual, null, null, null));
        return other;
    }

    private static VirtualMachineInstance owned(VirtualMachineInstance vmi, String machineUid) {
        vmi.getMetadata()
                .setOwnerReferences(
                        List.of(new OwnerReferenceBuilder().withUid(machineUid).build()));
        return vmi;
    }

    private static Pod ending(Pod pod) {
        pod.getMetadata().setDeletionTimestamp("2026-05-01T11:50:00Z");
        return pod;
    }

    /** A volume that is on a claim in another way than as its disk. */
    private static Volume other(String kind, String claim) {
        var json = JsonNodeFactory.instance.objectNode().put("name", "other");
        var source = json.putObject(kind);
        (kind.equals("ephemeral") ? source.putObject("persistentVolumeClaim") : source).put("claimName", claim);
        return new Volume(json);
    }

    private static Volume hotplugged(String name, String claim) {
        var json = volume(name, claim).json().deepCopy();
        json.withObject("/persistentVolumeClaim").put("hotpluggable", true);
        return new Volume(json);
    }

    private static VolumeMigration ended(VolumeMigration other) {
        other.setStatus(new VolumeMigrationStatus(
                null, "db", "db", null, null, null, null, "2026-05-01T10:30:00Z", null, List.of(), null, List.of()));
        return other;
    }
}
