package io.kubevirt.ferry.volumes.simulation;

/** The safety laws. */
enum Law {
    /** No claim is deleted while anything names it, and never one with the newest data. */
    CLAIMS_IN_USE_STAY,
    /** The newest data is never overwritten, always found by a boot, and named by all in the end. */
    NEWEST_DATA,
    /** After a roll back everything is as recorded. */
    PUT_BACK_AS_RECORDED,
    /** Crashes, stale reads, conflicts and refusals change nothing about the end. */
    SAME_END,
    /** Every volume migration ends, or says what it waits for. */
    IT_ENDS
}
