package io.kubevirt.ferry.placement;

import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import java.util.List;

/** What came of reading a term: the term, or everything that is wrong with it. */
public sealed interface TermReading {

    /** A term that Kubernetes would accept and that has at least one requirement. */
    record Valid(NodeSelectorTerm term) implements TermReading {}

    /** Not a term; {@code errors} is never empty, and bounded in number and length however long the text was. */
    record Invalid(List<FieldError> errors) implements TermReading {
        public Invalid {
            errors = List.copyOf(errors);
        }
    }
}
