package io.kubevirt.ferry.api;

/** Whether claims of the VM may be left out of the migration. */
public enum LeftOutPolicy {
    Reject,
    Accept
}
