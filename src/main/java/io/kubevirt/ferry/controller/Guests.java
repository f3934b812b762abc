package io.kubevirt.ferry.controller;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.kubevirt.ferry.kubevirt.LauncherPod;
import io.kubevirt.ferry.kubevirt.MigrationState;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstance;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Says, from a live read, whether a guest runs in a target pod: such a pod must never be deleted. */
public final class Guests {
    private final KubernetesClient client;

    public Guests(KubernetesClient client) {
        this.client = client;
    }

    /** Whether the guest runs in the target pod already, as far as KubeVirt has said. */
    boolean isIn(VirtualMachineInstanceMigration migration, LauncherPod pod) {
        @Nullable VirtualMachineInstance instance = client.resources(VirtualMachineInstance.class)
                .inNamespace(migration.getMetadata().getNamespace())
                .withName(migration.getSpec().vmiName())
                .get();
        if (instance == null) {
            return false;
        }
        Optional<MigrationState> state = Optional.ofNullable(instance.getStatus())
                .flatMap(status -> Optional.ofNullable(status.migrationState()))
                .filter(each -> migration.getMetadata().getUid().equals(each.migrationUid()));
        boolean handedOver = state.filter(each -> each.targetNodeDomainReadyTimestamp() != null)
                .isPresent();
        boolean reported = Optional.ofNullable(instance.getStatus())
                .map(status -> pod.node().equals(Optional.ofNullable(status.nodeName())))
                .orElse(false);
        return handedOver || reported;
    }
}
