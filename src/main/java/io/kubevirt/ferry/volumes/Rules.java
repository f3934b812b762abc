package io.kubevirt.ferry.volumes;

import io.kubevirt.ferry.api.Progress.Guest;
import io.kubevirt.ferry.volumes.Move.Side;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The rules on which the safety of the protocol rests, each of them there because a run without it loses data or never ends.
 * There is one value in production; tests replace single rules by wrong ones and watch the simulation find out.
 *
 * @param held whether the VM may be changed: hold and fence are on the VMI, so that nothing boots from half a copy
 * @param startable whether a VMIM may be made: one made earlier moves the guest without its volumes
 * @param moved whether the guest is on the destinations and nothing is left open
 * @param aborted whether nothing can move the guest any more, so that where it is now is where it stays
 * @param whereabouts where the newest data is, after an abort; absent as long as that is not clear
 * @param settled whether KubeVirt takes a put back for what it is; at other times it loses track
 * @param back whether nothing is left of the migration after a put back
 * @param releasable whether virt-controller has seen the VM as it is and can start no VMI from an older one
 * @param unused whether nobody names a source claim any more
 */
public record Rules(
        Predicate<View> held,
        Predicate<View> startable,
        Predicate<View> moved,
        Predicate<View> aborted,
        Function<View, Optional<Guest>> whereabouts,
        Predicate<View> settled,
        Predicate<View> back,
        Predicate<View> releasable,
        BiPredicate<View, String> unused) {

    public static final Rules PROTOCOL = new Rules(
            View::held,
            Rules::startable,
            Rules::moved,
            Rules::aborted,
            Whereabouts::of,
            Settled::forPutBack,
            Rules::back,
            View::machineSeenByKubeVirt,
            Rules::unused);

    private static boolean startable(View v) {
        return v.unfinished().isEmpty()
                && v.guest()
                        .filter(vmi -> v.side(vmi) == Side.Destinations && v.volumesChanging(vmi))
                        .isPresent()
                && v.guestPodOn().filter(Guest.Sources::equals).isPresent();
    }

    private static boolean moved(View v) {
        return v.unfinished().isEmpty()
                && v.guest()
                        .filter(vmi -> v.side(vmi) == Side.Destinations && v.calm(vmi))
                        .isPresent()
                && v.guestPodOn().filter(Guest.Destinations::equals).isPresent();
    }

    private static boolean aborted(View v) {
        return v.unfinished().isEmpty()
                && (v.guest().isEmpty()
                        || v.migrationState()
                                .filter(state -> !state.completed())
                                .isEmpty());
    }

    private static boolean back(View v) {
        return v.unfinished().isEmpty()
                && v.guest()
                        .filter(vmi -> v.side(vmi) == Side.Sources
                                && !v.volumesChanging(vmi)
                                && vmi.status().migratedVolumes().isEmpty())
                        .isPresent();
    }

    private static boolean unused(View v, String claim) {
        return v.seen().usage().isPresent()
                && Users.ofSource(v.seen().usage().get(), v.migration(), claim, pod -> true)
                        .findAny()
                        .isEmpty();
    }
}
