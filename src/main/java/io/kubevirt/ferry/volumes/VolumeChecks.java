package io.kubevirt.ferry.volumes;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Quantity;
import io.kubevirt.ferry.api.MigratedVolume;
import io.kubevirt.ferry.kubevirt.DataVolume;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.kubevirt.Volume;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** What must hold of each volume that is asked for, and of its destination. */
final class VolumeChecks {
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

    static Stream<Finding> destinationReady(Subject subject) {
        return subject.asked().stream()
                .flatMap(volume -> notReady(subject, volume)
                        .map(why -> new Finding(Reason.DestinationNotReady, Set.of(volume.sourcePvc()), why))
                        .stream());
    }

    private static Optional<String> notReady(Subject subject, MigratedVolume volume) {
        var name = volume.destinationPvc();
        var claim = subject.claim(name);
        if (claim.filter(there -> there.getMetadata().getDeletionTimestamp() != null)
                .isPresent()) {
            return Optional.of("Claim " + name + " is being deleted: create it again when it is gone");
        }
        var filling = filling(subject, name);
        if (filling.isPresent()) {
            return filling.map(dataVolume -> stillFilling(name, dataVolume));
        }
        if (claim.isEmpty()) {
            return Optional.of("There is no claim " + name + ": create it, at least as big as " + volume.sourcePvc());
        }
        return claim.filter(there -> isIn(there, "Lost"))
                .map(lost -> "Claim " + name + " has lost its PersistentVolume: delete it and create it again");
    }

    private static String stillFilling(String claim, DataVolume dataVolume) {
        var phase = dataVolume.phase().map(text -> " (" + text + ")").orElse("");
        return "Claim " + claim + " is still being filled by its DataVolume" + phase
                + (dataVolume.waitsForConsumer()
                        ? ": it waits for a first pod; create it again with the annotation"
                                + " cdi.kubevirt.io/storage.bind.immediate.requested, or use a plain claim"
                        : ": this goes on when it has succeeded");
    }

    private static boolean isIn(PersistentVolumeClaim claim, String phase) {
        return claim.getStatus() != null && phase.equals(claim.getStatus().getPhase());
    }

    private static Optional<DataVolume> filling(Subject subject, String claim) {
        return subject.seen().dataVolumes().stream()
                .filter(dataVolume -> dataVolume.getMetadata().getName().equals(claim))
                .filter(dataVolume -> !dataVolume.succeeded())
                .findFirst();
    }

    static Stream<Finding> destinationBigEnough(Subject subject) {
        return subject.asked().stream()
                .flatMap(volume -> tooSmall(subject, volume)
                        .map(why -> new Finding(Reason.DestinationTooSmall, Set.of(volume.sourcePvc()), why))
                        .stream());
    }

    private static Optional<String> tooSmall(Subject subject, MigratedVolume volume) {
        var source = subject.claim(volume.sourcePvc());
        var destination = subject.claim(volume.destinationPvc());
        var needed = source.flatMap(VolumeChecks::size);
        var there = destination.flatMap(VolumeChecks::size);
        if (needed.isEmpty() || there.isEmpty()) {
            return Optional.empty();
        }
        int compared = there.get().getNumericalAmount().compareTo(needed.get().getNumericalAmount());
        if (compared < 0) {
            return Optional.of("Claim " + volume.destinationPvc() + " has " + there.get() + ", less than the "
                    + needed.get() + " of " + volume.sourcePvc() + ": use a bigger one");
        }
        return compared == 0 && source.filter(VolumeChecks::block).isPresent() && !block(destination.orElseThrow())
                ? Optional.of("Claim " + volume.destinationPvc() + " has the " + there.get() + " of "
                        + volume.sourcePvc() + ", but its filesystem takes some of that: use a bigger one, or one with"
                        + " volumeMode Block")
                : Optional.empty();
    }

    private static boolean block(PersistentVolumeClaim claim) {
        return "Block".equals(claim.getSpec().getVolumeMode());
    }

    /** What a bound claim has, else what it asks for. */
    private static Optional<Quantity> size(PersistentVolumeClaim claim) {
        return Optional.of(claim)
                .filter(there -> isIn(there, "Bound"))
                .map(bound -> bound.getStatus().getCapacity())
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
