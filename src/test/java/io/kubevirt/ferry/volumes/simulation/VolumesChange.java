package io.kubevirt.ferry.volumes.simulation;

/** The condition {@code VolumesChange} of a VMI, with the two ways in which it is False. */
enum VolumesChange {
    ABSENT,
    TRUE,
    /** A destination claim does not exist. */
    MISSING,
    /** Reason {@code VolumesChangeCancellation}. */
    CANCELLED
}
