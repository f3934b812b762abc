package io.kubevirt.ferry.volumes.simulation;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** CDI's DataVolume: as long as it stands, CDI brings its claim back. */
final class DataVolume {
    final String name;
    final String uid;
    long version;
    /** The claim that it copies from, or null. */
    @Nullable String source;

    boolean deleting;
    Map<String, String> annotations = new LinkedHashMap<>();

    DataVolume(String name, String uid) {
        this.name = name;
        this.uid = uid;
    }

    DataVolume copy() {
        var copy = new DataVolume(name, uid);
        copy.version = version;
        copy.source = source;
        copy.deleting = deleting;
        copy.annotations = new LinkedHashMap<>(annotations);
        return copy;
    }

    @Override
    public String toString() {
        return uid + (deleting ? " deleting" : "");
    }
}
