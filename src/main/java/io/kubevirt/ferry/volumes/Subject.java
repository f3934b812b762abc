package io.kubevirt.ferry.volumes;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.kubevirt.ferry.api.MigratedVolume;
import io.kubevirt.ferry.api.VolumeMigration;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstance;
import io.kubevirt.ferry.kubevirt.Volume;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** What the checks before a start look at. */
record Subject(Observation seen, Usage usage) {

    VolumeMigration migration() {
        return seen.migration();
    }

    List<MigratedVolume> asked() {
        return migration().getSpec().migratedVolume();
    }

    Set<String> sources() {
        var names = new TreeSet<String>();
        asked().forEach(volume -> names.add(volume.sourcePvc()));
        return names;
    }

    Set<String> claims() {
        var names = sources();
        asked().forEach(volume -> names.add(volume.destinationPvc()));
        return names;
    }

    Optional<PersistentVolumeClaim> claim(String name) {
        return seen.claims().stream()
                .filter(claim -> claim.getMetadata().getName().equals(name))
                .findFirst();
    }

    Optional<VirtualMachine> machine() {
        return seen.machine();
    }

    /** The volumes of the VM that are on that claim. */
    List<Volume> volumesOn(String claim) {
        return machine().map(VirtualMachine::volumes).orElse(List.of()).stream()
                .filter(volume -> volume.claim().filter(claim::equals).isPresent())
                .toList();
    }

    /** What is asked for, of the volumes that the VM has. */
    List<Move> moves() {
        return asked().stream()
                .flatMap(asked -> volumesOn(asked.sourcePvc()).stream()
                        .limit(1)
                        .map(volume -> new Move(volume.name(), asked.sourcePvc(), asked.destinationPvc(), false)))
                .toList();
    }

    /** The VMI of the VM, if its guest runs and is to stay. */
    Optional<VirtualMachineInstance> running() {
        return seen.instance()
                .filter(VirtualMachineInstance::runs)
                .filter(vmi -> vmi.getMetadata().getDeletionTimestamp() == null)
                .filter(vmi -> machine()
                        .filter(vm -> vmi.getMetadata().getOwnerReferences().stream()
                                .anyMatch(owner ->
                                        owner.getUid().equals(vm.getMetadata().getUid())))
                        .isPresent());
    }

    String uid() {
        return migration().getMetadata().getUid();
    }

    /** Whether something belongs to the run that this VolumeMigration has open. */
    boolean own(Marks.Owner owner) {
        return owner.isOpenIn(migration());
    }
}
