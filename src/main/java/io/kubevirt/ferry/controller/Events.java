package io.kubevirt.ferry.controller;

import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells of changes in events, which {@code kubectl describe} shows. One that cannot be written is logged and no more. */
public final class Events {
    private static final Logger log = LoggerFactory.getLogger(Events.class);
    private static final String COMPONENT = "kubevirt-ferry";

    /** As much as the API server takes. */
    private static final int LONGEST = 1024;

    private final KubernetesClient client;
    private final Clock clock;

    public Events(KubernetesClient client, Clock clock) {
        this.client = client;
        this.clock = clock;
    }

    void emit(VirtualMachineInstanceMigration migration, Placement placement) {
        ObjectMeta about = migration.getMetadata();
        String now = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
        try {
            client.v1()
                    .events()
                    .resource(new EventBuilder()
                            .withNewMetadata()
                            .withNamespace(about.getNamespace())
                            .withGenerateName(about.getName() + ".")
                            .endMetadata()
                            .withNewInvolvedObject()
                            .withApiVersion(migration.getApiVersion())
                            .withKind(migration.getKind())
                            .withNamespace(about.getNamespace())
                            .withName(about.getName())
                            .withUid(about.getUid())
                            .endInvolvedObject()
                            .withType(placement.eventType())
                            .withReason(placement.reason().name())
                            .withMessage(cut(placement.message()))
                            .withNewSource()
                            .withComponent(COMPONENT)
                            .endSource()
                            .withReportingComponent(COMPONENT)
                            .withFirstTimestamp(now)
                            .withLastTimestamp(now)
                            .withCount(1)
                            .build())
                    .create();
        } catch (KubernetesClientException e) {
            log.warn(
                    "no event for migration {}/{} ({}): {}",
                    about.getNamespace(),
                    about.getName(),
                    placement.reason(),
                    Refusal.said(e));
        }
    }

    private static String cut(String message) {
        return message.length() <= LONGEST ? message : message.substring(0, LONGEST - 1) + "…";
    }
}
