package io.kubevirt.ferry.standin;

import static io.kubevirt.ferry.testbed.Patience.eventually;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.List;
import java.util.Optional;

/** A namespace of a test, and short ways to look and write there as an admin. */
record Scene(KubernetesClient client, KubeVirtStandIn standIn, String namespace) {

    /** Waits until KubeVirt has taken note of all that is here: what is done next is another story. */
    void settle() {
        eventually().until(() -> standIn.isSettled(namespace));
    }

    VirtualMachines.Builder vm() {
        return new VirtualMachines(client).vm("vm").inNamespace(namespace);
    }

    Optional<Item> find(Kind kind, String name) {
        return new Cluster(client).get(kind, namespace, name);
    }

    Item read(Kind kind, String name) {
        return find(kind, name).orElseThrow();
    }

    List<Item> all(Kind kind) {
        return new Cluster(client).get(kind, namespace);
    }

    void patch(Kind kind, String name, String jsonPatch) {
        client.genericKubernetesResources(kind.context())
                .inNamespace(namespace)
                .withName(name)
                .patch(PatchContext.of(PatchType.JSON), jsonPatch);
    }

    List<Pod> targetPods() {
        return client.pods()
                .inNamespace(namespace)
                .withLabel(Names.MIGRATION_UID)
                .list()
                .getItems();
    }

    static Affinity preferring(String node) {
        return new AffinityBuilder()
                .withNewNodeAffinity()
                .addNewPreferredDuringSchedulingIgnoredDuringExecution()
                .withWeight(100)
                .withNewPreference()
                .addToMatchExpressions(new NodeSelectorRequirement("kubernetes.io/hostname", "In", List.of(node)))
                .endPreference()
                .endPreferredDuringSchedulingIgnoredDuringExecution()
                .endNodeAffinity()
                .build();
    }
}
