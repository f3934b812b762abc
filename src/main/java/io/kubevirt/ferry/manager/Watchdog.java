package io.kubevirt.ferry.manager;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Notices watches that are dead and do not come back although the API server answers: a connection that ends while it is
 * being set up can be lost on the HTTP client. Only a new process helps then, so liveness fails.
 *
 * <p>As long as the API server does not answer nothing is wrong with us.
 */
final class Watchdog {
    private final Supplier<List<String>> deadWatches;
    private final BooleanSupplier apiAnswers;
    private final Duration patience;
    private Optional<Instant> since = Optional.empty();

    /**
     * @param deadWatches names the watches that are not connected now
     * @param apiAnswers asked only when there is one; may block
     * @param patience how long one may be down
     */
    Watchdog(Supplier<List<String>> deadWatches, BooleanSupplier apiAnswers, Duration patience) {
        this.deadWatches = deadWatches;
        this.apiAnswers = apiAnswers;
        this.patience = patience;
    }

    /** Looks; what is wrong is in the result. To be called every few seconds. */
    synchronized Optional<String> look(Instant now) {
        List<String> dead = deadWatches.get();
        if (dead.isEmpty() || !apiAnswers.getAsBoolean()) {
            since = Optional.empty();
            return Optional.empty();
        }
        Instant first = since.orElse(now);
        since = Optional.of(first);
        return Duration.between(first, now).compareTo(patience) < 0
                ? Optional.empty()
                : Optional.of("no watch of " + String.join(", ", dead) + " since " + first);
    }
}
