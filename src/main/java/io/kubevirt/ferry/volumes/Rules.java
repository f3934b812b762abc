package io.kubevirt.ferry.volumes;

import io.kubevirt.ferry.api.Progress.Guest;
import io.kubevirt.ferry.volumes.Move.Side;
import java.util.Optional;

/**
 * The rules on which the safety of the protocol rests, each of them there because a run without it loses data or never ends.
 * There is one value of it; only tests override single rules by wrong ones, and watch the simulation find out.
 */
class Rules {
    static final Rules PROTOCOL = new Rules();

    Rules() {}

    /** The VM may be changed: hold and fence are on the VMI, so that nothing boots from half a copy. */
    boolean held(View v) {
        return v.held();
    }

    /** A VMIM may be made: one made earlier moves the guest without its volumes. */
    boolean startable(View v) {
        return v.unfinished().isEmpty()
                && v.guest()
                        .filter(vmi -> v.side(vmi) == Side.Destinations && v.volumesChanging(vmi))
                        .isPresent()
                && v.guestPodOn().filter(Guest.Sources::equals).isPresent();
    }

    /** The guest is on the destinations, by its pod and not by what names them, and nothing is left open. */
    boolean moved(View v) {
        return v.unfinished().isEmpty()
                && v.guest()
                        .filter(vmi -> v.side(vmi) == Side.Destinations && v.calm(vmi))
                        .isPresent()
                && v.guestPodOn().filter(Guest.Destinations::equals).isPresent();
    }

    /** Nothing can move the guest any more: where it is now, it stays. With the VMI over its state may never be completed. */
    boolean aborted(View v) {
        return v.unfinished().isEmpty()
                && (v.guest().isEmpty()
                        || v.migrationState()
                                .filter(state -> !state.completed())
                                .isEmpty());
    }

    /** Where the newest data is, after an abort; absent as long as that is not clear. */
    Optional<Guest> whereabouts(View v) {
        return Whereabouts.of(v);
    }

    /** KubeVirt takes a put back for what it is; at other times it loses track. */
    boolean settled(View v) {
        return Settled.forPutBack(v);
    }

    /** Nothing is left of the migration after a put back under a running guest. */
    boolean back(View v) {
        return v.unfinished().isEmpty()
                && v.guest()
                        .filter(vmi -> v.side(vmi) == Side.Sources
                                && !v.volumesChanging(vmi)
                                && vmi.status().migratedVolumes().isEmpty())
                        .isPresent();
    }

    /** The write that puts the strategy back after a roll back, where there is something to put back. */
    Optional<Action> strategyBack(View v) {
        return MachineActions.restoreStrategy(v);
    }

    /** virt-controller has seen the VM as it is, and can start no VMI from an older one. */
    boolean releasable(View v) {
        return v.machineSeenByKubeVirt();
    }

    /** Nobody names a source claim any more. */
    boolean unused(View v, String claim) {
        return v.seen()
                .usage()
                .filter(usage -> Users.ofSource(usage, v.migration(), claim, pod -> true)
                        .findAny()
                        .isEmpty())
                .isPresent();
    }
}
