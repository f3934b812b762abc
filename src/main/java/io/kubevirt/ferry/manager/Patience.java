package io.kubevirt.ferry.manager;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.kubevirt.ferry.controller.Refusal;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tries what needs the API server until it works, with growing pauses: a cluster that starts is no reason to crash. */
final class Patience {
    private static final Logger log = LoggerFactory.getLogger(Patience.class);
    private static final Duration SHORTEST = Duration.ofMillis(250);
    private static final Duration LONGEST = Duration.ofSeconds(15);

    private final String what;

    Patience(String what) {
        this.what = what;
    }

    /**
     * The result of the first try that throws no {@link KubernetesClientException}.
     *
     * @param waiting is told why, after each try that fails
     */
    <T> T until(Supplier<T> attempt, Consumer<String> waiting) throws InterruptedException {
        Duration pause = SHORTEST;
        while (true) {
            try {
                return attempt.get();
            } catch (KubernetesClientException e) {
                String why = Refusal.words(e);
                log.warn("{}: {}; trying again in {} ms", what, why, pause.toMillis());
                waiting.accept(why);
            }
            Thread.sleep(pause);
            pause = pause.multipliedBy(2).compareTo(LONGEST) < 0 ? pause.multipliedBy(2) : LONGEST;
        }
    }
}
