package io.kubevirt.ferry.controller;

import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** What came of a request to the API server that failed, for an admin. */
public final class Refusal {
    private Refusal() {}

    /** What the API server said, in its own words and without the request; or why it was not reached. */
    public static String said(KubernetesClientException e) {
        return answer(e).or(() -> brokenConnection(e)).orElseGet(() -> String.valueOf(e.getMessage()));
    }

    /** What the API server said, in its own words; empty if it is not one of its answers. */
    public static Optional<String> answer(Throwable e) {
        return e instanceof KubernetesClientException refused
                ? Optional.ofNullable(refused.getStatus()).map(Status::getMessage)
                : Optional.empty();
    }

    /** The same, with what to do where the manager lacks a right. */
    public static String words(KubernetesClientException e) {
        return e.getCode() == HttpURLConnection.HTTP_FORBIDDEN
                ? said(e) + ": `kubectl apply -k deploy` gives it the rights that it needs"
                : said(e);
    }

    /** The client itself says then only what it was asked to do. */
    private static Optional<String> brokenConnection(KubernetesClientException e) {
        return Stream.<Throwable>iterate(e, Objects::nonNull, Throwable::getCause)
                .filter(IOException.class::isInstance)
                .reduce((outer, inner) -> inner)
                .map(Throwable::toString);
    }
}
