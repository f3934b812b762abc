package io.kubevirt.ferry.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;

/** A condition as Kubernetes' API conventions have it. */
@JsonIgnoreProperties(ignoreUnknown = true)
public record VolumeMigrationCondition(
        String type, String status, long observedGeneration, String lastTransitionTime, String reason, String message) {

    public boolean holds() {
        return status.equals("True");
    }
}
