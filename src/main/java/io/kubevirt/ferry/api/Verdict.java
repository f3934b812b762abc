package io.kubevirt.ferry.api;

/** What is to become of a run. Never goes back to {@code Run}. */
public enum Verdict {
    /** Forward. */
    Run,
    /** Nothing was changed yet, and it cannot go on: release, then wait again. */
    GiveUp,
    /** Abort, look where the guest runs, put back. */
    RollBack,
    /** The guest runs on the destinations. */
    Success,
    /** The guest last ran on the destinations and is off: they stay. */
    RollForward,
    /** Somebody else took the volumes over: release, change nothing. */
    Changed,
    /** KubeVirt no longer listens before the VM is restarted: hold, and roll back when the VMI ends. */
    RestartNeeded,
    /** Nobody can see any more where the newest data is: never choose. */
    DataLocationUnknown
}
