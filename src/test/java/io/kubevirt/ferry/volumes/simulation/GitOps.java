package io.kubevirt.ferry.volumes.simulation;

import io.kubevirt.ferry.api.MigratedVolume;
import io.kubevirt.ferry.api.VolumeMigrationCondition;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Somebody whose VM only he writes: he reads the message of the VolumeMigration and does that, to the letter. */
final class GitOps {
    private static final String CHANGE = "Change the VM in one update: ";
    private static final String PUT_BACK = "Rolling back: change the VM in one update: ";
    private static final String STRATEGY_OUT = "take spec.updateVolumesStrategy out";

    private final Cluster cluster;
    /** The VM in Git, as it was when the change was first asked for. */
    @Nullable private Vm committed;

    GitOps(Cluster cluster) {
        this.cluster = cluster;
    }

    /** Whether the message asks for something that is not so yet. */
    boolean asked(Request request) {
        var vm = cluster.vm;
        var message = message(request);
        return vm != null && !vm.deleting && message.isPresent() && changes(vm, request, message.get());
    }

    void comply(Request request) {
        var live = Story.present(cluster.vm);
        var message = message(request).orElseThrow();
        if (message.startsWith(CHANGE) && names(live, request, MigratedVolume::sourcePvc)) {
            committed = live.copy();
        }
        write(live, request, message);
        if (!Laws.open(request)) {
            // a VM that stops before the run is held by nobody: that is his risk
            cluster.storage.want(live.volumes);
        }
        cluster.touchSpec(live);
    }

    private boolean changes(Vm vm, Request request, String message) {
        var changed = vm.copy();
        write(changed, request, message);
        return !changed.volumes.equals(vm.volumes) || !Objects.equals(changed.strategy, vm.strategy);
    }

    private static boolean names(Vm vm, Request request, Function<MigratedVolume, String> claim) {
        return request.spec.migratedVolume().stream()
                .map(claim)
                .allMatch(name -> vm.volumes.stream().anyMatch(v -> v.claim().equals(name)));
    }

    private void write(Vm vm, Request request, String message) {
        if (message.startsWith(CHANGE)) {
            vm.volumes = on(vm.volumes, request, MigratedVolume::sourcePvc, MigratedVolume::destinationPvc);
            vm.templates = List.of();
            vm.strategy = message.contains(STRATEGY_OUT) ? null : Vm.MIGRATION;
        } else if (message.startsWith(PUT_BACK)) {
            vm.volumes = committed == null
                    ? on(vm.volumes, request, MigratedVolume::destinationPvc, MigratedVolume::sourcePvc)
                    : committed.volumes;
            vm.templates = committed == null ? vm.templates : committed.templates;
            vm.strategy = message.contains(STRATEGY_OUT) ? null : Vm.MIGRATION;
        } else if (message.contains(STRATEGY_OUT)) {
            vm.strategy = null;
        }
    }

    private static List<Volume> on(
            List<Volume> volumes,
            Request request,
            Function<MigratedVolume, String> from,
            Function<MigratedVolume, String> to) {
        var changed = new ArrayList<Volume>();
        for (var volume : volumes) {
            changed.add(request.spec.migratedVolume().stream()
                    .filter(moved -> from.apply(moved).equals(volume.claim()))
                    .findFirst()
                    .map(moved -> volume.onClaim(to.apply(moved)))
                    .orElse(volume));
        }
        return List.copyOf(changed);
    }

    private static Optional<String> message(Request request) {
        return Optional.ofNullable(request.status)
                .flatMap(status -> status.condition("Ready"))
                .filter(ready -> ready.reason().equals("WaitingForUser"))
                .map(VolumeMigrationCondition::message);
    }
}
