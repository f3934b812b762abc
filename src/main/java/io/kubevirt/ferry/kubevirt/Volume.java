package io.kubevirt.ferry.kubevirt;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * One entry of {@code spec.volumes} of a VM or VMI, kept whole: what is put back has to be exactly what was there, fields
 * that we do not know included. The JSON must not be changed by whoever gets it.
 */
public record Volume(ObjectNode json) {
    private static final String CLAIM = "persistentVolumeClaim";
    private static final String DATA_VOLUME = "dataVolume";
    private static final String MEMORY_DUMP = "memoryDump";

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public Volume {}

    @JsonValue
    @Override
    public ObjectNode json() {
        return json;
    }

    public String name() {
        return json.path("name").asText();
    }

    /** The claim whose content is this volume: that of a {@code persistentVolumeClaim} or of a {@code dataVolume}. */
    public Optional<String> claim() {
        return text(json.path(CLAIM).path("claimName"))
                .or(() -> text(json.path(DATA_VOLUME).path("name")));
    }

    /** The claim that a memory dump of the guest is written to. */
    public Optional<String> dump() {
        return text(json.path(MEMORY_DUMP).path("claimName"));
    }

    /** Every claim that this volume names, also those that are only read or dumped to. */
    public Set<String> claims() {
        var names = new TreeSet<String>();
        claim().ifPresent(names::add);
        text(json.path("ephemeral").path(CLAIM).path("claimName")).ifPresent(names::add);
        dump().ifPresent(names::add);
        return names;
    }

    /** Whether an attachment pod mounts it and not the launcher. */
    public boolean hotpluggable() {
        return json.path(CLAIM).path("hotpluggable").asBoolean()
                || json.path(DATA_VOLUME).path("hotpluggable").asBoolean()
                || json.path(MEMORY_DUMP).path("hotpluggable").asBoolean();
    }

    /** This volume on another claim: a {@code dataVolume} becomes a {@code persistentVolumeClaim}, everything else stays. */
    public Volume on(String claim) {
        var moved = json.deepCopy();
        var source = moved.remove(DATA_VOLUME);
        var target = moved.withObject("/" + CLAIM);
        if (source != null && source.path("hotpluggable").asBoolean()) {
            target.put("hotpluggable", true);
        }
        target.put("claimName", claim);
        return new Volume(moved);
    }

    private static Optional<String> text(JsonNode node) {
        return node.isTextual() ? Optional.of(node.textValue()) : Optional.empty();
    }
}
