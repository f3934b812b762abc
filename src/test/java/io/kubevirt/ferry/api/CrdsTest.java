package io.kubevirt.ferry.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CrdsTest {

    @Test
    void theCommittedCrdIsTheGeneratedOne() throws IOException {
        assertThat(Files.readString(Crds.FILE))
                .as("run `make crds` and commit what it writes")
                .isEqualTo(Crds.yaml());
    }

    @Test
    void everyFieldIsDescribed() {
        var missing = new ArrayList<String>();
        undescribed("", schema(), missing);
        assertThat(missing).isEmpty();
    }

    private static void undescribed(String path, JSONSchemaProps schema, List<String> missing) {
        schema.getProperties().forEach((name, property) -> {
            if (property.getDescription() == null) {
                missing.add(path + "." + name);
            }
            undescribed(path + "." + name, property, missing);
        });
        if (schema.getItems() != null) {
            undescribed(path + "[]", schema.getItems().getSchema(), missing);
        }
    }

    @Test
    void getAllDoesNotListIt() {
        assertThat(Crds.volumeMigration().getSpec().getNames().getCategories()).isEmpty();
    }

    private static JSONSchemaProps schema() {
        return Crds.volumeMigration()
                .getSpec()
                .getVersions()
                .getFirst()
                .getSchema()
                .getOpenAPIV3Schema();
    }
}
