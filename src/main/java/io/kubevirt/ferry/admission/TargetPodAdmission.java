package io.kubevirt.ferry.admission;

import com.fasterxml.jackson.databind.JsonNode;
import io.kubevirt.ferry.kubevirt.LauncherPod;
import io.kubevirt.ferry.patch.JsonPatch;
import io.kubevirt.ferry.placement.FieldError;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Admits the pods that migrations make: the term of the pod's migration is ANDed into each of its required node selector
 * terms. Pods of ordinary migrations, and pods whose labels name no migration, pass untouched.
 *
 * <p>Where the migration cannot be looked up the pod gets a scheduling gate, and {@link TargetPodPatch} is applied when
 * it can.
 */
public final class TargetPodAdmission implements Admission {
    private static final Logger log = LoggerFactory.getLogger(TargetPodAdmission.class);

    private final Migrations migrations;

    public TargetPodAdmission(Migrations migrations) {
        this.migrations = migrations;
    }

    @Override
    public String name() {
        return "pod";
    }

    @Override
    public Verdict judge(Admitted request) {
        return TargetPod.of(request.namespace(), request.required())
                .map(pod -> verdict(
                        request, pod, migrations.find(pod.namespace(), pod.migrationName(), pod.migrationUid())))
                .orElseGet(Verdict.Allowed::silently);
    }

    @Override
    public Optional<Verdict> judgeAtOnce(Admitted request) {
        Optional<TargetPod> target = TargetPod.of(request.namespace(), request.required());
        if (target.isEmpty()) {
            return Optional.of(Verdict.Allowed.silently());
        }
        return target.flatMap(pod -> migrations
                .known(pod.namespace(), pod.migrationName(), pod.migrationUid())
                .map(found -> verdict(request, pod, found)));
    }

    private static Verdict verdict(Admitted request, TargetPod target, Migrations.Found found) {
        JsonNode pod = request.required();
        return switch (found) {
            case Migrations.Found.Migration(Optional<String> term)
            when term.isPresent() -> narrowed(target, pod, term.get());
            case Migrations.Found.Migration(Optional<String> ignored) -> Verdict.Allowed.silently();
            case Migrations.Found.None() -> Verdict.Allowed.silently();
            case Migrations.Found.Unanswered(String why) -> gated(target, pod, why);
        };
    }

    private static Verdict narrowed(TargetPod target, JsonNode pod, String term) {
        return switch (TargetPodPatch.narrow(pod, term)) {
            case TargetPodPatch.Result.Changed(JsonPatch patch) -> new Verdict.Patched(patch.build(), List.of());
            case TargetPodPatch.Result.Unchanged() -> Verdict.Allowed.silently();
            case TargetPodPatch.Result.InvalidTerm(var errors) ->
                Verdict.Denied.because(
                        "metadata.annotations[" + LauncherPod.MIGRATION_NAME_ANNOTATION + "]",
                        "the annotation of migration " + target.migrationName() + " is no term ("
                                + FieldError.inOneLine(errors)
                                + "): delete the migration and create another one");
        };
    }

    private static Verdict gated(TargetPod target, JsonNode pod, String why) {
        // A webhook may be called again for a pod that others changed, and no gate may be there twice.
        if (TargetPodPatch.isGated(pod)) {
            return Verdict.Allowed.silently();
        }
        log.warn(
                "the target pod of migration {}/{} is held by a scheduling gate until the migration can be read: {}",
                target.namespace(),
                target.migrationName(),
                why);
        return new Verdict.Patched(TargetPodPatch.gate(pod), List.of());
    }
}
