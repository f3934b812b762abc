package io.kubevirt.ferry.api;

/** What becomes of a source claim after its volume has moved. */
public enum ReclaimPolicy {
    Delete,
    Retain
}
