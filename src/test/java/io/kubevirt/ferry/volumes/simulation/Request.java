package io.kubevirt.ferry.volumes.simulation;

import io.kubevirt.ferry.api.VolumeMigrationSpec;
import io.kubevirt.ferry.api.VolumeMigrationStatus;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A VolumeMigration as it is stored. */
final class Request {
    final String name;
    final String uid;
    final long created;
    final VolumeMigrationSpec spec;
    long version;
    /** The version it was made with. */
    long born;

    boolean deleting;
    List<String> finalizers = new ArrayList<>();

    @Nullable VolumeMigrationStatus status;

    Request(String name, String uid, long created, VolumeMigrationSpec spec) {
        this.name = name;
        this.uid = uid;
        this.created = created;
        this.spec = spec;
    }

    @Override
    public String toString() {
        return (deleting ? "deleting " : "") + finalizers + " " + Describe.status(status);
    }
}
