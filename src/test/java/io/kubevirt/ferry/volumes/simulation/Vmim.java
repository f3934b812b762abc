package io.kubevirt.ferry.volumes.simulation;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A VirtualMachineInstanceMigration. */
final class Vmim {
    /** Marks what KubeVirt's updater makes, and aborts when a volume migration is cancelled. */
    static final String UPDATE_ANNOTATION = "kubevirt.io/workloadUpdateMigration";

    static final String UPDATE_LABEL = "kubevirt.io/volume-update-migration";

    enum Phase {
        UNSET,
        PENDING,
        SCHEDULING,
        SCHEDULED,
        PREPARING,
        TARGET_READY,
        RUNNING,
        SUCCEEDED,
        FAILED;

        boolean last() {
            return this == SUCCEEDED || this == FAILED;
        }
    }

    final String name;
    final String uid;
    final String vmi;
    long version;
    boolean deleting;
    boolean finalizer = true;
    Map<String, String> annotations = new LinkedHashMap<>();
    Map<String, String> labels = new LinkedHashMap<>();
    Phase phase = Phase.UNSET;

    @Nullable String failureReason;

    /** Whether the guest was seen on the target, as the VMIM's own copy of the migration state says in the end. */
    boolean targetReady;

    long created;
    /** The UID of the VMI that it was made for, with which it goes. */
    @Nullable String instance;

    /** Back-off: no pod before this time. */
    long notBefore;

    /** virt-controller's pod under way: built, then admitted, then stored. */
    @Nullable Pod draft;

    boolean admitted;
    int refusals;

    @Nullable String targetPod;

    long targetPodSince;
    /** What the copy copies, fixed when it starts. */
    @Nullable Set<String> copied;

    long copyEnds;

    @Nullable Fate fate;

    boolean handedOver;

    /** How the machines deal with one attempt. */
    enum Fate {
        SUCCEED,
        FAIL,
        HANG,
        /** The guest is seen on the target, then everything breaks. */
        SPLIT,
        /** The guest runs on the target, and everything breaks before anybody saw it. */
        SPLIT_UNSEEN
    }

    Vmim(String name, String uid, String vmi) {
        this.name = name;
        this.uid = uid;
        this.vmi = vmi;
    }

    /** A copy of what the API shows of it. */
    Vmim copy() {
        var copy = new Vmim(name, uid, vmi);
        copy.version = version;
        copy.deleting = deleting;
        copy.finalizer = finalizer;
        copy.annotations = new LinkedHashMap<>(annotations);
        copy.labels = new LinkedHashMap<>(labels);
        copy.phase = phase;
        copy.failureReason = failureReason;
        copy.targetReady = targetReady;
        copy.created = created;
        copy.targetPod = targetPod;
        return copy;
    }

    boolean unfinished() {
        return !phase.last();
    }

    @Override
    public String toString() {
        return uid + " " + phase + (deleting ? " deleting" : "") + (failureReason == null ? "" : " " + failureReason);
    }
}
