package io.kubevirt.ferry.volumes.simulation;

import java.util.List;

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
    IT_ENDS;

    private static final List<Law> IN_ORDER = List.of(values());

    /** The law with that number; they count from 1. */
    static Law numbered(int number) {
        return IN_ORDER.get(number - 1);
    }
}
