package io.kubevirt.ferry.volumes;

import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstance;
import io.kubevirt.ferry.kubevirt.Volume;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Each source is a volume of the one VM, and of no other. */
final class HomeChecks {
    private HomeChecks() {}

    static Stream<Finding> sourcesBelongToOneMachine(Subject subject) {
        return subject.sources().stream()
                .flatMap(source -> subject
                        .machine()
                        .map(vm -> strays(subject, vm, source))
                        .orElseGet(() -> Optional.of(homeless(subject, source)))
                        .stream());
    }

    private static Optional<Finding> strays(Subject subject, VirtualMachine vm, String source) {
        var name = vm.getMetadata().getName();
        var others = named(subject.usage().machines().stream().filter(other -> !same(other, vm)), source);
        boolean itsOwn = !subject.volumesOn(source).isEmpty();
        if (!others.isEmpty()) {
            return Optional.of(new Finding(
                    Reason.SeveralVirtualMachines,
                    Set.of(source),
                    itsOwn
                            ? source + " is a volume of " + name + " and of " + others
                                    + ", which would be left with the old data: take it out of all but one"
                            : source + " is a volume of " + others + ", not of " + name
                                    + ": make one VolumeMigration for each VM"));
        }
        if (itsOwn) {
            return Optional.empty();
        }
        return Optional.of(
                names(vm.volumes(), source)
                        ? new Finding(
                                Reason.NotADisk,
                                Set.of(source),
                                "VM " + name + " uses " + source
                                        + " as the base of an ephemeral disk or for memory dumps, which"
                                        + " KubeVirt does not migrate: leave it out, or take it out of the VM")
                        : pending(
                                source,
                                "VM " + name + " has no volume on " + source
                                        + " now: correct spec.migratedVolume in a new VolumeMigration, or let the VM name it"));
    }

    private static Finding homeless(Subject subject, String source) {
        var instances = subject.usage().instances().stream()
                .filter(vmi -> names(vmi.volumes(), source))
                .filter(vmi -> subject.usage().machines().stream().noneMatch(vm -> owns(vm, vmi)))
                .map(vmi -> vmi.getMetadata().getName())
                .sorted()
                .collect(Collectors.joining(", "));
        var others = named(subject.usage().machines().stream(), source);
        if (!instances.isEmpty() && others.isEmpty()) {
            return new Finding(
                    Reason.NoVirtualMachine,
                    Set.of(source),
                    source + " is a volume of the VirtualMachineInstance " + instances
                            + ", which has no VirtualMachine: KubeVirt moves volumes of VirtualMachines only");
        }
        return pending(
                source,
                "No VM has a volume on " + source
                        + " now: correct spec.migratedVolume in a new VolumeMigration, or let the VM name it");
    }

    private static Finding pending(String source, String message) {
        return new Finding(Reason.VolumesPending, Set.of(source), message);
    }

    private static String named(Stream<VirtualMachine> machines, String claim) {
        return machines.filter(vm -> names(vm.volumes(), claim))
                .map(vm -> vm.getMetadata().getName())
                .sorted()
                .collect(Collectors.joining(", "));
    }

    private static boolean names(List<Volume> volumes, String claim) {
        return volumes.stream().anyMatch(volume -> volume.claims().contains(claim));
    }

    private static boolean same(VirtualMachine one, VirtualMachine other) {
        return one.getMetadata().getUid().equals(other.getMetadata().getUid());
    }

    private static boolean owns(VirtualMachine vm, VirtualMachineInstance vmi) {
        return vmi.getMetadata().getOwnerReferences().stream()
                .anyMatch(owner -> owner.getUid().equals(vm.getMetadata().getUid()));
    }
}
