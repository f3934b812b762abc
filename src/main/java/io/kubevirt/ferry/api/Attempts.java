package io.kubevirt.ferry.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.List;

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
public record Attempts(String lastBefore, List<String> before, String current, List<String> failed, String handedOver) {
    public static final Attempts NONE = new Attempts("", List.of(), "", List.of(), "");

    public Attempts {
        before = before == null ? List.of() : List.copyOf(before);
        failed = failed == null ? List.of() : List.copyOf(failed);
    }
}
