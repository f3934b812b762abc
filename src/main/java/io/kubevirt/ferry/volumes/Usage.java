package io.kubevirt.ferry.volumes;

import io.fabric8.kubernetes.api.model.Pod;
import io.kubevirt.ferry.api.MigratedVolume;
import io.kubevirt.ferry.api.Original;
import io.kubevirt.ferry.api.Progress;
import io.kubevirt.ferry.api.Progress.Step;
import io.kubevirt.ferry.api.Verdict;
import io.kubevirt.ferry.api.VolumeMigration;
import io.kubevirt.ferry.api.VolumeMigrationStatus;
import io.kubevirt.ferry.kubevirt.DataSource;
import io.kubevirt.ferry.kubevirt.DataVolume;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstance;
import io.kubevirt.ferry.kubevirt.Volume;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Everything in the namespace that may name a claim, listed live: without limits, and never from a cache. Costly, so only
 * at the moments that need it.
 */
public record Usage(
        List<VirtualMachine> machines,
        List<VirtualMachineInstance> instances,
        List<Pod> pods,
        List<DataVolume> dataVolumes,
        List<DataSource> dataSources,
        List<VolumeMigration> volumeMigrations) {
    public Usage {
        machines = List.copyOf(machines);
        instances = List.copyOf(instances);
        pods = List.copyOf(pods);
        dataVolumes = List.copyOf(dataVolumes);
        dataSources = List.copyOf(dataSources);
        volumeMigrations = List.copyOf(volumeMigrations);
    }

    /** Whether a decision about this VolumeMigration needs the lists: before its VM is touched, and while sources are reclaimed. */
    public static boolean wanted(VolumeMigration migration) {
        return migration
                .status()
                .run()
                .map(Original::progress)
                .map(Usage::wanted)
                .orElse(true);
    }

    private static boolean wanted(Progress run) {
        return switch (run.verdict()) {
            case Run -> run.step() != Step.Changed;
            case GiveUp -> !run.open();
            case Success -> !run.keepSources();
            case RollBack, RollForward, Changed, RestartNeeded, DataLocationUnknown -> false;
        };
    }

    /**
     * The VM to look at: that of the run, or the one that names a source claim now, or a destination if its user changes it.
     *
     * @param machines the VMs of the namespace, from wherever: they only say where to look
     */
    public static Optional<String> machineName(VolumeMigration migration, Collection<VirtualMachine> machines) {
        var asked = migration.getSpec().migratedVolume();
        return Optional.of(migration.status())
                .filter(status -> status.run().filter(Usage::bound).isPresent())
                .map(VolumeMigrationStatus::virtualMachineName)
                .or(() -> naming(machines, asked.stream().map(MigratedVolume::sourcePvc)))
                .or(() -> Optional.of(asked.stream().map(MigratedVolume::destinationPvc))
                        .filter(destinations -> migration.getSpec().manual())
                        .flatMap(destinations -> naming(machines, destinations)));
    }

    /** Whether a run is about that VM for good: one that was given up is not. */
    private static boolean bound(Original run) {
        return run.progress().open() || run.progress().verdict() != Verdict.GiveUp;
    }

    private static Optional<String> naming(Collection<VirtualMachine> machines, Stream<String> wanted) {
        var claims = wanted.collect(Collectors.toSet());
        return machines.stream()
                .filter(vm -> vm.volumes().stream()
                        .map(Volume::claim)
                        .flatMap(Optional::stream)
                        .anyMatch(claims::contains))
                .map(vm -> vm.getMetadata().getName())
                .sorted()
                .findFirst();
    }
}
