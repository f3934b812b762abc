package io.kubevirt.ferry.volumes;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Quantity;
import io.kubevirt.ferry.api.LeftOutPolicy;
import io.kubevirt.ferry.api.MigratedVolume;
import io.kubevirt.ferry.kubevirt.DataVolume;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstance;
import io.kubevirt.ferry.kubevirt.Volume;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** What must hold of each volume that is asked for, and of those that are not. */
final class VolumeChecks {
    private static final String READ_WRITE_MANY = "ReadWriteMany";

    private VolumeChecks() {}

    /** KubeVirt refuses to migrate shareable disks, LUNs and filesystems. */
    static Stream<Finding> plainDisks(Subject subject) {
        return subject.machine().stream()
                .flatMap(vm -> subject.sources().stream()
                        .flatMap(source ->
                                subject.volumesOn(source).stream().flatMap(volume -> notPlain(vm, volume, source))));
    }

    private static Stream<Finding> notPlain(VirtualMachine vm, Volume volume, String source) {
        var devices = vm.getSpec().template().spec().domain().devices();
        var disks = devices.disks().stream()
                .filter(disk -> disk.name().equals(volume.name()))
                .flatMap(disk -> Stream.of(
                                Boolean.TRUE.equals(disk.shareable())
                                        ? Optional.of(Reason.Shareable)
                                        : Optional.<Reason>empty(),
                                disk.lun() != null ? Optional.of(Reason.Lun) : Optional.<Reason>empty())
                        .flatMap(Optional::stream));
        var filesystems = devices.filesystems().stream()
                .filter(filesystem -> filesystem.name().equals(volume.name()))
                .map(filesystem -> Reason.Filesystem);
        return Stream.concat(disks, filesystems)
                .map(reason -> new Finding(
                        reason,
                        Set.of(source),
                        "Volume " + volume.name() + " is " + WHAT.get(reason)
                                + ", which KubeVirt does not migrate: leave it out, or change the VM and restart it"));
    }

    private static final Map<Reason, String> WHAT = Map.of(
            Reason.Shareable, "a shareable disk",
            Reason.Lun, "a LUN",
            Reason.Filesystem, "a shared filesystem");

    static Stream<Finding> inOneVolumeOnly(Subject subject) {
        return subject.sources().stream()
                .filter(source -> subject.volumesOn(source).size() > 1)
                .map(source -> new Finding(
                        Reason.UsedTwice,
                        Set.of(source),
                        "The VM has several volumes on " + source + ": take all but one out and restart it"));
    }

    static Stream<Finding> noClaimLeftOut(Subject subject) {
        return subject.machine().stream()
                .flatMap(vm -> vm.volumes().stream())
                .filter(volume -> volume.claim().isPresent())
                .filter(volume -> !subject.sources().contains(volume.claim().orElseThrow()))
                .flatMap(volume -> leftOut(subject, volume));
    }

    private static Stream<Finding> leftOut(Subject subject, Volume volume) {
        var claim = volume.claim().orElseThrow();
        if (singleWriter(subject, volume)) {
            return Stream.of(new Finding(
                    Reason.ClaimLeftOut,
                    subject.sources(),
                    "Volume " + volume.name() + " on " + claim + " can be mounted on one node only: add it to a new"
                            + " VolumeMigration, all such volumes have to move together"));
        }
        return subject.migration().getSpec().leftOut() == LeftOutPolicy.Accept
                ? Stream.empty()
                : Stream.of(new Finding(
                        Reason.ClaimLeftOut,
                        subject.sources(),
                        "Volume " + volume.name() + " on " + claim
                                + " is left out, with which KubeVirt can lock up: add it"
                                + " to a new VolumeMigration, or set volumesLeftOut to Accept there"));
    }

    private static boolean singleWriter(Subject subject, Volume volume) {
        return subject.running().stream()
                .flatMap(vmi -> vmi.status().volumeStatus().stream())
                .filter(status -> status.name().equals(volume.name()))
                .map(VirtualMachineInstance.VolumeStatus::claim)
                .anyMatch(claim -> claim != null && !claim.accessModes().contains(READ_WRITE_MANY));
    }

    static Stream<Finding> destinationReady(Subject subject) {
        return subject.asked().stream()
                .flatMap(volume -> notReady(subject, volume)
                        .map(why -> new Finding(Reason.DestinationNotReady, Set.of(volume.sourcePvc()), why))
                        .stream());
    }

    private static Optional<String> notReady(Subject subject, MigratedVolume volume) {
        var name = volume.destinationPvc();
        var claim = subject.claim(name);
        if (claim.isEmpty()) {
            return Optional.of("There is no claim " + name + ": create it, at least as big as " + volume.sourcePvc());
        }
        if (claim.get().getMetadata().getDeletionTimestamp() != null) {
            return Optional.of("Claim " + name + " is being deleted: create it again when it is gone");
        }
        return filling(subject, name).map(dataVolume -> "Claim " + name + " is still being filled by its DataVolume");
    }

    private static Optional<DataVolume> filling(Subject subject, String claim) {
        return subject.seen().dataVolumes().stream()
                .filter(dataVolume -> dataVolume.getMetadata().getName().equals(claim))
                .filter(dataVolume -> !dataVolume.succeeded())
                .findFirst();
    }

    static Stream<Finding> destinationBigEnough(Subject subject) {
        return subject.asked().stream().flatMap(volume -> {
            var source = subject.claim(volume.sourcePvc()).flatMap(VolumeChecks::size);
            var destination = subject.claim(volume.destinationPvc()).flatMap(VolumeChecks::size);
            return source.isPresent()
                            && destination.isPresent()
                            && destination
                                            .get()
                                            .getNumericalAmount()
                                            .compareTo(source.get().getNumericalAmount())
                                    < 0
                    ? Stream.of(new Finding(
                            Reason.DestinationTooSmall,
                            Set.of(volume.sourcePvc()),
                            "Claim " + volume.destinationPvc() + " has " + destination.get() + ", less than the "
                                    + source.get() + " of " + volume.sourcePvc() + ": use a bigger one"))
                    : Stream.empty();
        });
    }

    /** What a bound claim has, else what it asks for. */
    private static Optional<Quantity> size(PersistentVolumeClaim claim) {
        return Optional.ofNullable(claim.getStatus())
                .filter(status -> "Bound".equals(status.getPhase()))
                .map(status -> status.getCapacity())
                .map(capacity -> capacity.get("storage"))
                .or(() -> Optional.ofNullable(claim.getSpec().getResources())
                        .map(resources -> resources.getRequests())
                        .map(requests -> requests.get("storage")));
    }

    static Stream<Finding> destinationUnused(Subject subject) {
        return subject.asked().stream()
                .filter(volume -> filling(subject, volume.destinationPvc()).isEmpty())
                .flatMap(volume -> Users.ofDestination(subject, volume.destinationPvc())
                        .limit(1)
                        .map(user -> new Finding(
                                Reason.DestinationInUse,
                                Set.of(volume.sourcePvc()),
                                "Claim " + volume.destinationPvc() + " is used by " + user
                                        + ": its content would be overwritten; use another one")));
    }
}
