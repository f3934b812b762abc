package io.kubevirt.ferry.volumes.simulation;

/** What happens to the operator with one write. */
enum Mishap {
    NONE,
    /** It ends before the write; another begins anew. */
    CRASH_BEFORE,
    /** It ends right after the write; another begins anew. */
    CRASH_AFTER,
    /** The write fails and changes nothing. */
    LOST_WRITE,
    /** The write is done, and fails for all that the operator knows. */
    LOST_ANSWER,
    /** It is paused before the write, another takes over, and some time later the write is made after all. */
    PAUSE,
    /** Like a pause, but the write is made when everything else may long be over. */
    LONG_PAUSE
}
