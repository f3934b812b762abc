package io.kubevirt.ferry.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * What to put back on the VM.
 *
 * @param volumes the changed volumes, whole
 * @param dataVolumeTemplates the dropped templates, whole
 * @param updateVolumesStrategy empty for none: a merge patch would lose a null
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Before(
        List<ObjectNode> volumes, List<DroppedTemplate> dataVolumeTemplates, String updateVolumesStrategy) {
    public Before {
        volumes = volumes == null ? List.of() : List.copyOf(volumes);
        dataVolumeTemplates = dataVolumeTemplates == null ? List.of() : List.copyOf(dataVolumeTemplates);
    }

    /** A template and its place in the list. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record DroppedTemplate(int index, ObjectNode template) {}
}
