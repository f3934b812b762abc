package io.kubevirt.ferry.admission;

/** The request is no AdmissionReview that an API server could have sent. The message says what is wrong with it. */
public final class MalformedReviewException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public MalformedReviewException(String message) {
        super(message);
    }
}
