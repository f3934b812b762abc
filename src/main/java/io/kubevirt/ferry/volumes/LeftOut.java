package io.kubevirt.ferry.volumes;

import io.kubevirt.ferry.api.LeftOutPolicy;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstance;
import io.kubevirt.ferry.kubevirt.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What must hold of the volumes that are not asked for. KubeVirt refuses to leave a claim out that only one node can mount,
 * and with any other it may lock up. It counts the volumes of the guest, memory dumps with them; not the claim on which it
 * keeps the state of the VM itself, which is no volume of either.
 */
final class LeftOut {
    private static final String READ_WRITE_MANY = "ReadWriteMany";

    private LeftOut() {}

    static Stream<Finding> nothingThatMatters(Subject subject) {
        if (subject.machine().isEmpty()) {
            return Stream.empty();
        }
        return volumes(subject).stream()
                .flatMap(volume ->
                        leftOut(subject, volume)
                                .map(why -> new Finding(Reason.ClaimLeftOut, subject.sources(), why))
                                .stream());
    }

    /** Those on claims that stay where they are: of the VM, and what is plugged into its guest alone. */
    private static List<Volume> volumes(Subject subject) {
        var volumes = new ArrayList<>(subject.machine().orElseThrow().volumes());
        subject.running().stream()
                .flatMap(vmi -> vmi.volumes().stream())
                .filter(volume ->
                        volumes.stream().noneMatch(other -> other.name().equals(volume.name())))
                .forEach(volumes::add);
        return volumes.stream()
                .filter(volume -> claim(volume)
                        .filter(claim -> !subject.sources().contains(claim))
                        .isPresent())
                .toList();
    }

    private static Optional<String> claim(Volume volume) {
        return volume.claim().or(volume::dump);
    }

    private static Optional<String> leftOut(Subject subject, Volume volume) {
        var what = "Volume " + volume.name() + " on " + claim(volume).orElseThrow();
        if (oneNodeOnly(subject, volume)) {
            return Optional.of(
                    volume.dump().isPresent()
                            ? what
                                    + " takes memory dumps and can be mounted on one node only, with which KubeVirt does not"
                                    + " migrate volumes: take it off the VM"
                            : what
                                    + " can be mounted on one node only: add it to a new VolumeMigration, all such volumes"
                                    + " have to move together");
        }
        return subject.migration().getSpec().leftOut() == LeftOutPolicy.Accept
                ? Optional.empty()
                : Optional.of(what + " is left out, with which KubeVirt can lock up: "
                        + (volume.dump().isPresent() ? "take it off the VM" : "add it to a new VolumeMigration")
                        + ", or set volumesLeftOut to Accept there");
    }

    private static boolean oneNodeOnly(Subject subject, Volume volume) {
        return subject.running().stream()
                .flatMap(vmi -> vmi.status().volumeStatus().stream())
                .filter(status -> status.name().equals(volume.name()))
                .map(VirtualMachineInstance.VolumeStatus::claim)
                .anyMatch(claim -> claim != null && !claim.accessModes().contains(READ_WRITE_MANY));
    }
}
