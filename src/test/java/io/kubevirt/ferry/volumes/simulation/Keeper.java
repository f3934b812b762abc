package io.kubevirt.ferry.volumes.simulation;

import io.kubevirt.ferry.api.Names;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstance;
import io.kubevirt.ferry.volumes.Action;
import io.kubevirt.ferry.volumes.Settle;
import io.kubevirt.ferry.volumes.Sweep;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The operator's two small reconcilers: strategies to be put back, and what runs have left behind. */
final class Keeper implements Actor {
    private static final long PERIOD = 10_000;

    private final Cluster cluster;
    private final ReadModels models;
    private final Executor executor;
    private final Errand settling = new Errand(Move.OPERATOR_SETTLES);
    private final Errand unlocking = new Errand(Move.OPERATOR_SWEEPS);
    private final Errand releasing = new Errand(Move.OPERATOR_SWEEPS);

    Keeper(Cluster cluster, ReadModels models, Executor executor) {
        this.cluster = cluster;
        this.models = models;
        this.executor = executor;
    }

    @Override
    public void offer(Menu menu) {
        var vm = cluster.vm;
        var vmi = cluster.vmi;
        settling.offer(menu, vm != null && vm.annotations.containsKey(Names.RESTORE_STRATEGY), this::settle);
        unlocking.offer(menu, vm != null && vm.annotations.containsKey(Names.VOLUME_MIGRATION), this::unlock);
        releasing.offer(
                menu,
                vmi != null
                        && (vmi.finalizers.contains(Names.VOLUME_MIGRATION)
                                || vmi.labels.containsKey(Names.VOLUME_MIGRATION)),
                this::release);
    }

    private void settle(Errand errand) {
        if (errand.begins()) {
            errand.instance = instance();
        } else {
            errand.then(machine().flatMap(vm -> Settle.decide(errand.instance, vm)));
        }
    }

    private void unlock(Errand errand) {
        if (errand.begins()) {
            errand.machine = machine();
        } else {
            errand.then(errand.machine.flatMap(vm -> Sweep.lock(
                    vm,
                    cluster.requests.values().stream()
                            .map(models::volumeMigration)
                            .toList())));
        }
    }

    private void release(Errand errand) {
        if (errand.begins()) {
            errand.instance = instance();
        } else {
            errand.then(errand.instance.flatMap(vmi -> Sweep.hold(
                    vmi,
                    cluster.requests.values().stream()
                            .map(models::volumeMigration)
                            .toList())));
        }
    }

    private Optional<VirtualMachine> machine() {
        return Optional.ofNullable(cluster.vm).map(models::machine);
    }

    private Optional<VirtualMachineInstance> instance() {
        return Optional.ofNullable(cluster.vmi).map(vmi -> models.instance(vmi, cluster.claims));
    }

    /** Read, read, write: each a transition, done again whenever something has changed. */
    private final class Errand {
        private final Move move;

        private boolean reading;
        private Optional<VirtualMachineInstance> instance = Optional.empty();
        private Optional<VirtualMachine> machine = Optional.empty();

        @Nullable private Action action;

        private long seen = -1;
        private long notBefore;

        Errand(Move move) {
            this.move = move;
        }

        void offer(Menu menu, boolean wanted, Consumer<Errand> step) {
            var pending = action;
            if (pending != null) {
                menu.offer(move, "", () -> {
                    action = null;
                    executor.execute(pending, seen);
                    seen = -1;
                });
            } else if (reading) {
                menu.offer(move, "", () -> step.accept(this));
            } else if (wanted && seen != cluster.versions()) {
                menu.wakeAt(notBefore, cluster.now);
                if (cluster.now >= notBefore) {
                    menu.offer(move, "", () -> {
                        seen = cluster.versions();
                        step.accept(this);
                    });
                }
            }
        }

        /** The first read; the second one is followed by the decision. */
        boolean begins() {
            var first = !reading;
            reading = true;
            return first;
        }

        void then(Optional<Action> decided) {
            reading = false;
            notBefore = cluster.now + PERIOD;
            action = decided.orElse(null);
        }
    }
}
