package io.kubevirt.ferry.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import java.util.List;
import java.util.stream.Stream;

/**
 * The VMIMs of a run, by UID.
 *
 * @param lastBefore the {@code migrationUid} of the VMI when the run began, empty for none: what it says is old
 * @param before VMIMs that were over when the run began
 * @param current the one last seen unfinished, empty for none
 * @param failed those that failed or were deleted
 * @param handedOver one after which the guest was seen on the destinations, empty for none
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Attempts(
        @JsonPropertyDescription(
                "The migration that the VirtualMachineInstance told of when the run began, by UID, empty for none.")
        @Required
        String lastBefore,

        @JsonPropertyDescription("Migrations that were over when the run began, by UID.") @Required
        List<String> before,

        @JsonPropertyDescription("The migration last seen under way, by UID, empty for none.") @Required
        String current,

        @JsonPropertyDescription("Migrations that failed or were deleted, by UID.") @Required
        List<String> failed,

        @JsonPropertyDescription("A migration after which the guest ran on the destinations, by UID, empty for none.")
        @Required
        String handedOver) {
    public static final Attempts NONE = new Attempts("", List.of(), "", List.of(), "");

    public Attempts {
        before = before == null ? List.of() : List.copyOf(before);
        failed = failed == null ? List.of() : List.copyOf(failed);
    }

    /** An unfinished one is seen. */
    public Attempts underWay(String uid) {
        return new Attempts(lastBefore, before, uid, failed, handedOver);
    }

    public Attempts withFailed(String uid) {
        var more = Stream.concat(failed.stream(), Stream.of(uid)).toList();
        return new Attempts(lastBefore, before, current.equals(uid) ? "" : current, more, handedOver);
    }

    public Attempts withHandedOver(String uid) {
        return new Attempts(lastBefore, before, current, failed, uid);
    }
}
