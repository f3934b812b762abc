package io.kubevirt.ferry.controller;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.kubevirt.ferry.api.VolumeMigration;
import io.kubevirt.ferry.kubevirt.DataSource;
import io.kubevirt.ferry.kubevirt.DataVolume;
import io.kubevirt.ferry.kubevirt.KubeVirt;
import io.kubevirt.ferry.kubevirt.LauncherPod;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstance;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import io.kubevirt.ferry.volumes.Observation;
import io.kubevirt.ferry.volumes.Usage;
import java.net.HttpURLConnection;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Gathers what a decision about a VolumeMigration may look at: past all caches, and in the order on which the decision core
 * relies, the VM last.
 */
public final class Observations {
    private final KubernetesClient client;
    private final Function<String, Collection<VirtualMachine>> machines;

    /**
     * @param machines the VMs of a namespace, from wherever: they only say where to look
     */
    public Observations(KubernetesClient client, Function<String, Collection<VirtualMachine>> machines) {
        this.client = client;
        this.machines = machines;
    }

    /**
     * What is to be seen now; empty if the VolumeMigration is gone.
     *
     * @throws KubernetesClientException if the API server refuses or does not answer: nothing is known then
     */
    public Optional<Observation> of(String namespace, String name) {
        return get(VolumeMigration.class, namespace, name).map(migration -> of(namespace, migration));
    }

    private Observation of(String namespace, VolumeMigration migration) {
        boolean terminating = Optional.ofNullable(
                        client.namespaces().withName(namespace).get())
                .filter(there -> there.getMetadata().getDeletionTimestamp() == null)
                .isEmpty();
        var machineName = Usage.machineName(migration, machines.apply(namespace));
        var kubeVirt = client.resources(KubeVirt.class).inAnyNamespace().list().getItems().stream()
                .findFirst();
        var claims = named(migration)
                .flatMap(name -> get(PersistentVolumeClaim.class, namespace, name).stream())
                .toList();
        var dataVolumes = named(migration)
                .flatMap(name -> get(DataVolume.class, namespace, name).stream())
                .toList();
        var migrations = machineName
                .map(name -> all(VirtualMachineInstanceMigration.class, namespace).stream()
                        .filter(vmim -> name.equals(vmim.getSpec().vmiName()))
                        .toList())
                .orElse(List.of());
        var pods = machineName.isPresent() ? pods(namespace) : List.<Pod>of();
        var instance = machineName.flatMap(name -> get(VirtualMachineInstance.class, namespace, name));
        var usage = Usage.wanted(migration) ? Optional.of(usage(namespace)) : Optional.<Usage>empty();
        var machine = machineName.flatMap(name -> get(VirtualMachine.class, namespace, name));
        return new Observation(
                migration, terminating, kubeVirt, claims, dataVolumes, migrations, pods, instance, usage, machine);
    }

    private static Stream<String> named(VolumeMigration migration) {
        return migration.getSpec().migratedVolume().stream()
                .flatMap(moved -> Stream.of(moved.sourcePvc(), moved.destinationPvc()));
    }

    private List<Pod> pods(String namespace) {
        return client.pods()
                .inNamespace(namespace)
                .withLabelIn(LauncherPod.LABEL, LauncherPod.LAUNCHER, LauncherPod.ATTACHMENT)
                .list()
                .getItems();
    }

    private Usage usage(String namespace) {
        return new Usage(
                all(VirtualMachine.class, namespace),
                all(VirtualMachineInstance.class, namespace),
                all(Pod.class, namespace),
                all(DataVolume.class, namespace),
                all(DataSource.class, namespace),
                all(VolumeMigration.class, namespace));
    }

    private <T extends HasMetadata> Optional<T> get(Class<T> kind, String namespace, String name) {
        return Optional.ofNullable(
                client.resources(kind).inNamespace(namespace).withName(name).get());
    }

    /** All of a kind; none where the kind itself is not there, as without CDI. */
    private <T extends HasMetadata> List<T> all(Class<T> kind, String namespace) {
        try {
            return Objects.requireNonNull(listed(kind, namespace)).getItems();
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
                return List.of();
            }
            throw e;
        }
    }

    private <T extends HasMetadata> KubernetesResourceList<T> listed(Class<T> kind, String namespace) {
        return client.resources(kind).inNamespace(namespace).list();
    }
}
