package io.kubevirt.ferry.volumes.simulation;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.kubevirt.ferry.api.VolumeMigration;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstance;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import io.kubevirt.ferry.volumes.Observation;
import io.kubevirt.ferry.volumes.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One observation under way: read after read, in the order that the protocol wants, with the world going on in between. */
final class Reading {
    private final Cluster cluster;
    private final ReadModels models;
    private final Request request;
    /** The VM as the operator's cache has it: it only says which VM to look at. */
    private final Supplier<@Nullable Vm> cachedVm;

    private int step;

    @Nullable private VolumeMigration migration;

    private boolean namespaceTerminating;
    private Optional<String> machineName = Optional.empty();
    private List<PersistentVolumeClaim> claims = List.of();
    private List<io.kubevirt.ferry.kubevirt.DataVolume> dataVolumes = List.of();
    private List<VirtualMachineInstanceMigration> migrations = List.of();
    private List<io.fabric8.kubernetes.api.model.Pod> pods = List.of();
    private Optional<VirtualMachineInstance> instance = Optional.empty();
    private Optional<Usage> usage = Optional.empty();
    private Optional<VirtualMachine> machine = Optional.empty();

    Reading(Cluster cluster, ReadModels models, Request request, Supplier<@Nullable Vm> cachedVm) {
        this.cluster = cluster;
        this.models = models;
        this.request = request;
        this.cachedVm = cachedVm;
    }

    boolean complete() {
        return step > 5;
    }

    /** One read. */
    void next() {
        switch (step++) {
            case 0 -> readRequest();
            case 1 ->
                migrations = named()
                        ? cluster.vmims.values().stream().map(models::migration).toList()
                        : List.of();
            case 2 -> pods = named() ? launchers() : List.of();
            case 3 ->
                instance = named() && cluster.vmi != null
                        ? Optional.of(models.instance(cluster.vmi, cluster.claims))
                        : Optional.empty();
            case 4 -> usage = Usage.wanted(migration()) ? Optional.of(usage()) : Optional.empty();
            case 5 ->
                machine = named() && cluster.vm != null ? Optional.of(models.machine(cluster.vm)) : Optional.empty();
            default -> throw new IllegalStateException("read already");
        }
    }

    private VolumeMigration migration() {
        return Story.present(migration);
    }

    private boolean named() {
        return machineName.isPresent();
    }

    private void readRequest() {
        migration = models.volumeMigration(request);
        namespaceTerminating = cluster.namespaceDeleted;
        var cached = cachedVm.get();
        machineName = Usage.machineName(migration, cached == null ? List.of() : List.of(models.machine(cached)));
        claims = new ArrayList<>();
        dataVolumes = new ArrayList<>();
        for (var moved : request.spec.migratedVolume()) {
            read(moved.sourcePvc());
            read(moved.destinationPvc());
        }
    }

    private void read(String name) {
        var claim = cluster.claims.get(name);
        if (claim != null) {
            claims.add(models.claim(claim));
        }
        var dataVolume = cluster.dataVolumes.get(name);
        if (dataVolume != null) {
            dataVolumes.add(models.dataVolume(dataVolume));
        }
    }

    private List<io.fabric8.kubernetes.api.model.Pod> launchers() {
        return cluster.pods.values().stream()
                .filter(pod -> pod.kind != Pod.Kind.OTHER)
                .map(models::pod)
                .toList();
    }

    private Usage usage() {
        return new Usage(
                cluster.vm == null ? List.of() : List.of(models.machine(cluster.vm)),
                cluster.vmi == null ? List.of() : List.of(models.instance(cluster.vmi, cluster.claims)),
                cluster.pods.values().stream().map(models::pod).toList(),
                cluster.dataVolumes.values().stream().map(models::dataVolume).toList(),
                cluster.dataSources.entrySet().stream()
                        .map(source -> models.dataSource(source.getKey(), source.getValue()))
                        .toList(),
                cluster.requests.values().stream().map(models::volumeMigration).toList());
    }

    Observation observation() {
        return new Observation(
                migration(),
                namespaceTerminating,
                Optional.of(models.kubeVirt(cluster)),
                claims,
                dataVolumes,
                migrations,
                pods,
                instance,
                usage,
                machine);
    }
}
