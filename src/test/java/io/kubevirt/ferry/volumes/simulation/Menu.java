package io.kubevirt.ferry.volumes.simulation;

import java.util.ArrayList;
import java.util.List;

/** The transitions that are possible now, and the time at which the next one becomes possible by itself. */
final class Menu {
    /** A transition: what it is, what it is done to, and the doing. */
    record Offer(Move move, String subject, Runnable action) {}

    private final List<Offer> offers = new ArrayList<>();
    private long alarm = Long.MAX_VALUE;

    void offer(Move move, String subject, Runnable action) {
        offers.add(new Offer(move, subject, action));
    }

    /** Nothing to do before this time; a time in the past is no alarm. */
    void wakeAt(long time, long now) {
        if (time > now && time < alarm) {
            alarm = time;
        }
    }

    void clear() {
        offers.clear();
        alarm = Long.MAX_VALUE;
    }

    List<Offer> offers() {
        return offers;
    }

    /** Milliseconds, or {@link Long#MAX_VALUE} when nothing will ever happen by itself. */
    long alarm() {
        return alarm;
    }
}
