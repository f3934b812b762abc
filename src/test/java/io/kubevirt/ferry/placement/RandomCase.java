package io.kubevirt.ferry.placement;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.Toleration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A text to read as a term, a term to AND into the affinity of a pod, and nodes to which the pod may go or not.
 *
 * @param mangled whether characters of the text were changed at random, so that it may be anything
 */
record RandomCase(
        Kind kind,
        String text,
        boolean mangled,
        NodeSelectorTerm term,
        @Nullable Affinity existing,
        Map<String, String> nodeSelector,
        List<Toleration> tolerations,
        List<Oracle.Node> nodes) {

    /** What the text was made to be. */
    enum Kind {
        ACCEPTED("right terms"),
        REFUSED("wrong terms"),
        EDGE("edge values");

        private final String made;

        Kind(String made) {
            this.made = made;
        }

        String made() {
            return made;
        }
    }

    /** The case that follows from the two numbers; one in three of each kind. */
    static RandomCase of(long seed, int number) {
        var random = new SplittableRandom(seed * 1_000_003 + number);
        var terms = new RandomTerms(random);
        var texts = new RandomText(random);
        Kind kind = Kind.values()[number % Kind.values().length];
        boolean mangled = kind == Kind.EDGE && terms.once(3);
        NodeSelectorTerm term = switch (kind) {
            case ACCEPTED -> terms.valid();
            case REFUSED -> terms.once(2) ? terms.invalid() : terms.valid();
            case EDGE -> terms.edge();
        };
        String text = switch (kind) {
            case ACCEPTED -> texts.of(term);
            case REFUSED -> TermValidation.validate("", term).isEmpty() ? texts.broken(term) : texts.of(term);
            case EDGE -> mangled ? texts.mangled(terms.valid()) : texts.careless(term);
        };
        return new RandomCase(
                kind, text, mangled, term, terms.affinity(), terms.nodeSelector(), terms.tolerations(), terms.nodes());
    }
}
