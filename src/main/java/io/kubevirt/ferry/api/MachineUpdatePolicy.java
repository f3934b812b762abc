package io.kubevirt.ferry.api;

/** Who writes the VM: the operator, or its user. */
public enum MachineUpdatePolicy {
    Automatic,
    Manual
}
