package io.kubevirt.ferry.volumes;

import io.kubevirt.ferry.api.Names;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Whether somebody other than the operator may make this change to a VM: while it is locked, or its strategy is to be put
 * back, not the claims of its volumes, unless the same update takes the annotation away, as who knows what he does can.
 *
 * <p>In a cluster a ValidatingAdmissionPolicy decides this without a call to us; this is the same, for tests to hold it to.
 */
public final class VolumesPolicy {
    private VolumesPolicy() {}

    public static boolean allows(VirtualMachine before, VirtualMachine after) {
        return claims(before).equals(claims(after))
                || (gives(before, after, Names.VOLUME_MIGRATION) && gives(before, after, Names.RESTORE_STRATEGY));
    }

    /** Not there before, or taken away. */
    private static boolean gives(VirtualMachine before, VirtualMachine after, String annotation) {
        return View.annotation(before.getMetadata(), annotation).isEmpty()
                || View.annotation(after.getMetadata(), annotation).isEmpty();
    }

    private static Map<String, Optional<String>> claims(VirtualMachine vm) {
        var claims = new TreeMap<String, Optional<String>>();
        vm.volumes().forEach(volume -> claims.put(volume.name(), volume.claim()));
        return claims;
    }
}
