package io.kubevirt.ferry.volumes;

import io.kubevirt.ferry.api.Attempts;
import io.kubevirt.ferry.api.Before;
import io.kubevirt.ferry.api.MigratedVolume;
import io.kubevirt.ferry.api.Original;
import io.kubevirt.ferry.api.Progress;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.kubevirt.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a run has to know of the world before it touches it. */
final class Start {
    private Start() {}

    /** The record of a new run on a VM that names the sources. */
    static Original record(Subject subject, int run) {
        var vm = subject.machine().orElseThrow();
        var volumes = subject.asked().stream()
                .map(asked -> subject.volumesOn(asked.sourcePvc()).getFirst())
                .toList();
        return record(
                subject,
                run,
                volumes,
                dropped(vm, subject.sources().stream().toList()),
                vm.strategy(),
                Progress.start());
    }

    /** The record of a run on a VM that its user has put on the destinations already. */
    static Original recordTakenOver(Subject subject, int run) {
        var volumes = new ArrayList<Volume>();
        for (MigratedVolume asked : subject.asked()) {
            var changed = subject.volumesOn(asked.destinationPvc()).getFirst();
            volumes.add(subject.running().stream()
                    .flatMap(vmi -> vmi.volumes().stream())
                    .filter(volume ->
                            volume.claim().filter(asked.sourcePvc()::equals).isPresent())
                    .findFirst()
                    .orElseGet(() -> changed.on(asked.sourcePvc())));
        }
        var start = TakenOver.movedByKubeVirt(subject)
                ? Progress.start()
                : Progress.start().keepingSources();
        return record(subject, run, volumes, List.of(), Optional.empty(), start);
    }

    private static Original record(
            Subject subject,
            int run,
            List<Volume> volumes,
            List<Before.DroppedTemplate> templates,
            Optional<String> strategy,
            Progress start) {
        var before = new Before(
                volumes.stream().map(Volume::json).toList(),
                templates,
                subject.sources().stream()
                        .flatMap(source -> subject.claim(source).stream())
                        .map(claim -> new Before.Claim(
                                claim.getMetadata().getName(),
                                claim.getMetadata().getUid()))
                        .toList(),
                strategy.orElse(""));
        return new Original(
                subject.machine().orElseThrow().getMetadata().getUid(),
                subject.running().orElseThrow().getMetadata().getUid(),
                run,
                before,
                start,
                Attempts.NONE);
    }

    /** The templates that made the sources: KubeVirt wants them gone when no volume names them. */
    private static List<Before.DroppedTemplate> dropped(VirtualMachine vm, List<String> sources) {
        var dropped = new ArrayList<Before.DroppedTemplate>();
        var templates = vm.getSpec().templates();
        for (int i = 0; i < templates.size(); i++) {
            if (sources.contains(Templates.name(templates.get(i)))) {
                dropped.add(new Before.DroppedTemplate(i, templates.get(i)));
            }
        }
        return dropped;
    }

    /** Whether the VM is still as the record of the run says. */
    static boolean stillTrue(View v, Subject subject) {
        var fresh = record(subject, v.run().run()).before();
        return fresh.volumes().equals(v.run().before().volumes())
                && fresh.dataVolumeTemplates().equals(v.run().before().dataVolumeTemplates())
                && fresh.updateVolumesStrategy().equals(v.run().before().updateVolumesStrategy());
    }

    /** The VMIMs that were over when the run began, and the migration of which the VMI still tells. */
    static Attempts attempts(View v) {
        return new Attempts(
                lastMigration(v).orElse(""),
                v.seen().migrations().stream()
                        .filter(vmim -> vmim.finished())
                        .map(View::uid)
                        .toList(),
                "",
                List.of(),
                "");
    }

    /**
     * Whatever the VMI tells of was before the run, completed or not: its VMIM is over or gone. Only where its user has
     * changed the VM one that is not completed is part of the run: it may have begun already.
     */
    private static Optional<String> lastMigration(View v) {
        return v.instance()
                .flatMap(vmi -> vmi.status().migration())
                .filter(state -> !v.manual() || state.completed())
                .map(state -> state.migrationUid());
    }
}
