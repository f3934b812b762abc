package io.kubevirt.ferry.volumes;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.kubevirt.ferry.api.VolumeMigration;
import io.kubevirt.ferry.kubevirt.DataVolume;
import io.kubevirt.ferry.kubevirt.KubeVirt;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstance;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import java.util.List;
import java.util.Optional;

/**
 * Everything that a decision may look at: read live, for this one decision, from the namespace of the VolumeMigration, in
 * the order of the components. The order matters: each reading bounds what the earlier ones may have missed.
 *
 * @param namespaceTerminating whether the namespace is being deleted
 * @param kubeVirt the cluster's KubeVirt, if there is one
 * @param claims those of the spec that exist
 * @param dataVolumes those with the name of such a claim; empty without CDI
 * @param migrations every VMIM of the VMI's name, finished ones too
 * @param pods the launcher and attachment pods of the VMI, of any phase; others among them do no harm
 * @param instance the VMI of the VM's name
 * @param usage who else names the claims, listed when {@link Usage#wanted} says so
 * @param machine the VM that {@link Usage#machineName} names
 */
public record Observation(
        VolumeMigration migration,
        boolean namespaceTerminating,
        Optional<KubeVirt> kubeVirt,
        List<PersistentVolumeClaim> claims,
        List<DataVolume> dataVolumes,
        List<VirtualMachineInstanceMigration> migrations,
        List<Pod> pods,
        Optional<VirtualMachineInstance> instance,
        Optional<Usage> usage,
        Optional<VirtualMachine> machine) {
    public Observation {
        claims = List.copyOf(claims);
        dataVolumes = List.copyOf(dataVolumes);
        migrations = List.copyOf(migrations);
        pods = List.copyOf(pods);
    }
}
