package io.kubevirt.ferry.admission;

import java.util.Optional;

/** Judges the requests of one kind. */
public interface Admission {
    /** A word for metrics and logs, such as {@code migration}. */
    String name();

    /**
     * The verdict on one request. Called on any thread, several at once.
     *
     * @throws MalformedReviewException if the object lacks what every object of its kind has, or has it of another type
     */
    Verdict judge(Admitted request);

    /**
     * The verdict where it can be given without asking anybody; empty where it cannot. Never blocks.
     *
     * @throws MalformedReviewException as {@link #judge} does
     */
    default Optional<Verdict> judgeAtOnce(Admitted request) {
        return Optional.empty();
    }
}
