package io.kubevirt.ferry.volumes.simulation;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A pod, with the claims it mounts by volume. */
final class Pod {
    enum Kind {
        LAUNCHER,
        /** Mounts hotplugged claims for the launcher that owns it. */
        ATTACHMENT,
        /** Somebody's pod that has nothing to do with the VM. */
        OTHER
    }

    enum Phase {
        PENDING,
        RUNNING,
        SUCCEEDED,
        FAILED;

        boolean last() {
            return this == SUCCEEDED || this == FAILED;
        }
    }

    final String name;
    final String uid;
    final Kind kind;
    /** UID of the VMI that made it; empty for the pods of others. */
    final String createdBy;
    /** UID of the VMIM that it is a target of; empty for others. */
    final String migrationUid;

    final Map<String, String> claims;
    final Map<String, String> labels;

    /** UID of the launcher that owns this attachment pod, or null. */
    @Nullable final String owner;

    long version;
    /** The version it was made with. */
    long born;

    boolean deleting;
    Phase phase = Phase.PENDING;

    @Nullable String node;

    Pod(
            String name,
            String uid,
            Kind kind,
            String createdBy,
            String migrationUid,
            Map<String, String> claims,
            Map<String, String> labels,
            @Nullable String owner) {
        this.name = name;
        this.uid = uid;
        this.kind = kind;
        this.createdBy = createdBy;
        this.migrationUid = migrationUid;
        this.claims = claims;
        this.labels = labels;
        this.owner = owner;
    }

    Pod copy() {
        var copy = new Pod(name, uid, kind, createdBy, migrationUid, claims, new LinkedHashMap<>(labels), owner);
        copy.version = version;
        copy.deleting = deleting;
        copy.phase = phase;
        copy.node = node;
        return copy;
    }

    @Override
    public String toString() {
        return uid + " " + phase + (deleting ? " deleting" : "") + (node == null ? "" : " on " + node) + " " + claims
                + (migrationUid.isEmpty() ? "" : " for " + migrationUid);
    }
}
