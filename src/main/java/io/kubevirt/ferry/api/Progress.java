package io.kubevirt.ferry.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
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
        @JsonPropertyDescription("Whether there may be something to undo or to take off.") @Required
        boolean open,

        @JsonPropertyDescription("How far it has come towards the change of the VM.") @Required
        Step step,

        @JsonPropertyDescription("What is to become of it; it never goes back to Run.") @Required
        Verdict verdict,

        @JsonPropertyDescription("Why the verdict is what it is, in one word.") @Required
        String reason,

        @JsonPropertyDescription("Why the verdict is what it is.") @Required
        String message,

        @JsonPropertyDescription("Which claims the guest was on when it was looked for after an abort.") @Nullable Guest guest,

        @JsonPropertyDescription("Whether the sources stay whatever their reclaim policy says.") @Required
        boolean keepSources,

        @JsonPropertyDescription("Whether the guest may have been handed over unseen just before the VM ended.")
        @Required
        boolean handOverUnseen,

        @JsonPropertyDescription("What is waited for with a limit.") @Nullable Waiting waiting) {

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
    public record Waiting(
            @JsonPropertyDescription("What it is.") @Required
            String reason,

            @JsonPropertyDescription("Since when.") @Required
            String since) {
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

    /** Another verdict for the same reason. */
    public Progress with(Verdict next) {
        return with(next, reason, message);
    }

    /** The same verdict for another reason. */
    public Progress saying(String why, String words) {
        return with(verdict, why, words);
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

    /** To be begun again from that step. */
    public Progress reopened(Step from) {
        return new Progress(true, from, verdict, reason, message, guest, keepSources, handOverUnseen, null);
    }

    public Optional<Guest> seenGuest() {
        return Optional.ofNullable(guest);
    }

    public Optional<Waiting> awaited() {
        return Optional.ofNullable(waiting);
    }
}
