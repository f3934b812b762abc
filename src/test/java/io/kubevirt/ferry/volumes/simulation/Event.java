package io.kubevirt.ferry.volumes.simulation;

/** What people do in the middle. */
enum Event {
    STOPS_THE_VM,
    RESTARTS_THE_VM,
    SHUTS_THE_GUEST_DOWN,
    KILLS_THE_GUESTS_POD,
    KILLS_THE_TARGET_POD,
    DELETES_THE_VM,
    DELETES_THE_NAMESPACE,
    DELETES_THE_VOLUME_MIGRATION,
    EDITS_SOMETHING_THAT_NEEDS_A_RESTART,
    TAKES_THAT_EDIT_BACK,
    EDITS_SOMETHING_ELSE,
    TAKES_THE_STRATEGY_AWAY,
    /** Against the operator's policy, with the lock. */
    CHANGES_THE_VOLUMES,
    TAKES_THE_LOCK_OFF,
    FORCES_THE_HOLD_OFF,
    /** Takes every finalizer off and deletes it. */
    FORCES_THE_INSTANCE_AWAY,
    /** Deletes the VM and makes it anew, as it was in the beginning. */
    REPLACES_THE_VM,
    /** Takes the update methods of KubeVirt's workload updater away. */
    RECONFIGURES_KUBEVIRT,
    MIGRATES_THE_VM,
    DRAINS_THE_NODE,
    CANCELS_A_MIGRATION,
    BACKS_A_SOURCE_UP,
    POINTS_A_DATA_SOURCE_AT_A_SOURCE,
    CLONES_A_SOURCE,
    DELETES_A_DESTINATION,
    PLUGS_A_VOLUME_IN,
    /** Its webhooks refuse for a while whatever they are asked. */
    RESTARTS_VIRT_API,
    /** The machine of the guest's launcher pod will not report the end of it. */
    LOSES_THE_SOURCE_NODE,
    WANTS_ANOTHER_VOLUME_MIGRATION,
    WANTS_THE_VOLUMES_MOVED_ON,
    WANTS_ONE_OF_THE_DISKS_MOVED
}
