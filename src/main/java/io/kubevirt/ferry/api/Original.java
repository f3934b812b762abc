package io.kubevirt.ferry.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;

/**
 * A run, as it has to be known to whoever takes over: what there was before, and what cannot be seen again later. Written
 * before the step that follows from it.
 *
 * @param run its number, from 1; every write of the run tests it
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Original(
        @JsonPropertyDescription("The UID of the VM.") @Required
        String virtualMachineUid,

        @JsonPropertyDescription("The UID of the VirtualMachineInstance that ran it when the run began.") @Required
        String virtualMachineInstanceUid,

        @JsonPropertyDescription("The number of the run, from 1.") @Required @Min(1) int run,

        @JsonPropertyDescription("What to put back on the VM.") @Required
        Before before,

        @JsonPropertyDescription("How far the run is.") @Required
        Progress progress,

        @JsonPropertyDescription("Its VirtualMachineInstanceMigrations.") @Required
        Attempts attempts) {

    public Original with(Before next) {
        return new Original(virtualMachineUid, virtualMachineInstanceUid, run, next, progress, attempts);
    }

    public Original with(Progress next) {
        return new Original(virtualMachineUid, virtualMachineInstanceUid, run, before, next, attempts);
    }

    public Original with(Attempts next) {
        return new Original(virtualMachineUid, virtualMachineInstanceUid, run, before, progress, next);
    }
}
