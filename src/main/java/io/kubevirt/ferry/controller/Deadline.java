package io.kubevirt.ferry.controller;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Asks the API server and waits no longer than a deadline. */
public final class Deadline {
    /** What came back in time. */
    public sealed interface Outcome<T> {
        /** The API server answered; empty: there is no such object. */
        record Answer<T>(Optional<T> value) implements Outcome<T> {}

        /** It did not, or not with what was asked for. */
        record NoAnswer<T>(String why) implements Outcome<T> {}
    }

    private final Executor executor;
    private final Duration longest;

    /**
     * @param executor in which each question blocks a thread
     */
    public Deadline(Executor executor, Duration longest) {
        this.executor = executor;
        this.longest = longest;
    }

    /** What the question comes back with, null standing for nothing there. */
    <T> Outcome<T> await(Supplier<@Nullable T> question) {
        CompletableFuture<@Nullable T> answer = CompletableFuture.supplyAsync(question, executor);
        try {
            return new Outcome.Answer<>(Optional.ofNullable(answer.get(longest.toMillis(), TimeUnit.MILLISECONDS)));
        } catch (TimeoutException e) {
            answer.cancel(true);
            return new Outcome.NoAnswer<>("no answer within " + longest.toMillis() + " ms");
        } catch (ExecutionException e) {
            return failed(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Outcome.NoAnswer<>("interrupted");
        }
    }

    private static <T> Outcome<T> failed(Throwable why) {
        if (!(why instanceof KubernetesClientException refused)) {
            return new Outcome.NoAnswer<>(String.valueOf(why.getMessage()));
        }
        return refused.getCode() == HttpURLConnection.HTTP_NOT_FOUND
                ? new Outcome.Answer<>(Optional.empty())
                : new Outcome.NoAnswer<>(Refusal.said(refused));
    }
}
