package io.kubevirt.ferry.volumes;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.kubevirt.ferry.api.MigratedVolume;
import io.kubevirt.ferry.api.ReclaimPolicy;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What can be said of a VolumeMigration when it is made, before it does anything. */
public final class Preflight {
    private Preflight() {}

    /** Something that somebody is allowed to do in a namespace, or is not; the core group is empty. */
    public record Permission(String group, String resource, String verb) {}

    /**
     * What its creator has to be allowed to do, since it is done in his name: who may not change a VM or delete a claim does
     * not get it done by a VolumeMigration either.
     */
    public static Set<Permission> permissions(Observation seen) {
        var spec = seen.migration().getSpec();
        var needed = new LinkedHashSet<Permission>();
        if (!spec.manual()) {
            needed.add(new Permission("kubevirt.io", "virtualmachines", "update"));
        }
        needed.add(new Permission("kubevirt.io", "virtualmachineinstancemigrations", "create"));
        spec.migratedVolume().stream()
                .filter(volume -> volume.reclaimPolicy() == ReclaimPolicy.Delete)
                .forEach(volume -> {
                    needed.add(new Permission("", "persistentvolumeclaims", "delete"));
                    if (source(seen, volume).filter(Preflight::ofDataVolume).isPresent()) {
                        needed.add(new Permission("cdi.kubevirt.io", "datavolumes", "delete"));
                    }
                });
        return needed;
    }

    private static Optional<PersistentVolumeClaim> source(Observation seen, MigratedVolume volume) {
        return seen.claims().stream()
                .filter(claim -> claim.getMetadata().getName().equals(volume.sourcePvc()))
                .findFirst();
    }

    private static boolean ofDataVolume(PersistentVolumeClaim claim) {
        return claim.getMetadata().getOwnerReferences().stream()
                .anyMatch(owner -> owner.getKind().equals("DataVolume"));
    }

    /** Why it would wait or be rejected if it were to start now, each with the field that it is about; empty if it would start. */
    public static List<String> warnings(Observation seen, Usage usage) {
        var subject = new Subject(seen, usage);
        var warnings = new ArrayList<String>();
        for (Finding finding : Checks.findings(Checks.wanted(subject), subject)) {
            warnings.add(path(subject, finding) + finding.message());
        }
        return List.copyOf(warnings);
    }

    /** Of one volume its field; what concerns all, or none, is about the whole. */
    private static String path(Subject subject, Finding finding) {
        var asked = subject.asked();
        return finding.sources().size() == 1 && asked.size() > 1
                ? "spec.migratedVolume["
                        + asked.stream()
                                .map(MigratedVolume::sourcePvc)
                                .toList()
                                .indexOf(finding.sources().iterator().next())
                        + "]: "
                : "";
    }
}
