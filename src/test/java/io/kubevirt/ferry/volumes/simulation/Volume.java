package io.kubevirt.ferry.volumes.simulation;

/** A volume of a VM or VMI that is backed by a claim; a {@code dataVolume} names the claim of the same name. */
record Volume(String name, String claim, boolean dataVolume, boolean hotpluggable) {

    static Volume of(String name, String claim) {
        return new Volume(name, claim, false, false);
    }

    Volume onClaim(String other) {
        return new Volume(name, other, false, hotpluggable);
    }

    @Override
    public String toString() {
        return name + "=" + (dataVolume ? "dv:" : "") + claim + (hotpluggable ? "(hot)" : "");
    }
}
