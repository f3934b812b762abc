package io.kubevirt.ferry.cli;

import io.kubevirt.ferry.controller.Refusal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What made a command fail, in one line for whoever ran it: the words of the API server, or those of each cause.
 *
 * <p>{@link Refusal} tells an admin of one request that failed; here it can be anything, on the way down to its cause.
 */
final class Failure {
    private static final int MOST_CAUSES = 8;

    private Failure() {}

    static String words(Throwable failure) {
        List<String> said = new ArrayList<>();
        @Nullable Throwable cause = failure;
        for (int i = 0; cause != null && i < MOST_CAUSES; i++) {
            String words = Refusal.answer(cause)
                    .orElse(String.valueOf(cause.getMessage()))
                    .strip()
                    .replaceAll("\\s+", " ");
            if (said.stream().noneMatch(before -> before.contains(words))) {
                said.add(words.endsWith(".") ? words.substring(0, words.length() - 1) : words);
            }
            cause = cause.getCause();
        }
        return String.join(": ", said);
    }
}
