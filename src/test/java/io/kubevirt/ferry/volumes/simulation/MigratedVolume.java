package io.kubevirt.ferry.volumes.simulation;

/** An entry of {@code status.migratedVolumes}: what a migration copies, from where to where. */
record MigratedVolume(String volume, String source, String destination) {
    @Override
    public String toString() {
        return volume + ":" + source + ">" + destination;
    }
}
