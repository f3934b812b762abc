package io.kubevirt.ferry.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/** A condition as Kubernetes' API conventions have it. */
@JsonIgnoreProperties(ignoreUnknown = true)
public record VolumeMigrationCondition(
        @JsonPropertyDescription(
                "What it is about: Accepted, Migrated, SourcesReclaimed, Ready, Reconciling or Stalled.")
        @Required
        @Size(max = 316) String type,

        @JsonPropertyDescription("True, False or Unknown.") @Required
        String status,

        @JsonPropertyDescription("The generation of the spec that it is about.") @Min(0) long observedGeneration,

        @JsonPropertyDescription("When its status last changed.") @Required
        String lastTransitionTime,

        @JsonPropertyDescription("Why, in one word for programs; docs/volume-migration.md tells of each.")
        @Required
        @Size(min = 1, max = 1024) String reason,

        @JsonPropertyDescription("Why, in words for people.") @Required @Size(max = LONGEST_MESSAGE) String message) {
    /** In characters. */
    public static final int LONGEST_MESSAGE = 32768;

    public boolean holds() {
        return status.equals("True");
    }
}
