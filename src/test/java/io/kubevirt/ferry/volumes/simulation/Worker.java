package io.kubevirt.ferry.volumes.simulation;

import io.kubevirt.ferry.api.VolumeMigrationStatus;
import io.kubevirt.ferry.volumes.Action;
import io.kubevirt.ferry.volumes.Decision;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The operator at work on one VolumeMigration: observe, decide, write the status, do one thing. */
final class Worker {
    private static final long FIRST_RETRY = 500;
    private static final long LONG_PAUSE = 120_000;

    private final Operator operator;
    private final Request request;

    @Nullable private Reading reading;
    /** The status to write, with the version that was read; null when there is none to write. */
    @Nullable private Recording recording;

    @Nullable private Action action;

    /** Something is to be looked at, whether anything changes or not: after a start, a write, a failure. */
    private boolean due = true;

    private long seen;
    /** The version of the cluster when the last observation began. */
    private long looked;

    private long lookAgain;
    private long notBefore;
    private int failures;

    record Recording(long version, VolumeMigrationStatus status) {}

    Worker(Operator operator, Request request) {
        this.operator = operator;
        this.request = request;
    }

    boolean busy() {
        return reading != null || recording != null || action != null;
    }

    /** When the write of a paused operator is made at the earliest. */
    long until() {
        return notBefore;
    }

    boolean aboutToWrite() {
        return recording != null || action != null;
    }

    /** An unfinished piece of work that goes on without its operator knowing that it was replaced. */
    Worker detached(long until) {
        var late = new Worker(operator, request);
        late.recording = recording;
        late.action = action;
        late.looked = looked;
        late.notBefore = until;
        return late;
    }

    void offer(Menu menu) {
        if (reading != null) {
            menu.offer(Move.OPERATOR_READS, request.name, this::read);
        } else if (aboutToWrite()) {
            menu.offer(recording != null ? Move.OPERATOR_RECORDS : Move.OPERATOR_ACTS, request.name, this::write);
        } else if (operator.now() < notBefore) {
            menu.wakeAt(notBefore, operator.now());
        } else if (due || seen != operator.changes() || operator.now() >= lookAgain) {
            menu.offer(Move.OPERATOR_READS, request.name, this::begin);
        } else {
            menu.wakeAt(lookAgain, operator.now());
        }
    }

    /** The change that is there now stays untold. */
    void miss() {
        seen = operator.changes();
    }

    /** Is told of a change that there is not. */
    void hear() {
        due = true;
    }

    private void begin() {
        due = false;
        seen = operator.changes();
        looked = seen;
        reading = operator.reading(request);
        read();
    }

    private void read() {
        var current = Story.present(reading);
        do {
            current.next();
        } while (!current.complete() && !operator.interrupted());
        if (current.complete()) {
            reading = null;
            decide(current);
        }
    }

    private void decide(Reading read) {
        var observation = read.observation();
        Decision decision = operator.decide(observation);
        var version = Long.parseLong(observation.migration().getMetadata().getResourceVersion());
        recording =
                Objects.equals(Optional.ofNullable(observation.migration().getStatus()), Optional.of(decision.status()))
                        ? null
                        : new Recording(version, decision.status());
        action = decision.action().orElse(null);
        lookAgain = decision.again().map(d -> operator.now() + d.toMillis()).orElse(Long.MAX_VALUE);
    }

    private void write() {
        switch (operator.mishap()) {
            case NONE -> end(perform());
            case CRASH_BEFORE -> operator.restart();
            case CRASH_AFTER -> {
                perform();
                operator.restart();
            }
            case LOST_WRITE -> end(false);
            case LOST_ANSWER -> {
                perform();
                end(false);
            }
            case PAUSE -> operator.pause(this, 0);
            case LONG_PAUSE -> operator.pause(this, LONG_PAUSE);
        }
    }

    /** Makes the next pending write; an unsuccessful one ends the work. */
    boolean perform() {
        boolean done;
        if (recording != null) {
            var pending = recording;
            recording = null;
            done = operator.record(request, pending);
        } else {
            var pending = Story.present(action);
            action = null;
            done = operator.act(pending, looked);
        }
        if (!done) {
            action = null;
        }
        return done;
    }

    private void end(boolean done) {
        due = true;
        if (done) {
            failures = 0;
        } else {
            recording = null;
            action = null;
            notBefore = operator.now() + (FIRST_RETRY << Math.min(failures++, 6));
        }
    }

    void restart(long at) {
        reading = null;
        recording = null;
        action = null;
        due = true;
        notBefore = at;
        failures = 0;
    }
}
