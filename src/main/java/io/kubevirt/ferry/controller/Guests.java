package io.kubevirt.ferry.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.kubevirt.ferry.admission.Admitted;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import java.util.Objects;
import java.util.Optional;

/** Looks up, by live reads, where guests are. */
public final class Guests {
    private final KubernetesClient client;

    public Guests(KubernetesClient client) {
        this.client = client;
    }

    /** What the migration's VMI says now. */
    Guest of(VirtualMachineInstanceMigration migration) {
        return new Guest(read(migration), migration);
    }

    private JsonNode read(VirtualMachineInstanceMigration migration) {
        String vmi = Objects.requireNonNullElse(migration.getSpec().vmiName(), "");
        return Optional.of(vmi)
                .filter(Admitted::isName)
                .flatMap(name -> Live.read(
                        client,
                        "/apis/kubevirt.io/v1/namespaces/"
                                + migration.getMetadata().getNamespace() + "/virtualmachineinstances/" + name))
                .orElse(MissingNode.getInstance());
    }
}
