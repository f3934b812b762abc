package io.kubevirt.ferry.standin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Questions about the volumes of VMs and VMIs. */
final class Volumes {

    /** So long after a claim has appeared, its VM is looked at again. */
    static final Duration AFTER_A_CLAIM = Duration.ofMillis(250);

    private static final String[] OF_VM = {"spec", "template", "spec", "volumes"};
    private static final String[] OF_VMI = {"spec", "volumes"};

    private Volumes() {}

    /** The claim that a volume names, directly or by its DataVolume; empty if it needs none. */
    static String claimOf(JsonNode volume) {
        return volume.path("persistentVolumeClaim")
                .path("claimName")
                .asText(volume.path("dataVolume").path("name").asText(""));
    }

    static boolean hotpluggable(JsonNode volume) {
        return volume.path("persistentVolumeClaim").path("hotpluggable").asBoolean()
                || volume.path("dataVolume").path("hotpluggable").asBoolean();
    }

    static List<ObjectNode> of(Item vmOrVmi) {
        return vmOrVmi.list(vmOrVmi.kind() == Kind.VM ? OF_VM : OF_VMI);
    }

    /** The claims by volume name, of those volumes that have one. */
    static Map<String, String> claims(Item vmOrVmi) {
        Map<String, String> claims = new LinkedHashMap<>();
        of(vmOrVmi).forEach(volume -> {
            if (!claimOf(volume).isEmpty()) {
                claims.put(volume.path("name").asText(), claimOf(volume));
            }
        });
        return claims;
    }

    /** The volumes whose claim in the VM is not that of its VMI, with the VM's claim. */
    static Map<String, String> changed(Item vm, Item vmi) {
        Map<String, String> before = claims(vmi);
        Map<String, String> changed = claims(vm);
        changed.entrySet()
                .removeIf(volume -> !before.containsKey(volume.getKey())
                        || before.get(volume.getKey()).equals(volume.getValue()));
        return changed;
    }

    static boolean migrates(Item vm) {
        return vm.text("spec", "updateVolumesStrategy").equals("Migration");
    }

    /** Whether a volume migration is under way, as the VMI says. */
    static boolean changing(Item vmi) {
        return vmi.conditionIs("VolumesChange", "True");
    }
}
