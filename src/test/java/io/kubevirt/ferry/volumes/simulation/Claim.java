package io.kubevirt.ferry.volumes.simulation;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A PersistentVolumeClaim and the data behind it. */
final class Claim {
    final String name;
    final String uid;
    long version;
    boolean deleting;
    Map<String, String> annotations = new LinkedHashMap<>();
    /** The DataVolume that owns it, or null. */
    @Nullable DataVolume owner;

    /** The disk whose data it holds, or null while nothing was ever written to it. */
    @Nullable String disk;

    /** The version of the data; {@link Storage#TORN} after a copy that did not end. */
    long data;

    boolean readWriteOnce;

    Claim(String name, String uid) {
        this.name = name;
        this.uid = uid;
    }

    Claim copy() {
        var copy = new Claim(name, uid);
        copy.version = version;
        copy.deleting = deleting;
        copy.annotations = new LinkedHashMap<>(annotations);
        copy.owner = owner;
        copy.disk = disk;
        copy.data = data;
        copy.readWriteOnce = readWriteOnce;
        return copy;
    }

    @Override
    public String toString() {
        return uid + " " + (disk == null ? "empty" : disk + "@" + data) + (deleting ? " deleting" : "")
                + (annotations.isEmpty() ? "" : " " + annotations)
                + (owner == null ? "" : " of dv " + owner.name);
    }
}
