package io.kubevirt.ferry.volumes;

import io.kubevirt.ferry.api.Names;
import io.kubevirt.ferry.api.Verdict;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.volumes.Move.Side;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The longer messages: what a user has to write, word for word. */
final class Words {
    private Words() {}

    /** Before a VM that its user changes: what to write. */
    static String change(List<Move> moves, boolean withTemplates) {
        return "Change the VM in one update: " + claims(moves, Move::destination)
                + (withTemplates ? ", take the dataVolumeTemplates of the old claims out" : "")
                + ", and set spec.updateVolumesStrategy to " + VirtualMachine.MIGRATION;
    }

    /** @param withStrategy whether the strategy goes in the same update */
    static String putBack(View v, boolean withStrategy) {
        return "Rolling back: change the VM in one update: " + claims(v.moves(), Move::source) + ", and "
                + (withStrategy
                        ? "take spec.updateVolumesStrategy out"
                        : "leave spec.updateVolumesStrategy at " + VirtualMachine.MIGRATION + " until this has ended");
    }

    /** @param running whether the VMI still runs, on the destinations that it names */
    static String nameDestinationsAgain(View v, boolean running) {
        return "Change the VM in one update: " + claims(v.moves(), Move::destination) + ", and "
                + (running
                        ? "set spec.updateVolumesStrategy to " + VirtualMachine.MIGRATION
                        : "take spec.updateVolumesStrategy out")
                + ": its guest had moved there before the VM was put back, and the old claims are stale";
    }

    static String takeStrategyOut(View v) {
        return "The VM ended after its guest had moved: leave " + claims(v.moves(), Move::destination)
                + " and take spec.updateVolumesStrategy out of the VM: it can start then. " + stale(v);
    }

    /** The sources are kept where nobody saw the volumes of a user's VM move, and nothing tells of it. */
    static String moved(View v) {
        return v.progress().keepSources()
                ? "The guest runs on the destinations, and nothing tells whether KubeVirt moved it there or it has started there:"
                        + " look into both before you delete the old claims, which were kept"
                : "The guest runs on the destinations";
    }

    static String strategyLater() {
        return "; take spec.updateVolumesStrategy out of the VM after its next restart, and not before";
    }

    static String rolledForward(View v) {
        return "The VM ended after its guest had moved to the destinations, which hold the newest data. " + stale(v);
    }

    private static String stale(View v) {
        return "The old claims are stale and were kept: "
                + v.moves().stream().map(Move::source).collect(Collectors.joining(", "));
    }

    static String restart(View v) {
        return "Restart the VM (virtctl restart " + v.machine().getMetadata().getName()
                + "): KubeVirt does not take the volumes back before. Its data is safe, and the VM is kept from starting on"
                + " anything but the newest";
    }

    static String locationUnknown(View v) {
        return whyUnknown(v)
                + ", so nobody can tell which claims hold the newest data. Look into both, then choose, in one update of the"
                + " VM that takes " + (v.manual() ? "" : "the annotation " + Names.VOLUME_MIGRATION + " and ")
                + "spec.updateVolumesStrategy out: either " + claims(v.moves(), Move::source) + ", or "
                + claims(v.moves(), Move::destination) + between(v);
    }

    /** A guest between both writes to the claims that its pod mounts. */
    private static String between(View v) {
        var claims = v.guestBetween();
        return claims.isEmpty()
                ? ""
                : ", or, for what the guest has written since, what its pod mounts: "
                        + claims(v.moves(), move -> claims.getOrDefault(move.volume(), ""));
    }

    private static String whyUnknown(View v) {
        if (v.guest().isPresent()) {
            return "The guest runs in a pod that mounts neither all sources nor all destinations, or in none that can be seen";
        }
        return v.instance().isPresent()
                ? "A migration moved the guest before the VM ended, and the pod that it moved into is gone"
                : "The VirtualMachineInstance is gone, hold and all";
    }

    /** How a run ended that did not move the volumes, and what is left to know. */
    static String ended(View v) {
        var progress = v.progress();
        var unseen = progress.handOverUnseen()
                ? ". A migration was running when the VM ended: if the guest was handed over in that very second, "
                        + "the destinations hold its last writes, so look before you delete them"
                : "";
        return progress.message() + elsewhere(v) + unseen;
    }

    /** Where somebody else has changed the VM under a guest that is on other claims. */
    private static String elsewhere(View v) {
        if (v.progress().verdict() != Verdict.Changed || v.machineLeaving()) {
            return "";
        }
        boolean onDestinations = Outcomes.onDestinations(v);
        return v.progress().seenGuest().isEmpty()
                        || v.machineSide() == (onDestinations ? Side.Destinations : Side.Sources)
                ? ""
                : "; the guest is on other claims than the VM names: to keep its data write "
                        + claims(v.moves(), onDestinations ? Move::destination : Move::source)
                        + " before its next restart";
    }

    private static String claims(List<Move> moves, Function<Move, String> claim) {
        return moves.stream()
                .map(move -> "volume " + move.volume() + " on claim " + claim.apply(move))
                .collect(Collectors.joining(", "));
    }
}
