package io.kubevirt.ferry.admission;

import com.fasterxml.jackson.databind.JsonNode;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Admits the migrations that KubeVirt makes because a VM's volumes have changed: the term of the VM's active VolumeMigration
 * goes in as annotation. One that has an annotation keeps it.
 *
 * <p>Without an answer of the API the migration passes as it is: its target pod is looked after once more.
 */
public final class VolumeUpdateAdmission implements Admission {
    private static final Logger log = LoggerFactory.getLogger(VolumeUpdateAdmission.class);

    private final VolumeMigrations volumeMigrations;

    public VolumeUpdateAdmission(VolumeMigrations volumeMigrations) {
        this.volumeMigrations = volumeMigrations;
    }

    @Override
    public String name() {
        return "volume-update";
    }

    @Override
    public Verdict judge(Admitted request) {
        JsonNode migration = request.required();
        Optional<String> vmi = Admitted.text(migration, "spec", "vmiName").filter(Admitted::isName);
        boolean forVolumes = Admitted.isObject(migration, "/metadata/labels")
                && Admitted.text(migration, "metadata", "labels", VirtualMachineInstanceMigration.VOLUME_UPDATE_LABEL)
                        .isPresent();
        if (request.operation() != Admitted.Operation.CREATE
                || vmi.isEmpty()
                || !forVolumes
                || !Admitted.isName(request.namespace())
                || TermAnnotation.of(migration).isPresent()) {
            return Verdict.Allowed.silently();
        }
        return switch (volumeMigrations.activeFor(request.namespace(), vmi.get())) {
            case VolumeMigrations.Found.Term(String json) ->
                new Verdict.Patched(TermAnnotation.with(migration, json).build(), List.of());
            case VolumeMigrations.Found.None() -> Verdict.Allowed.silently();
            case VolumeMigrations.Found.Unanswered(String why) -> {
                log.warn(
                        "the migration of {}/{} for changed volumes passes without the term of its VolumeMigration, which could"
                                + " not be read ({}); its target pod is to get it",
                        request.namespace(),
                        vmi.get(),
                        why);
                yield Verdict.Allowed.silently();
            }
        };
    }
}
