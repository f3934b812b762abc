package io.kubevirt.ferry.volumes.simulation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** virt-controller's handling of changed volumes: take up, refuse, cancel, plug; at most one step of it in a turn. */
final class VolumeUpdate {
    private final Cluster cluster;
    private List<MigratedVolume> takenUp = List.of();

    VolumeUpdate(Cluster cluster) {
        this.cluster = cluster;
    }

    /** What the last plan takes up, for the VM's status; empty when it does not. */
    List<MigratedVolume> takenUp() {
        return takenUp;
    }

    /** The writes that follow from a VM and a VMI as virt-controller sees them; a refusal goes into the VM's status. */
    List<VmController.Write> plan(Vm vm, Vmi vmi) {
        takenUp = List.of();
        if (vm.volumes.equals(vmi.volumes)) {
            return List.of();
        }
        var changed = changed(vm, vmi);
        if (vmi.volumesChange == VolumesChange.TRUE && touches(changed, vmi.migratedVolumes)) {
            return changed.equals(reverse(vmi.migratedVolumes)) ? cancel(vm, vmi) : List.of();
        }
        var plugged = plugged(vm, vmi);
        if (!plugged.isEmpty()) {
            return plugged;
        }
        if (!vm.migrationStrategy()) {
            return replace(vm, vmi);
        }
        var refusal = refusal(changed, vmi);
        if (refusal != null) {
            vm.status.restartRequired = refusal;
            return List.of();
        }
        return takeUp(vm, vmi, changed);
    }

    /** The claims that differ, as a migration from the VMI's to the VM's. */
    private static List<MigratedVolume> changed(Vm vm, Vmi vmi) {
        var changed = new ArrayList<MigratedVolume>();
        for (var old : vmi.volumes) {
            var volume = vm.volume(old.name());
            if (volume != null && !volume.claim().equals(old.claim())) {
                changed.add(new MigratedVolume(old.name(), old.claim(), volume.claim()));
            }
        }
        return changed;
    }

    private static boolean touches(List<MigratedVolume> changed, List<MigratedVolume> migrated) {
        return migrated.stream()
                .anyMatch(m -> changed.stream().anyMatch(c -> c.volume().equals(m.volume())));
    }

    private static List<MigratedVolume> reverse(List<MigratedVolume> migrated) {
        return migrated.stream()
                .map(m -> new MigratedVolume(m.volume(), m.destination(), m.source()))
                .toList();
    }

    private List<VmController.Write> cancel(Vm vm, Vmi vmi) {
        return List.of(
                new VmController.Write(Move.CANCEL_VOLUMES, () -> writeVolumes(vm, vmi)),
                new VmController.Write(Move.CANCEL_STATUS, () -> {
                    var live = cluster.vmi;
                    if (live == null
                            || live.volumesChange != vmi.volumesChange
                            || !live.migratedVolumes.equals(vmi.migratedVolumes)
                            || cluster.spuriousConflict()) {
                        return false;
                    }
                    live.volumesChange = VolumesChange.CANCELLED;
                    live.migratedVolumes = List.of();
                    cluster.touch(live);
                    return true;
                }));
    }

    private List<VmController.Write> takeUp(Vm vm, Vmi vmi, List<MigratedVolume> changed) {
        if (changed.isEmpty()) {
            return List.of();
        }
        if (changed.stream().anyMatch(c -> !cluster.claims.containsKey(c.destination()))) {
            return vmi.volumesChange == VolumesChange.MISSING
                    ? List.of()
                    : List.of(condition(Move.VOLUMES_MISSING, vmi, VolumesChange.MISSING));
        }
        if (vmi.volumesChange == VolumesChange.MISSING || vmi.volumesChange == VolumesChange.CANCELLED) {
            return List.of(condition(Move.VOLUMES_CHANGE_CLEARED, vmi, VolumesChange.ABSENT));
        }
        takenUp = changed;
        if (!vmi.migratedVolumes.isEmpty()) {
            return List.of(new VmController.Write(Move.VMI_VOLUMES, () -> writeVolumes(vm, vmi)));
        }
        return List.of(new VmController.Write(Move.MIGRATED_VOLUMES, () -> {
            var live = cluster.vmi;
            if (live == null || !live.migratedVolumes.isEmpty()) {
                return false;
            }
            live.migratedVolumes = changed;
            cluster.touch(live);
            return true;
        }));
    }

    private VmController.Write condition(Move move, Vmi vmi, VolumesChange change) {
        return new VmController.Write(move, () -> {
            var live = cluster.vmi;
            if (live == null || live.volumesChange != vmi.volumesChange) {
                return false;
            }
            live.volumesChange = change;
            cluster.touch(live);
            return true;
        });
    }

    /** The VM's volumes go into the VMI, but only those in its {@code migratedVolumes}. */
    private boolean writeVolumes(Vm vm, Vmi vmi) {
        var live = cluster.vmi;
        if (live == null || !live.volumes.equals(vmi.volumes)) {
            return false;
        }
        Set<String> names = new HashSet<>();
        vmi.migratedVolumes.forEach(migrated -> names.add(migrated.volume()));
        var volumes = new ArrayList<Volume>();
        for (var volume : live.volumes) {
            var wanted = vm.volume(volume.name());
            volumes.add(names.contains(volume.name()) && wanted != null ? wanted : volume);
        }
        live.volumes = List.copyOf(volumes);
        cluster.touch(live);
        live.named = live.version;
        return true;
    }

    private @Nullable String refusal(List<MigratedVolume> changed, Vmi vmi) {
        if (changed.isEmpty()) {
            return null;
        }
        if (cluster.refuses != null) {
            return cluster.refuses;
        }
        for (var volume : vmi.volumes) {
            var claim = cluster.claims.get(volume.claim());
            if (claim != null
                    && claim.readWriteOnce
                    && changed.stream().noneMatch(c -> c.volume().equals(volume.name()))) {
                return "cannot migrate the VM. The volume " + volume.name()
                        + " is RWO and not included in the migration volumes";
            }
        }
        return null;
    }

    /** Without the strategy a changed volume waits for the restart, but a hotplugged one is exchanged under the guest. */
    private List<VmController.Write> replace(Vm vm, Vmi vmi) {
        for (var volume : vmi.volumes) {
            if (volume.hotpluggable() && !volume.equals(vm.volume(volume.name()))) {
                return List.of(new VmController.Write(Move.HOT_UNPLUG, () -> unplug(volume)));
            }
        }
        if (vm.status.restartRequired == null) {
            vm.status.restartRequired = "the volumes replacement is effective only after restart";
        }
        return List.of();
    }

    private List<VmController.Write> plugged(Vm vm, Vmi vmi) {
        for (var volume : vm.volumes) {
            if (volume.hotpluggable() && Vm.find(vmi.volumes, volume.name()) == null) {
                return List.of(new VmController.Write(Move.HOT_PLUG, () -> plug(volume)));
            }
        }
        return List.of();
    }

    private boolean unplug(Volume volume) {
        var live = cluster.vmi;
        if (live == null || !live.volumes.contains(volume)) {
            return false;
        }
        live.volumes = live.volumes.stream().filter(v -> !v.equals(volume)).toList();
        cluster.touch(live);
        if (cluster.guest != null && !cluster.meddled) {
            cluster.violated(Law.NEWEST_DATA, volume + " is unplugged from the running guest");
        }
        return true;
    }

    private boolean plug(Volume volume) {
        var live = cluster.vmi;
        if (live == null || Vm.find(live.volumes, volume.name()) != null) {
            return false;
        }
        var volumes = new ArrayList<>(live.volumes);
        volumes.add(volume);
        live.volumes = List.copyOf(volumes);
        cluster.touch(live);
        live.named = live.version;
        return true;
    }
}
