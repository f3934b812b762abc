package io.kubevirt.ferry.manager;

import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * The requests that are not answered yet, and the bytes of their bodies, each no more than its limit. Changed on the
 * server's event loop alone, read anywhere.
 *
 * <p>Where one more request or byte would be too many, the oldest whose body is not complete gives way: an honest body
 * comes at once, so whoever sends slowly keeps nobody out but himself.
 */
final class Load {
    /** A request as long as its body is not complete. */
    interface Incomplete {
        /** Answers that there is no room, and ends. */
        void giveWay(String why);
    }

    private final Limits limits;
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicInteger bytes = new AtomicInteger();
    private final Set<Incomplete> incomplete = new LinkedHashSet<>();

    Load(Limits limits) {
        this.limits = limits;
    }

    /** How many requests have come in and are not answered yet. */
    int requests() {
        return requests.get();
    }

    /** How many bytes of bodies are held for them. */
    int bytes() {
        return bytes.get();
    }

    void began(Incomplete request) {
        requests.incrementAndGet();
        incomplete.add(request);
    }

    /** Makes room for a request that has begun; false if there is none. */
    boolean hasRoomFor(Incomplete request) {
        return makeRoom(request, () -> requests.get() <= limits.requests(), "requests", limits.requests());
    }

    /** Makes room for bytes of a request, and counts them; false if there is none. */
    boolean hasRoomFor(Incomplete request, int more) {
        if (!makeRoom(request, () -> bytes.get() + more <= limits.bodies(), "bytes", limits.bodies())) {
            return false;
        }
        bytes.addAndGet(more);
        return true;
    }

    private boolean makeRoom(Incomplete wanting, BooleanSupplier room, String what, int limit) {
        while (!room.getAsBoolean()) {
            Optional<Incomplete> oldest = incomplete.stream().findFirst();
            if (oldest.isEmpty() || oldest.get() == wanting) {
                return false;
            }
            oldest.get()
                    .giveWay(
                            "more than %d %s at once, and this one has been incomplete longest".formatted(limit, what));
        }
        return true;
    }

    void completed(Incomplete request) {
        incomplete.remove(request);
    }

    void ended(Incomplete request, int itsBytes) {
        incomplete.remove(request);
        requests.decrementAndGet();
        bytes.addAndGet(-itsBytes);
    }
}
