package io.kubevirt.ferry.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VolumeUpdateAdmissionTest {
    private static final String TERM = "{\"matchExpressions\":[{\"key\":\"rack\",\"operator\":\"Exists\"}]}";

    /** As KubeVirt's workload updater makes them. */
    private static final String MIGRATION = """
            apiVersion: kubevirt.io/v1
            kind: VirtualMachineInstanceMigration
            metadata:
              generateName: kubevirt-workload-update-
              labels: {kubevirt.io/volume-update-migration: db, kubevirt.io/vmi-name: db}
              annotations: {kubevirt.io/workloadUpdateMigration: ""}
            spec: {vmiName: db, priority: system-maintenance}
            """;

    private static VolumeUpdateAdmission answering(VolumeMigrations.Found found) {
        return new VolumeUpdateAdmission((namespace, vmi) ->
                namespace.equals("shop") && vmi.equals("db") ? found : new VolumeMigrations.Found.None());
    }

    private final VolumeUpdateAdmission active = answering(new VolumeMigrations.Found.Term(TERM));

    @Test
    void theTermOfTheActiveVolumeMigrationGoesInAsAnnotationAndNothingElseChanges() {
        JsonNode after = Reviews.after(MIGRATION, active.judge(Reviews.create(MIGRATION)));

        assertThat(after)
                .isEqualTo(Reviews.yaml(MIGRATION.replace(
                        "workloadUpdateMigration: \"\"",
                        "workloadUpdateMigration: \"\", " + DirectedMigration.ANNOTATION + ": '" + TERM + "'")));
    }

    @Test
    void itGoesInWhereThereAreNoAnnotations() {
        String bare = MIGRATION.replaceAll("(?m)^ *annotations.*\n", "");

        JsonNode after = Reviews.after(bare, active.judge(Reviews.create(bare)));

        assertThat(after.at("/metadata/annotations").properties()).hasSize(1);
        assertThat(TermAnnotation.of(after)).hasValue(TERM);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "metadata: {labels: {kubevirt.io/vmi-name: db}}\nspec: {vmiName: db}",
                "metadata: {}\nspec: {vmiName: db}",
                "metadata: {labels: {kubevirt.io/volume-update-migration: web}}\nspec: {vmiName: web}",
                "metadata: {labels: {kubevirt.io/volume-update-migration: db}}\nspec: {vmiName: ../db}",
                "metadata: {labels: {kubevirt.io/volume-update-migration: db}}\nspec: {}",
                "metadata: {labels: {kubevirt.io/volume-update-migration: db}}",
                "metadata: {labels: {kubevirt.io/volume-update-migration: db}, annotations:"
                        + " {migration.kubevirt.io/added-node-selector-term: \"{}\"}}\nspec: {vmiName: db}"
            })
    void othersPassUntouched(String migration) {
        assertThat(active.judge(Reviews.create(migration))).isEqualTo(Verdict.Allowed.silently());
    }

    @Test
    void anUpdatePassesUntouched() {
        assertThat(active.judge(Reviews.update(MIGRATION, MIGRATION))).isEqualTo(Verdict.Allowed.silently());
    }

    @Test
    void withoutAnActiveVolumeMigrationAndWithoutAnAnswerItPassesUntouched() {
        assertThat(answering(new VolumeMigrations.Found.None()).judge(Reviews.create(MIGRATION)))
                .isEqualTo(Verdict.Allowed.silently());
        assertThat(answering(new VolumeMigrations.Found.Unanswered("down")).judge(Reviews.create(MIGRATION)))
                .isEqualTo(Verdict.Allowed.silently());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "metadata: {labels: [a]}\nspec: {vmiName: db}",
                "metadata: {labels: {kubevirt.io/volume-update-migration: 1}}\nspec: {vmiName: db}",
                "metadata: {labels: {kubevirt.io/volume-update-migration: db}}\nspec: {vmiName: [db]}",
                "metadata: {labels: {kubevirt.io/volume-update-migration: db}, annotations: 1}\nspec: {vmiName: db}"
            })
    void whatIsOfAnotherTypeIsMalformed(String migration) {
        assertThatThrownBy(() -> active.judge(Reviews.create(migration))).isInstanceOf(MalformedReviewException.class);
    }
}
