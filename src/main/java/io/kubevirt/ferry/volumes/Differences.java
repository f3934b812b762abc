package io.kubevirt.ferry.volumes;

import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstance;
import io.kubevirt.ferry.kubevirt.Volume;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Where a VM names other claims than its guest runs on, in words. */
final class Differences {
    private Differences() {}

    /** The first of them, and what to do about it. */
    static Optional<String> of(VirtualMachine vm, VirtualMachineInstance vmi) {
        var changed = onBoth(vm, vmi)
                .filter(pair -> !pair.agree())
                .map(pair -> "The VM names " + pair.machine().claim().orElse("no claim") + " for volume "
                        + pair.machine().name() + ", its guest runs on "
                        + pair.guest().claim().orElse("none")
                        + ": put that back, or restart the VM if the guest is to start on the new claim as it is");
        var notThere = onlyIn(vm.volumes(), vmi.volumes())
                .map(volume -> "The guest does not have volume " + volume.name() + " on "
                        + volume.claim().orElseThrow() + " of the VM: wait until it is plugged in, or restart the VM");
        var pluggedIn = onlyIn(vmi.volumes(), vm.volumes())
                .map(volume ->
                        "Volume " + volume.name() + " on " + volume.claim().orElseThrow()
                                + " is plugged into the guest and not in the VM: add it there, or unplug it");
        return Stream.of(changed, notThere, pluggedIn).flatMap(words -> words).findFirst();
    }

    /** After a change of claims that KubeVirt has refused: a restart would start the VM on what may be empty. */
    static Optional<String> toPutBack(VirtualMachine vm, VirtualMachineInstance vmi) {
        var back = onBoth(vm, vmi)
                .filter(pair -> !pair.agree())
                .flatMap(pair -> pair.guest().claim().stream()
                        .map(claim -> "volume " + pair.machine().name() + " on claim " + claim))
                .collect(Collectors.joining(", "));
        return Optional.of(back)
                .filter(words -> !words.isEmpty())
                .map(words ->
                        "The VM names other claims than its guest runs on, and KubeVirt does not move them: write "
                                + words + " again; a restart would start it on the others as they are");
    }

    private static Stream<Pair> onBoth(VirtualMachine vm, VirtualMachineInstance vmi) {
        return vm.volumes().stream()
                .flatMap(machine -> vmi.volumes().stream()
                        .filter(guest -> guest.name().equals(machine.name()))
                        .map(guest -> new Pair(machine, guest)));
    }

    private static Stream<Volume> onlyIn(List<Volume> some, List<Volume> others) {
        return some.stream()
                .filter(volume -> volume.claim().isPresent())
                .filter(volume ->
                        others.stream().noneMatch(other -> other.name().equals(volume.name())));
    }

    private record Pair(Volume machine, Volume guest) {
        boolean agree() {
            return machine.claim().equals(guest.claim());
        }
    }
}
