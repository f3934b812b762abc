package io.kubevirt.ferry.admission;

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
}
