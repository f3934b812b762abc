package io.kubevirt.ferry.volumes;

import static io.kubevirt.ferry.volumes.Reason.UpdatingVirtualMachine;

import io.kubevirt.ferry.api.Progress.Step;
import io.kubevirt.ferry.api.Verdict;
import io.kubevirt.ferry.volumes.Move.Side;
import java.util.List;
import java.util.Objects;

/** A run on its way to the change of the VM: hold the VMI, see that it is quiet, lock the VM, change it. */
record Forward(Rules rules) {

    Next next(View v) {
        if (v.progress().step() == Step.Changed) {
            return new Moving(rules).next(v);
        }
        if (v.manual()) {
            return takeOver(v);
        }
        if (v.locked() && v.machineSide() == Side.Destinations) {
            return Next.remember(
                    v.run().with(v.progress().with(Step.Changed)),
                    UpdatingVirtualMachine,
                    "The VM names the destinations");
        }
        if (v.deleted()) {
            return giveUp(v, Reason.Cancelled, "The VolumeMigration was deleted before anything was changed");
        }
        if (v.seen().usage().isEmpty()) {
            return Next.await(v, UpdatingVirtualMachine, "Looking who uses the claims");
        }
        var subject = new Subject(v.seen(), v.seen().usage().get());
        List<Finding> findings = Checks.findings(Checks.BEFORE_CHANGE, subject);
        if (!findings.isEmpty()) {
            return giveUp(v, findings.getFirst().reason(), findings.getFirst().message());
        }
        return v.instance().isPresent() && Start.stillTrue(v, subject)
                ? step(v)
                : giveUp(v, Reason.VirtualMachineNotSettled, "The VM was changed or restarted just now");
    }

    private Next step(View v) {
        if (v.progress().step() != Step.Recorded && !rules.held(v)) {
            return giveUp(v, Reason.VirtualMachineNotSettled, "Somebody took the hold off the VirtualMachineInstance");
        }
        return switch (v.progress().step()) {
            case Recorded -> rules.held(v) ? reached(v, Step.Held) : hold(v);
            case Held ->
                Next.remember(
                        v.run().with(v.progress().with(Step.Quiet)).with(Start.attempts(v)),
                        UpdatingVirtualMachine,
                        "The VirtualMachineInstance is held and no migration is under way");
            case Quiet ->
                v.locked()
                        ? reached(v, Step.Locked)
                        : Next.act(v, MachineActions.lock(v), UpdatingVirtualMachine, "Locking the VM");
            case Locked ->
                v.locked()
                        ? Next.act(
                                v,
                                MachineActions.change(v),
                                UpdatingVirtualMachine,
                                "Putting the VM on the destinations")
                        : giveUp(v, Reason.VirtualMachineNotSettled, "Somebody took the lock off the VM");
            case Changed -> throw new IllegalStateException("no step before the change");
        };
    }

    /** Hold and fence are put on together: a fence of ours without a hold is what somebody left of them. */
    private static Next hold(View v) {
        if (!Decider.finalizer(v.migration())) {
            return Next.act(
                    v, Decider.addFinalizer(v.migration()), UpdatingVirtualMachine, "Preparing the change of the VM");
        }
        return v.instance().flatMap(v::instanceMark).filter(v.mark()::equals).isPresent()
                ? giveUp(v, Reason.VirtualMachineNotSettled, "Somebody took the hold off the VirtualMachineInstance")
                : Next.act(v, InstanceActions.hold(v), UpdatingVirtualMachine, "Holding the VirtualMachineInstance");
    }

    /** A VM that its user changes: only hold and fence are ours. */
    private Next takeOver(View v) {
        if (v.machineSide() != Side.Destinations || v.stopping()) {
            return giveUp(v, Reason.VirtualMachineNotSettled, "The VM was changed or stopped just now");
        }
        return switch (v.progress().step()) {
            case Recorded -> v.held() ? reached(v, Step.Held) : hold(v);
            case Held, Quiet, Locked ->
                Next.remember(
                        v.run().with(v.progress().with(Step.Changed)).with(Start.attempts(v)),
                        UpdatingVirtualMachine,
                        "The VirtualMachineInstance is held");
            case Changed -> throw new IllegalStateException("no step before the change");
        };
    }

    private static Next reached(View v, Step step) {
        return Next.remember(
                v.run().with(v.progress().with(step)), UpdatingVirtualMachine, "Preparing the change of the VM");
    }

    private static Next giveUp(View v, Reason reason, String message) {
        return Next.verdict(v, Verdict.GiveUp, Objects.requireNonNull(reason), message);
    }
}
