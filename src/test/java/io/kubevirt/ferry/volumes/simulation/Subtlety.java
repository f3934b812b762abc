package io.kubevirt.ferry.volumes.simulation;

/** What KubeVirt does inside of a transition, or does not do, and what schedules have to have come across all the same. */
enum Subtlety {
    /** With RestartRequired it does not look at changed volumes. */
    RESTART_REQUIRED_GUARDS,
    /** The VMI still tells of an earlier migration when a target pod of the next one is built. */
    MIGRATION_STATE_OF_BEFORE,
    BACK_OFF,
    CRASH_PAUSE,
    /** virt-controller starts a VMI from its cache, and the VM has been changed since. */
    STARTED_FROM_AN_OLD_VM,
    /** The VMI's volumes change between the admission of a target pod and its storing. */
    CHANGED_SINCE_ADMISSION,
    /** A target pod's attachment pod is built of a VMI with other volumes than the target pod itself. */
    ATTACHED_ELSEWHERE,
    /** virt-api refuses a write of the operator. */
    VIRT_API_REFUSES
}
