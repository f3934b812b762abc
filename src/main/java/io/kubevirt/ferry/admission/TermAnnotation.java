package io.kubevirt.ferry.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import io.kubevirt.ferry.patch.JsonPatch;
import java.util.Optional;

/** The annotation of a migration that carries its term. */
final class TermAnnotation {
    private static final String POINTER = "/metadata/annotations/" + JsonPatch.step(DirectedMigration.ANNOTATION);

    private TermAnnotation() {}

    /** Its text; empty for an ordinary migration. */
    static Optional<String> of(JsonNode migration) {
        return Admitted.text(migration, "metadata", "annotations", DirectedMigration.ANNOTATION);
    }

    /** What puts it onto a migration that has none. */
    static JsonPatch with(JsonNode migration, String text) {
        JsonPatch patch = JsonPatch.start();
        Admitted.requireObject(migration, "/metadata");
        if (!Admitted.isObject(migration, "/metadata/annotations")) {
            patch.add("/metadata/annotations", JsonNodeFactory.instance.objectNode());
        }
        return patch.add(POINTER, TextNode.valueOf(text));
    }
}
