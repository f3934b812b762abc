package io.kubevirt.ferry.volumes.simulation;

import java.util.LinkedHashMap;
import java.util.Map;

/** CDI's DataVolume: as long as it stands, CDI brings its claim back. */
final class DataVolume {
    final String name;
    final String uid;
    long version;
    boolean deleting;
    Map<String, String> annotations = new LinkedHashMap<>();

    DataVolume(String name, String uid) {
        this.name = name;
        this.uid = uid;
    }

    DataVolume copy() {
        var copy = new DataVolume(name, uid);
        copy.version = version;
        copy.deleting = deleting;
        copy.annotations = new LinkedHashMap<>(annotations);
        return copy;
    }

    @Override
    public String toString() {
        return uid + (deleting ? " deleting" : "");
    }
}
