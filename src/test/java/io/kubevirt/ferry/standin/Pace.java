package io.kubevirt.ferry.standin;

import java.time.Duration;
import java.util.List;

/**
 * Machines move on when virt-controller has taken note of their last step, as they did in the recordings: a copy takes
 * seconds, a look milliseconds.
 *
 * <p>On a machine under load the pauses of a {@link Script} may be over before virt-controller has looked once; two
 * steps would then be one to it, and what it writes another story.
 */
final class Pace {

    private static final Duration AGAIN = Duration.ofMillis(20);

    /** With more VMIs than these virt-controller is never through with a namespace, and there is no story to keep. */
    private static final int STORY = 2;

    private final Cluster cluster;
    private final List<WorkQueue> controllers;

    /** @param controllers the queues of virt-controller */
    Pace(Cluster cluster, List<WorkQueue> controllers) {
        this.cluster = cluster;
        this.controllers = controllers;
    }

    /** Whether virt-controller keeps pace with what is of this object; if not, the object comes again soon. */
    boolean isKept(Item of, WorkQueue queue) {
        boolean kept = cluster.list(Kind.VMI, of.namespace()).size() > STORY
                || (cluster.hasShownItsWrites(of.namespace())
                        && controllers.stream().allMatch(each -> each.rests(of.namespace())));
        if (!kept) {
            queue.addAfter(of.key(), AGAIN);
        }
        return kept;
    }
}
