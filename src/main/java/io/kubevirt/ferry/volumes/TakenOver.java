package io.kubevirt.ferry.volumes;

import io.kubevirt.ferry.api.MigratedVolume;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstance;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A VM that its user puts on the destinations, in one update and with KubeVirt told to migrate, or else it is not moved. */
final class TakenOver {
    private TakenOver() {}

    /** Whether the user has written what he was asked for. */
    static boolean changed(Subject subject) {
        return begun(subject)
                && subject.asked().stream()
                        .allMatch(asked ->
                                subject.volumesOn(asked.destinationPvc()).size() == 1)
                && subject.machine()
                        .flatMap(VirtualMachine::strategy)
                        .filter(VirtualMachine.MIGRATION::equals)
                        .isPresent();
    }

    /** Whether the user has written some of it. */
    static boolean begun(Subject subject) {
        return subject.migration().getSpec().manual() && !begunWith(subject).isEmpty();
    }

    private static List<MigratedVolume> begunWith(Subject subject) {
        return subject.asked().stream()
                .filter(asked -> !subject.volumesOn(asked.destinationPvc()).isEmpty())
                .toList();
    }

    static Stream<Finding> changedInPart(Subject subject) {
        var begun = begunWith(subject);
        var sources = begun.stream().map(MigratedVolume::sourcePvc).collect(Collectors.toSet());
        return Stream.of(new Finding(
                Reason.VirtualMachineNotSettled,
                sources,
                begun.stream().anyMatch(asked -> runsOn(subject, asked.destinationPvc()))
                        ? "The guest runs on " + claims(begun)
                                + ", and KubeVirt has not been told to migrate all volumes there:"
                                + " look into old and new claims, and write those that are to stay"
                        : "The VM names " + claims(begun) + " already, but not all destinations in one update with"
                                + " spec.updateVolumesStrategy " + VirtualMachine.MIGRATION + ": write "
                                + begun.stream()
                                        .map(asked -> back(subject, asked))
                                        .collect(Collectors.joining(", "))
                                + " again before the VM restarts, then change all at once"));
    }

    /** A VM that was changed again names destinations to which KubeVirt moves other claims than these, or will. */
    static Stream<Finding> fromItsSources(Subject subject) {
        return subject.running().stream()
                .flatMap(vmi -> subject.asked().stream()
                        .flatMap(asked -> elsewhere(subject, asked, vmi)
                                .map(why ->
                                        new Finding(Reason.VirtualMachineNotSettled, Set.of(asked.sourcePvc()), why))
                                .stream()));
    }

    private static Optional<String> elsewhere(Subject subject, MigratedVolume asked, VirtualMachineInstance vmi) {
        var name = subject.volumesOn(asked.destinationPvc()).getFirst().name();
        var otherMove = vmi.status().migratedVolumes().stream()
                .filter(moved -> moved.volumeName().equals(name))
                .anyMatch(moved -> !moved.tells(name, asked.sourcePvc(), asked.destinationPvc()));
        if (otherMove) {
            return Optional.of("KubeVirt moves volume " + name + " already, and not from " + asked.sourcePvc() + " to "
                    + asked.destinationPvc() + ": wait until it is done, or put the VM back");
        }
        return vmi.volumes().stream()
                .filter(volume -> volume.name().equals(name))
                .flatMap(volume -> volume.claim().stream())
                .filter(claim -> !claim.equals(asked.sourcePvc()) && !claim.equals(asked.destinationPvc()))
                .map(claim -> "The guest comes to " + asked.destinationPvc() + " from " + claim + ", not from "
                        + asked.sourcePvc() + ": make a VolumeMigration of these two, or put the VM back")
                .findFirst();
    }

    private static boolean runsOn(Subject subject, String claim) {
        return subject.running().stream()
                .filter(vmi -> vmi.status().migratedVolumes().isEmpty())
                .flatMap(vmi -> vmi.volumes().stream())
                .anyMatch(volume -> volume.claim().filter(claim::equals).isPresent());
    }

    private static String claims(List<MigratedVolume> asked) {
        return asked.stream().map(MigratedVolume::destinationPvc).collect(Collectors.joining(", "));
    }

    private static String back(Subject subject, MigratedVolume asked) {
        return "volume " + subject.volumesOn(asked.destinationPvc()).getFirst().name() + " on claim "
                + asked.sourcePvc();
    }

    /**
     * Whether every volume is still to be moved, is being moved, or was moved by KubeVirt. A guest that is on the destinations
     * already may have started there on what they held, and then the newest data is on the sources.
     */
    static boolean movedByKubeVirt(Subject subject) {
        return subject.running()
                .filter(vmi ->
                        subject.asked().stream().allMatch(asked -> onItsWay(asked, vmi) || done(subject, asked, vmi)))
                .isPresent();
    }

    private static boolean onItsWay(MigratedVolume asked, VirtualMachineInstance vmi) {
        return vmi.volumes().stream()
                        .anyMatch(volume ->
                                volume.claim().filter(asked.sourcePvc()::equals).isPresent())
                || vmi.status().migratedVolumes().stream()
                        .anyMatch(moved -> moved.tells(moved.volumeName(), asked.sourcePvc(), asked.destinationPvc()));
    }

    /**
     * KubeVirt keeps on the VM what it last began to move, also when the guest was stopped at once and has started on the
     * destinations since; a VMIM for changed volumes that went well is not older than the guest that it moved.
     */
    private static boolean done(Subject subject, MigratedVolume asked, VirtualMachineInstance vmi) {
        var begun = Objects.requireNonNullElse(vmi.getMetadata().getCreationTimestamp(), "");
        return subject.machine().orElseThrow().status().migratedVolumes().stream()
                        .anyMatch(moved -> moved.tells(moved.volumeName(), asked.sourcePvc(), asked.destinationPvc()))
                && subject.seen().migrations().stream()
                        .filter(VirtualMachineInstanceMigration::succeeded)
                        .filter(VirtualMachineInstanceMigration::forChangedVolumes)
                        .anyMatch(vmim ->
                                Objects.requireNonNullElse(vmim.getMetadata().getCreationTimestamp(), "")
                                                .compareTo(begun)
                                        >= 0);
    }
}
