package io.kubevirt.ferry.controller;

import io.kubevirt.ferry.controller.Placement.Reason;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Says what became of the term of a directed migration, and whether its target pod must go. Pure. */
final class PlacementJudge {
    private PlacementJudge() {}

    /**
     * What is to be said and done.
     *
     * @param placement empty as long as there is nothing to say
     * @param deletePod whether the target pod is on a node that the term does not match and the guest is not in it yet
     */
    record Judgement(Optional<Placement> placement, boolean deletePod) {
        static final Judgement NOTHING_YET = new Judgement(Optional.empty(), false);

        private int gravity() {
            return placement
                    .map(said -> switch (said.reason()) {
                        case TermApplied -> 0;
                        case Unschedulable -> 2;
                        case Bypassed, InvalidTerm -> 3;
                    })
                    .orElse(1);
        }

        private static Judgement of(boolean applied, Reason reason, String message) {
            return new Judgement(Optional.of(new Placement(applied, reason, message)), false);
        }
    }

    /**
     * The judgement that counts where several pods say that they are the target pod: a pod that got past the term is not
     * hidden by one that did not, nor one that waits by one that is placed.
     */
    static Judgement gravest(List<Judgement> judgements) {
        return judgements.stream()
                .max(Comparator.comparingInt(Judgement::gravity))
                .orElse(Judgement.NOTHING_YET);
    }

    static Judgement judge(Sighting seen) {
        if (seen.pod().node().isEmpty()) {
            return seen.pod()
                    .unschedulable()
                    .map(words -> unschedulable(seen, words))
                    .orElse(Judgement.NOTHING_YET);
        }
        if (seen.isNarrowed()) {
            return Judgement.of(
                    true,
                    Reason.TermApplied,
                    PodOnNode.admitted(seen.pod(), seen.explanation().summary()));
        }
        // A node that was not seen yet may be one that has just joined; an approval stands, whatever becomes of labels.
        if (seen.nodeIsUnknown() || seen.wasApplied()) {
            return Judgement.NOTHING_YET;
        }
        return seen.isWhereItShould() ? approved(seen) : bypassed(seen);
    }

    private static Judgement unschedulable(Sighting seen, String words) {
        return Judgement.of(
                false, Reason.Unschedulable, seen.explanation().reasons() + "; the scheduler says: " + words);
    }

    private static Judgement approved(Sighting seen) {
        return Judgement.of(
                true, Reason.TermApplied, PodOnNode.notAdmitted(seen.pod(), "which satisfies the term all the same"));
    }

    private static Judgement bypassed(Sighting seen) {
        VirtualMachineInstanceMigration migration = seen.migration();
        String where = PodOnNode.notAdmitted(seen.pod(), "which the term does not match");
        if (migration.succeeded()) {
            return Judgement.of(
                    false,
                    Reason.Bypassed,
                    where + "; the VM is there now: create another directed migration to move it on");
        }
        if (migration.failed()) {
            return Judgement.of(
                    false,
                    Reason.Bypassed,
                    where + "; the migration failed and the VM is where it was: create another one");
        }
        if (seen.pod().hasGuest()) {
            return leftAlone(seen);
        }
        Placement placement = new Placement(
                false,
                Reason.Bypassed,
                where + "; it is deleted, the migration fails and the VM stays where it is: create another one");
        return new Judgement(Optional.of(placement), true);
    }

    /** The judgement where deleting the pod would end the guest. */
    static Judgement leftAlone(Sighting seen) {
        return Judgement.of(
                false,
                Reason.Bypassed,
                PodOnNode.notAdmitted(
                        seen.pod(),
                        "which the term does not match; the guest may run in it already, so it is left alone:"
                                + " create another directed migration to move it on"));
    }
}
