package io.kubevirt.ferry.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How far a run is.
 *
 * @param open whether there may be something to undo
 * @param reason why the verdict is what it is, one of the reasons of the conditions
 * @param guest where the guest is, once looked after an abort
 * @param keepSources whether the sources stay whatever the policy says
 * @param handOverUnseen whether the guest may have been handed over unseen just before its VMI ended
 * @param waiting what is waited for with a limit
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Progress(
        boolean open,
        Step step,
        Verdict verdict,
        String reason,
        String message,
        @Nullable Guest guest,
        boolean keepSources,
        boolean handOverUnseen,
        @Nullable Waiting waiting) {

    /** How far forward it has come, up to the change of the VM. */
    public enum Step {
        /** Finalizer and this record are written. */
        Recorded,
        /** Hold and fence have been seen on the VMI. */
        Held,
        /** A list made after that showed no unfinished VMIM. */
        Quiet,
        /** The lock has been seen on the VM: from now on the VM may be changed. */
        Locked,
        /** The VM has been seen to name the destinations. */
        Changed
    }

    /** Which claims hold the newest data. */
    public enum Guest {
        Sources,
        Destinations
    }

    /** What is waited for, and since when (RFC 3339). */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Waiting(String reason, String since) {
        public Instant start() {
            return Instant.parse(since);
        }
    }

    public static Progress start() {
        return new Progress(true, Step.Recorded, Verdict.Run, "", "", null, false, false, null);
    }

    public Progress with(Step next) {
        return new Progress(open, next, verdict, reason, message, guest, keepSources, handOverUnseen, null);
    }

    public Progress with(Verdict next, String why, String words) {
        return new Progress(open, step, next, why, words, guest, keepSources, handOverUnseen, null);
    }

    public Progress with(Guest seen) {
        return new Progress(open, step, verdict, reason, message, seen, keepSources, handOverUnseen, waiting);
    }

    public Progress waitingFor(Optional<Waiting> next) {
        return new Progress(
                open, step, verdict, reason, message, guest, keepSources, handOverUnseen, next.orElse(null));
    }

    public Progress keepingSources() {
        return new Progress(open, step, verdict, reason, message, guest, true, handOverUnseen, waiting);
    }

    public Progress withHandOverUnseen() {
        return new Progress(open, step, verdict, reason, message, guest, keepSources, true, waiting);
    }

    public Progress closed() {
        return new Progress(false, step, verdict, reason, message, guest, keepSources, handOverUnseen, null);
    }

    public Optional<Guest> seenGuest() {
        return Optional.ofNullable(guest);
    }

    public Optional<Waiting> awaited() {
        return Optional.ofNullable(waiting);
    }
}
