package io.kubevirt.ferry.manager;

import io.netty.channel.Channel;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * The connections of a port, from when TCP has them: no more than so many, and none that waits for a request for ever.
 *
 * <p>One more, and another goes: of those on which nothing was admitted yet the oldest, be it in the middle of a TLS
 * handshake or of a head; where there is none, of the others that which was of no use for the longest time. So whoever
 * opens connections and leaves them displaces himself, not the API server.
 */
final class Connections {
    /** For who is not waited for: a request is under way, or there is more than one at a time (HTTP/2). */
    private static final long NEVER = Long.MAX_VALUE;

    private final Limits limits;
    private final LongSupplier nanoTime;
    private final long start;

    /** With the time until which they may wait for a request, in nanoseconds from the start. */
    private final Map<Channel, Long> strangers = new LinkedHashMap<>();

    private final Map<Channel, Long> known = new LinkedHashMap<>(16, 0.75f, true);

    /** @param nanoTime as {@link System#nanoTime} */
    Connections(Limits limits, LongSupplier nanoTime) {
        this.limits = limits;
        this.nanoTime = nanoTime;
        this.start = nanoTime.getAsLong();
    }

    private long now() {
        return nanoTime.getAsLong() - start;
    }

    /**
     * Takes one in that is not registered with an event loop yet.
     *
     * @return false if there is no room for it, which is so only when all others came in the same moment
     */
    synchronized boolean admit(Channel channel) {
        if (count() >= limits.connections() && !displaceOne()) {
            return false;
        }
        strangers.put(channel, now() + limits.firstRequest().toNanos());
        channel.closeFuture().addListener(closed -> forget(channel));
        return true;
    }

    private boolean displaceOne() {
        // One that is not registered yet cannot be closed by others.
        Optional<Channel> oldest = Stream.concat(strangers.keySet().stream(), known.keySet().stream())
                .filter(Channel::isRegistered)
                .findFirst();
        oldest.ifPresent(this::close);
        return oldest.isPresent();
    }

    private void close(Channel channel) {
        forget(channel);
        cut(channel);
    }

    /** Ends a connection at once. Closed otherwise it would wait until its peer has read all that was sent to it. */
    static void cut(Channel channel) {
        channel.eventLoop().execute(() -> channel.unsafe().close(channel.voidPromise()));
    }

    /** A request has come in on it. */
    synchronized void heard(Channel channel) {
        strangers.replace(channel, NEVER);
        known.replace(channel, NEVER);
    }

    /**
     * A request was answered on it.
     *
     * @param ofUse whether something was admitted
     * @param oneAtATime whether the next may come only now
     */
    synchronized void answered(Channel channel, boolean ofUse, boolean oneAtATime) {
        long until = oneAtATime ? now() + limits.idle().toNanos() : NEVER;
        strangers.replace(channel, until);
        known.replace(channel, until);
        if (ofUse && strangers.remove(channel) != null) {
            known.put(channel, until);
        }
    }

    /** Closes those on which a request was waited for too long. */
    synchronized void closeOverdue() {
        long now = now();
        List<Channel> overdue = Stream.concat(strangers.entrySet().stream(), known.entrySet().stream())
                .filter(each -> each.getValue() < now && each.getKey().isRegistered())
                .map(Map.Entry::getKey)
                .toList();
        overdue.forEach(this::close);
    }

    private synchronized void forget(Channel channel) {
        strangers.remove(channel);
        known.remove(channel);
    }

    synchronized int count() {
        return strangers.size() + known.size();
    }
}
