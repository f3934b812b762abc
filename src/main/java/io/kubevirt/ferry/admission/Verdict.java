package io.kubevirt.ferry.admission;

import com.fasterxml.jackson.databind.node.ArrayNode;
import io.kubevirt.ferry.placement.FieldError;
import java.util.List;

/** What admission says of one request. */
public sealed interface Verdict {
    /** The object passes as it is. */
    record Allowed(List<String> warnings) implements Verdict {
        /** Passes without a word. */
        public static Allowed silently() {
            return new Allowed(List.of());
        }
    }

    /** The object passes with a JSON patch (RFC 6902) applied to it. */
    record Patched(ArrayNode patch, List<String> warnings) implements Verdict {}

    /** The object is refused: each error names its field and the way out. At least one. */
    record Denied(List<FieldError> errors) implements Verdict {
        /** Refused for one field. */
        public static Denied because(String field, String message) {
            return new Denied(List.of(new FieldError(field, message)));
        }
    }
}
