package io.kubevirt.ferry.cli;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What made a command fail, in one line for whoever ran it: the words of the API server, or those of each cause. */
final class Failure {
    private static final int MOST_CAUSES = 8;

    private Failure() {}

    static String words(Throwable failure) {
        List<String> said = new ArrayList<>();
        @Nullable Throwable cause = failure;
        for (int i = 0; cause != null && i < MOST_CAUSES; i++) {
            String words = Optional.ofNullable(ofApiServer(cause))
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

    private static @Nullable String ofApiServer(Throwable cause) {
        return cause instanceof KubernetesClientException refused && refused.getStatus() != null
                ? refused.getStatus().getMessage()
                : null;
    }
}
