package io.kubevirt.ferry.manager;

import java.time.Duration;

/**
 * How much of the webhook server others can take up, and for how long.
 *
 * @param body bytes of one body
 * @param bodies bytes of all bodies of requests that are not answered yet
 * @param requests how many are not answered yet
 * @param connections how many are open
 * @param ahead how many requests may come on a connection of HTTP/1 before the first of them has its answer
 * @param answer from the head of a request to its answer
 * @param firstRequest from the opening of a connection, TLS included, to the head of its first request
 * @param idle how long nothing at all may happen on a connection
 * @param farewell how long what still comes is read after a request was refused before its end: whoever sends without
 *     reading meanwhile would else not see why
 */
record Limits(
        int body,
        int bodies,
        int requests,
        int connections,
        int ahead,
        Duration answer,
        Duration firstRequest,
        Duration idle,
        Duration farewell) {
    private static final int MIB = 1024 * 1024;

    /**
     * What an API server never reaches and a container of few hundred MiB can bear.
     *
     * <p>A body: two objects of the largest size that the API server takes (3 MiB), and their envelope. A review has some
     * 20 KiB, and an API server sends a few at once on one or two connections.
     */
    static Limits answeringWithin(Duration answer) {
        return new Limits(
                7 * MIB,
                14 * MIB,
                256,
                512,
                8,
                answer,
                Duration.ofSeconds(30),
                Duration.ofSeconds(120),
                Duration.ofSeconds(2));
    }
}
