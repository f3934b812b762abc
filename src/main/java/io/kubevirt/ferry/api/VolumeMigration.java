package io.kubevirt.ferry.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;
import java.util.Optional;

/** Moves volumes of one running VM to other claims. */
@Group(VolumeMigration.GROUP)
@Plural("volumemigrations")
@Version("v1alpha1")
@ShortNames("volmig")
@AdditionalPrinterColumn(
        name = "VM",
        jsonPath = ".status.virtualMachineName",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Status",
        jsonPath = ".status.conditions[?(@.type==\"Ready\")].reason",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(name = "Attempts", jsonPath = ".status.attempts", type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(name = "From", jsonPath = ".status.sourceNode", type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(name = "To", jsonPath = ".status.targetNode", type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Age",
        jsonPath = ".metadata.creationTimestamp",
        type = AdditionalPrinterColumn.Type.DATE)
@AdditionalPrinterColumn(
        name = "Message",
        jsonPath = ".status.conditions[?(@.type==\"Ready\")].message",
        type = AdditionalPrinterColumn.Type.STRING,
        priority = 1)
@JsonIgnoreProperties(ignoreUnknown = true)
public final class VolumeMigration extends CustomResource<VolumeMigrationSpec, VolumeMigrationStatus>
        implements Namespaced {
    public static final String GROUP = "storage.kubevirt.io";

    public VolumeMigration() {}

    /** The status, empty when none is written yet. */
    public VolumeMigrationStatus status() {
        return Optional.ofNullable(getStatus()).orElse(VolumeMigrationStatus.EMPTY);
    }
}
