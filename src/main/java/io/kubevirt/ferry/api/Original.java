package io.kubevirt.ferry.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;

/**
 * A run, as it has to be known to whoever takes over: what there was before, and what cannot be seen again later. Written
 * before the step that follows from it.
 *
 * @param run its number, from 1; every write of the run tests it
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Original(
        String virtualMachineUid,
        String virtualMachineInstanceUid,
        int run,
        Before before,
        Progress progress,
        Attempts attempts) {

    public Original with(Progress next) {
        return new Original(virtualMachineUid, virtualMachineInstanceUid, run, before, next, attempts);
    }

    public Original with(Attempts next) {
        return new Original(virtualMachineUid, virtualMachineInstanceUid, run, before, progress, next);
    }
}
