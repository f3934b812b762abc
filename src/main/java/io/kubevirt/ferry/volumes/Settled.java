package io.kubevirt.ferry.volumes;

import io.kubevirt.ferry.api.Progress.Guest;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstance;
import io.kubevirt.ferry.kubevirt.Volume;
import io.kubevirt.ferry.volumes.Move.Side;

/**
 * The states of the VMI in which the VM may be put back. In between, KubeVirt has written one of its two halves: a VM that is
 * put back then is never cancelled.
 */
final class Settled {
    private Settled() {}

    static boolean forPutBack(View v) {
        return v.guest()
                .map(vmi -> underWay(v, vmi) || refused(v, vmi) || (leftBehind(v, vmi) && !unplugged(v, vmi)))
                .orElse(true);
    }

    /** KubeVirt has taken the change up, and listens. */
    private static boolean underWay(View v, VirtualMachineInstance vmi) {
        return v.side(vmi) == Side.Destinations && v.volumesChanging(vmi) && !v.restartRequired();
    }

    /** KubeVirt has refused the change, or does not listen, and has touched nothing. */
    static boolean refused(View v, VirtualMachineInstance vmi) {
        return v.side(vmi) == Side.Sources
                && v.restartRequired()
                && v.machineSeenByKubeVirt()
                && !v.volumesChanging(vmi)
                && vmi.status().migratedVolumes().isEmpty();
    }

    /** KubeVirt takes the move for done, and the guest is still on the sources: a migration went past its volumes. */
    static boolean leftBehind(View v, VirtualMachineInstance vmi) {
        return v.side(vmi) == Side.Destinations
                && v.calm(vmi)
                && v.allWaitForPods()
                && v.guestPodOn().filter(Guest.Sources::equals).isPresent();
    }

    /** A hotplugged volume that changes while no migration is asked for is taken from the running guest. */
    private static boolean unplugged(View v, VirtualMachineInstance vmi) {
        return vmi.volumes().stream()
                .filter(Volume::hotpluggable)
                .anyMatch(volume ->
                        v.moves().stream().anyMatch(move -> move.volume().equals(volume.name())));
    }
}
