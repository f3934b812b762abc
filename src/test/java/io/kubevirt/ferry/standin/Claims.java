package io.kubevirt.ferry.standin;

import static io.kubevirt.ferry.testbed.Patience.PATIENCE;

import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Claims that are bound, each to a volume of its own that exists on paper alone. */
public final class Claims {

    private final KubernetesClient admin;

    public Claims(KubernetesClient admin) {
        this.admin = admin;
    }

    /** Block devices of this size that many nodes may use at once; returns when they are bound. */
    public void createShared(String namespace, String size, String storageClass, String... names) {
        for (String name : names) {
            make(namespace, name, size, storageClass, "ReadWriteMany", "Block");
        }
        for (String name : names) {
            awaitBound(namespace, name);
        }
    }

    /** A claim of this size, access mode and volume mode; returns when it is bound. */
    public void create(String namespace, String name, String size, String storageClass, String access, String mode) {
        make(namespace, name, size, storageClass, access, mode);
        awaitBound(namespace, name);
    }

    private void make(String namespace, String name, String size, String storageClass, String access, String mode) {
        String volume = "pv-" + namespace + "-" + name;
        Map<String, Quantity> capacity = Map.of("storage", new Quantity(size));
        admin.resource(new PersistentVolumeBuilder()
                        .withNewMetadata()
                        .withName(volume)
                        .endMetadata()
                        .withNewSpec()
                        .withCapacity(capacity)
                        .withAccessModes(access)
                        .withVolumeMode(mode)
                        .withStorageClassName(storageClass)
                        .withPersistentVolumeReclaimPolicy("Retain")
                        .withNewClaimRef()
                        .withNamespace(namespace)
                        .withName(name)
                        .endClaimRef()
                        .withNewCsi()
                        .withDriver("standin.kubevirt.io")
                        .withVolumeHandle(volume)
                        .endCsi()
                        .endSpec()
                        .build())
                .create();
        admin.resource(new PersistentVolumeClaimBuilder()
                        .withNewMetadata()
                        .withNamespace(namespace)
                        .withName(name)
                        .endMetadata()
                        .withNewSpec()
                        .withAccessModes(access)
                        .withVolumeMode(mode)
                        .withStorageClassName(storageClass)
                        .withVolumeName(volume)
                        .withNewResources()
                        .withRequests(capacity)
                        .endResources()
                        .endSpec()
                        .build())
                .create();
    }

    private void awaitBound(String namespace, String name) {
        admin.persistentVolumeClaims()
                .inNamespace(namespace)
                .withName(name)
                .waitUntilCondition(
                        claim -> claim != null
                                && "Bound".equals(claim.getStatus().getPhase()),
                        PATIENCE.toSeconds(),
                        TimeUnit.SECONDS);
    }
}
