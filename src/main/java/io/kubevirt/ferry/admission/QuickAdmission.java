package io.kubevirt.ferry.admission;

import java.util.Optional;

/** An admission that mostly knows its verdict without waiting for anybody, which saves the change to a thread that may. */
public interface QuickAdmission extends Admission {
    /**
     * The verdict, or empty where {@link #judge} has to ask somebody first. Never blocks.
     *
     * @throws MalformedReviewException as {@link #judge} does
     */
    Optional<Verdict> judgeAtOnce(Admitted request);
}
