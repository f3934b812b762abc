package io.kubevirt.ferry.volumes;

import io.kubevirt.ferry.api.Names;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Whether somebody other than the operator may make this change to a VM. While it is locked nobody changes which claims its
 * volumes are on; as long as its strategy is to be put back, nobody changes the claim of a volume, which KubeVirt would
 * overwrite. Whoever takes the annotations away in the same update may do both.
 *
 * <p>In a cluster a ValidatingAdmissionPolicy decides this without a call to us; this is the same, for tests to hold it to.
 */
public final class VolumesPolicy {
    private VolumesPolicy() {}

    public static boolean allows(VirtualMachine before, VirtualMachine after) {
        if (released(before, after, Names.VOLUME_MIGRATION) && released(before, after, Names.RESTORE_STRATEGY)) {
            return true;
        }
        var was = claims(before);
        var is = claims(after);
        return View.annotation(before.getMetadata(), Names.VOLUME_MIGRATION).isPresent()
                ? is.equals(was)
                : is.entrySet().stream()
                        .allMatch(volume -> was.getOrDefault(volume.getKey(), volume.getValue())
                                .equals(volume.getValue()));
    }

    /** Not there before, or taken away. */
    private static boolean released(VirtualMachine before, VirtualMachine after, String annotation) {
        return View.annotation(before.getMetadata(), annotation).isEmpty()
                || View.annotation(after.getMetadata(), annotation).isEmpty();
    }

    private static Map<String, Optional<String>> claims(VirtualMachine vm) {
        var claims = new TreeMap<String, Optional<String>>();
        vm.volumes().forEach(volume -> claims.put(volume.name(), volume.claim()));
        return claims;
    }
}
