package io.kubevirt.ferry.controller;

import io.kubevirt.ferry.kubevirt.LauncherPod;
import io.kubevirt.ferry.kubevirt.MigrationState;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Which pods may be the target pod of a migration. Pure.
 *
 * <p>Whoever may create pods can copy every mark of a target pod, so that there can be several: none of them says anything
 * for another, and it is KubeVirt that says which one it is, as soon as the VMI names it.
 */
final class TargetPods {
    private static final String VMI = "VirtualMachineInstance";
    private static final String GROUP = "kubevirt.io/";

    private TargetPods() {}

    /** Those in the migration's namespace that bear its marks; the one alone that KubeVirt has named, once it has. */
    static List<LauncherPod> of(VirtualMachineInstanceMigration migration, Collection<LauncherPod> pods) {
        Optional<String> named = Optional.ofNullable(migration.status().migrationState())
                .filter(state -> migration.getMetadata().getUid().equals(state.migrationUid()))
                .map(MigrationState::targetPod)
                .filter(name -> !name.isEmpty());
        return pods.stream()
                .filter(pod -> bearsTheMarks(pod, migration))
                .filter(pod ->
                        named.isEmpty() || named.get().equals(pod.getMetadata().getName()))
                .toList();
    }

    private static boolean bearsTheMarks(LauncherPod pod, VirtualMachineInstanceMigration migration) {
        boolean here =
                pod.getMetadata().getNamespace().equals(migration.getMetadata().getNamespace());
        return here
                && pod.migrationUid()
                        .filter(migration.getMetadata().getUid()::equals)
                        .isPresent()
                && pod.migrationName()
                        .filter(migration.getMetadata().getName()::equals)
                        .isPresent()
                && isOfVmi(pod, String.valueOf(migration.getSpec().vmiName()));
    }

    /**
     * Whether a VMI of that name controls the pod, as it does every pod that virt-controller makes of it. Labels are easier
     * to change than this: whoever can set an owner can have Kubernetes' garbage collector delete the pod anyway.
     */
    private static boolean isOfVmi(LauncherPod pod, String name) {
        return pod.controller()
                .filter(owner -> owner.getKind().equals(VMI)
                        && owner.getApiVersion().startsWith(GROUP)
                        && owner.getName().equals(name))
                .isPresent();
    }
}
