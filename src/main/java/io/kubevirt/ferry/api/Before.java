package io.kubevirt.ferry.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import java.util.List;
import java.util.stream.Stream;

/**
 * What to put back on the VM.
 *
 * @param volumes the changed volumes, whole
 * @param dataVolumeTemplates the dropped templates, whole
 * @param claims the source claims as they were, and the destinations as they were when the guest was found there:
 *     another one of the same name is none of ours
 * @param updateVolumesStrategy empty for none: a merge patch would lose a null
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Before(
        @JsonPropertyDescription("The changed volumes as they were, whole.") @Required
        List<ObjectNode> volumes,

        @JsonPropertyDescription("The dataVolumeTemplates that were dropped with them, whole.") @Required
        List<DroppedTemplate> dataVolumeTemplates,

        @JsonPropertyDescription(
                "The source claims, and the destinations once the guest is there: another one of the same name does not"
                        + " count.")
        @Required
        List<Claim> claims,

        @JsonPropertyDescription("The VM's updateVolumesStrategy, empty for none.") @Required
        String updateVolumesStrategy) {
    public Before {
        volumes = volumes == null ? List.of() : List.copyOf(volumes);
        dataVolumeTemplates = dataVolumeTemplates == null ? List.of() : List.copyOf(dataVolumeTemplates);
        claims = claims == null ? List.of() : List.copyOf(claims);
    }

    /** With claims known besides those that are. */
    public Before knowing(List<Claim> more) {
        var all = Stream.concat(claims.stream(), more.stream()).distinct().toList();
        return new Before(volumes, dataVolumeTemplates, all, updateVolumesStrategy);
    }

    /** Whether a claim can be the known one of that name, or none of that name is known. */
    public boolean mayBe(String name, String uid) {
        var known = claims.stream().filter(claim -> claim.name().equals(name)).toList();
        return known.isEmpty() || known.contains(new Claim(name, uid));
    }

    /** A claim by name and UID. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Claim(
            @JsonPropertyDescription("Its name.") @Required String name,

            @JsonPropertyDescription("Its UID.") @Required String uid) {}

    /** A template and its place in the list. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record DroppedTemplate(
            @JsonPropertyDescription("Its place in the list, from 0.") @Required @Min(0) int index,

            @JsonPropertyDescription("The template.") @Required
            ObjectNode template) {}
}
