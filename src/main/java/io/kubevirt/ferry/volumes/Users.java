package io.kubevirt.ferry.volumes;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.kubevirt.ferry.api.VolumeMigration;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.kubevirt.Volume;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Who names a claim, in words: VMs, VMIs, pods that are not over, VolumeMigrations, and what CDI copies from it. */
final class Users {
    private Users() {}

    /** Whoever would lose what the claim holds, were it the destination of a copy. */
    static Stream<String> ofDestination(Subject subject, String claim) {
        return Stream.of(
                        machines(subject.usage(), claim),
                        instances(subject.usage(), claim),
                        pods(subject.usage(), claim, pod -> true))
                .flatMap(users -> users);
    }

    /**
     * Whoever would miss the claim, were it deleted.
     *
     * @param own the VolumeMigration that asks
     * @param counted the pods that count
     */
    static Stream<String> ofSource(Usage usage, VolumeMigration own, String claim, Predicate<Pod> counted) {
        var namespace = own.getMetadata().getNamespace();
        return Stream.of(
                        machines(usage, claim),
                        instances(usage, claim),
                        pods(usage, claim, counted),
                        usage.volumeMigrations().stream()
                                .filter(other -> !other.getMetadata()
                                        .getUid()
                                        .equals(own.getMetadata().getUid()))
                                .filter(other -> !RivalChecks.ended(other))
                                .filter(other -> other.getSpec().migratedVolume().stream()
                                        .anyMatch(volume -> volume.sourcePvc().equals(claim)
                                                || volume.destinationPvc().equals(claim)))
                                .map(other -> called("VolumeMigration", other)),
                        usage.dataVolumes().stream()
                                .filter(dataVolume -> dataVolume.copiesFrom(claim, namespace))
                                .map(dataVolume -> called("DataVolume", dataVolume)),
                        usage.dataSources().stream()
                                .filter(dataSource -> dataSource.pointsAt(claim, namespace))
                                .map(dataSource -> called("DataSource", dataSource)))
                .flatMap(users -> users);
    }

    private static Stream<String> machines(Usage usage, String claim) {
        return usage.machines().stream()
                .filter(vm -> names(vm.volumes(), claim) || hasTemplate(vm, claim))
                .map(vm -> called("VM", vm));
    }

    private static boolean hasTemplate(VirtualMachine vm, String claim) {
        return vm.getSpec().templates().stream()
                .anyMatch(template ->
                        template.path("metadata").path("name").asText().equals(claim));
    }

    private static Stream<String> instances(Usage usage, String claim) {
        return usage.instances().stream()
                .filter(vmi -> names(vmi.volumes(), claim))
                .map(vmi -> called("VirtualMachineInstance", vmi));
    }

    private static Stream<String> pods(Usage usage, String claim, Predicate<Pod> counted) {
        return usage.pods().stream()
                .filter(pod -> !Pods.terminated(pod))
                .filter(counted)
                .filter(pod -> Pods.claims(pod).contains(claim))
                .map(pod -> called("pod", pod));
    }

    private static boolean names(List<Volume> volumes, String claim) {
        return volumes.stream().anyMatch(volume -> volume.claims().contains(claim));
    }

    private static String called(String kind, HasMetadata object) {
        return kind + " " + object.getMetadata().getName();
    }
}
