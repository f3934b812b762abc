package io.kubevirt.ferry.volumes.simulation;

/** A law that was broken, and how. */
record Violation(Law law, String how) {
    @Override
    public String toString() {
        return law + ": " + how;
    }
}
