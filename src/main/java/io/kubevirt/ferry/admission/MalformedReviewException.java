package io.kubevirt.ferry.admission;

/**
 * The request is no AdmissionReview that an API server could have sent. The message says what is wrong with it, on one
 * line and not at length, whatever of the request is in it: it goes into the log and back to whoever sent the request.
 */
public final class MalformedReviewException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private static final int LONGEST = 300;

    public MalformedReviewException(String message) {
        super(line(message));
    }

    private static String line(String message) {
        var line = new StringBuilder();
        message.codePoints()
                .limit(LONGEST)
                .forEach(c -> line.appendCodePoint(isShown(c) ? c : Character.isWhitespace(c) ? ' ' : '?'));
        return message.codePointCount(0, message.length()) > LONGEST ? line + "…" : line.toString();
    }

    private static boolean isShown(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }
}
