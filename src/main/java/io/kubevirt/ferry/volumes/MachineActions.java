package io.kubevirt.ferry.volumes;

import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.kubevirt.Volume;
import io.kubevirt.ferry.volumes.Action.Change;
import io.kubevirt.ferry.volumes.Action.Placed;
import io.kubevirt.ferry.volumes.Action.StrategyChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/** The writes on the VM of a run, each with what was read of it. */
final class MachineActions {
    private static final Optional<String> MIGRATION = Optional.of(VirtualMachine.MIGRATION);

    private MachineActions() {}

    static Action lock(View v) {
        var annotated = v.machine().getMetadata().getAnnotations();
        return new Action.Lock(v.machineRef(), annotated != null && !annotated.isEmpty(), v.lock(), volumes(v));
    }

    static Action change(View v) {
        return new Action.ChangeVolumes(
                v.machineRef(),
                v.lock(),
                changes(v, (move, volume) -> volume.on(move.destination())),
                Templates.drop(v.machine(), v.run().before()),
                new StrategyChange(v.machine().strategy(), MIGRATION));
    }

    /** @param withStrategy whether the strategy goes in the same write: KubeVirt cancels only while it is on */
    static Action putBack(View v, boolean withStrategy) {
        return new Action.PutBack(
                v.machineRef(),
                v.lock(),
                changes(v, (move, volume) -> before(v, move)),
                Templates.putBack(v.machine(), v.run().before()),
                withStrategy ? strategyChange(v, v.strategyBefore()) : Optional.empty());
    }

    /** The strategy as it was before the run, if it is not. */
    static Optional<Action> restoreStrategy(View v) {
        return strategyChange(v, v.strategyBefore())
                .map(change -> new Action.ChangeStrategy(v.machineRef(), v.lock(), volumes(v), change));
    }

    /**
     * The strategy that makes KubeVirt start a VM whose volumes moved before its VMI ended: anything but the one that moved
     * them. What an earlier run left on the VM to be put back stays there until the VMI is gone.
     */
    static Optional<Action> dropStrategy(View v) {
        var wanted = v.restore()
                .map(Marks.Restore::strategy)
                .orElse(v.strategyBefore())
                .filter(strategy -> !strategy.equals(VirtualMachine.MIGRATION));
        return strategyChange(v, wanted)
                .map(change -> new Action.ChangeStrategy(v.machineRef(), v.lock(), volumes(v), change));
    }

    /** The lock off, and on where the strategy has to wait for the end of the VMI what it is to be then. */
    static Action unlock(View v) {
        var restore = switch (v.progress().verdict()) {
            case Success ->
                v.machine().strategy().equals(MIGRATION) && !v.strategyBefore().equals(MIGRATION);
            case RollForward ->
                v.machine().strategy().isEmpty() && v.strategyBefore().equals(MIGRATION);
            case Run, GiveUp, RollBack, Changed, RestartNeeded, DataLocationUnknown -> false;
        };
        return new Action.Unlock(v.machineRef(), v.lock(), volumes(v), restore ? restore(v) : Optional.empty());
    }

    /** Nothing where it is on the VM already, or where the run has ended before and only locked once more. */
    private static Optional<String> restore(View v) {
        return v.restore().isPresent() || v.migration().status().endTimestamp() != null
                ? Optional.empty()
                : Optional.of(new Marks.Restore(v.run().virtualMachineInstanceUid(), v.strategyBefore()).text());
    }

    /** Only where it is still what the run made it: whoever has changed it since meant it. */
    private static Optional<StrategyChange> strategyChange(View v, Optional<String> wanted) {
        return v.machine().strategy().equals(MIGRATION) && !wanted.equals(MIGRATION)
                ? Optional.of(new StrategyChange(MIGRATION, wanted))
                : Optional.empty();
    }

    private static Volume before(View v, Move move) {
        return v.run().before().volumes().stream()
                .map(Volume::new)
                .filter(volume -> volume.name().equals(move.volume()))
                .findFirst()
                .orElseThrow();
    }

    private static List<Change<Volume>> changes(View v, BiFunction<Move, Volume, Volume> after) {
        var changes = new ArrayList<Change<Volume>>();
        for (Placed<Volume> placed : volumes(v)) {
            for (Move move : v.moves()) {
                if (move.volume().equals(placed.value().name())) {
                    changes.add(new Change<>(placed.index(), placed.value(), after.apply(move, placed.value())));
                }
            }
        }
        return List.copyOf(changes);
    }

    /** The volumes of the run where they stand in the VM. */
    private static List<Placed<Volume>> volumes(View v) {
        var all = v.machine().volumes();
        return Stream.iterate(0, i -> i < all.size(), i -> i + 1)
                .filter(i -> v.moves().stream()
                        .anyMatch(move -> move.volume().equals(all.get(i).name())))
                .map(i -> new Placed<>(i, all.get(i)))
                .toList();
    }
}
