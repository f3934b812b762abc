package io.kubevirt.ferry.volumes;

import io.kubevirt.ferry.api.Progress.Guest;
import io.kubevirt.ferry.volumes.Move.Side;
import java.util.Optional;

/** Where the newest data is, once nothing moves the guest any more. */
final class Whereabouts {
    private Whereabouts() {}

    /**
     * While the guest runs, its pod says so. Afterwards what was seen then, else what KubeVirt left on the VMI; and once the
     * VMI is gone with the hold that was to keep it, only what was written down.
     */
    static Optional<Guest> of(View v) {
        if (v.guest().isPresent()) {
            return v.guestPodOn();
        }
        var known = v.progress().seenGuest();
        if (known.isPresent()) {
            return known;
        }
        if (!v.attempts().handedOver().isEmpty()) {
            return Optional.of(Guest.Destinations);
        }
        return v.instance().isEmpty() || v.handOverUnclear() || endedUnclear(v)
                ? Optional.empty()
                : Optional.of(lastOn(v));
    }

    /**
     * KubeVirt takes a move for done also where a migration of before there was a fence went past the volumes, as it may have
     * of a VM that its user changes; then only the last pod tells.
     */
    private static boolean endedUnclear(View v) {
        return v.manual()
                && v.handedOver().isEmpty()
                && finished(v)
                && v.lastPodOn().isEmpty();
    }

    private static Guest lastOn(View v) {
        return v.handedOver().isPresent() || endedWell(v) ? Guest.Destinations : Guest.Sources;
    }

    /** KubeVirt had finished with the volumes, and what is left of the last pod does not say otherwise. */
    private static boolean endedWell(View v) {
        return finished(v) && v.lastPodOn().filter(Guest.Sources::equals).isEmpty();
    }

    private static boolean finished(View v) {
        return v.instance()
                .filter(vmi -> v.side(vmi) == Side.Destinations && v.calm(vmi))
                .isPresent();
    }
}
