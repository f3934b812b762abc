package io.kubevirt.ferry.volumes;

import io.kubevirt.ferry.volumes.Reason.Shows;
import java.util.Set;

/**
 * One thing that stands in the way of a start.
 *
 * @param sources the source claims of the volumes it concerns, empty for none in particular
 */
record Finding(Reason reason, Set<String> sources, String message) {
    boolean rejects() {
        return reason.shows() == Shows.RejectedVolume;
    }
}
