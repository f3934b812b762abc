package io.kubevirt.ferry.volumes;

import io.kubevirt.ferry.api.Verdict;
import java.util.Optional;

/** How a run lets go: the lock first, so that no late write finds it; then hold and fence; then its record is closed. */
record Ending(Rules rules) {

    Next next(View v, Reason reason) {
        if (v.locked()) {
            return Next.act(v, MachineActions.unlock(v), reason, "Unlocking the VM");
        }
        var release = InstanceActions.release(v);
        if (release.isPresent()) {
            return rules.releasable(v)
                    ? Next.act(v, release.get(), reason, "Letting go of the VirtualMachineInstance")
                    : Next.await(v, reason, "Waiting until KubeVirt has seen the VM as it is");
        }
        return closed(v, reason);
    }

    /** The VM goes, and everything with it: nothing else is touched, no claim deleted. */
    static Next abandon(View v) {
        if (v.machineThere() && !v.stopping()) {
            // without the fence a migration could still copy onto claims that outlive the VM
            return Next.await(v, Reason.VirtualMachineDeleted, "The VM is being deleted: KubeVirt is about to stop it");
        }
        boolean moved = v.progress().verdict() == Verdict.Success;
        var unmarking = moved ? Reclaim.unmarking(v) : Optional.<Next>empty();
        if (unmarking.isPresent()) {
            return unmarking.get();
        }
        var release = InstanceActions.release(v);
        if (release.isPresent()) {
            return Next.act(v, release.get(), Reason.VirtualMachineDeleted, "The VM is being deleted");
        }
        var end = moved
                ? v.progress().keepingSources()
                : v.progress().with(Verdict.Changed, Reason.VirtualMachineDeleted.name(), "The VM was deleted");
        return Next.remember(v.run().with(end.closed()), Reason.VirtualMachineDeleted, "The VM was deleted");
    }

    private static Next closed(View v, Reason reason) {
        return Next.remember(
                v.run().with(v.progress().closed()), reason, v.progress().message());
    }
}
