package io.kubevirt.ferry.volumes.simulation;

import org.jspecify.annotations.Nullable;

/** When people act: after so many transitions, or right after the first transition of a kind. */
record Cue(int steps, @Nullable Move move, Event event) {
    static Cue after(int steps, Event event) {
        return new Cue(steps, null, event);
    }

    static Cue after(Move move, Event event) {
        return new Cue(0, move, event);
    }

    boolean due(int now, Trace trace) {
        return now >= steps && (move == null || trace.count(move) > 0);
    }
}
