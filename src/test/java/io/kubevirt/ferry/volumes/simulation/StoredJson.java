package io.kubevirt.ferry.volumes.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/** The model's objects as the JSON that a patch is applied to, and back. Empty maps and lists are absent, as in the API. */
final class StoredJson {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private StoredJson() {}

    static ObjectNode of(Vm vm) {
        var json = object(vm.name, vm.uid, vm.version);
        metadata(json).put("generation", vm.generation);
        put(metadata(json), "annotations", vm.annotations);
        var spec = json.putObject("spec");
        if (vm.strategy != null) {
            spec.put("updateVolumesStrategy", vm.strategy);
        }
        if (!vm.templates.isEmpty()) {
            var templates = spec.putArray("dataVolumeTemplates");
            vm.templates.forEach(template -> templates.add(ReadModels.template(template)));
        }
        var volumes = spec.putObject("template").putObject("spec").putArray("volumes");
        vm.volumes.forEach(volume -> volumes.add(ReadModels.volume(volume).json()));
        return json;
    }

    static void into(Vm vm, JsonNode json) {
        vm.annotations = map(json.path("metadata").path("annotations"));
        var spec = json.path("spec");
        vm.strategy = spec.has("updateVolumesStrategy")
                ? spec.path("updateVolumesStrategy").asText()
                : null;
        var templates = new ArrayList<Vm.Template>();
        spec.path("dataVolumeTemplates").forEach(template -> templates.add(ReadModels.template((ObjectNode) template)));
        vm.templates = List.copyOf(templates);
        var volumes = new ArrayList<Volume>();
        spec.path("template")
                .path("spec")
                .path("volumes")
                .forEach(volume -> volumes.add(ReadModels.volume((ObjectNode) volume)));
        vm.volumes = List.copyOf(volumes);
    }

    static ObjectNode of(Vmi vmi) {
        var json = object(vmi.name, vmi.uid, vmi.version);
        put(metadata(json), "labels", vmi.labels);
        put(metadata(json), "finalizers", vmi.finalizers);
        return json;
    }

    static void into(Vmi vmi, JsonNode json) {
        vmi.labels = map(json.path("metadata").path("labels"));
        vmi.finalizers = new LinkedHashSet<>(list(json.path("metadata").path("finalizers")));
    }

    static ObjectNode of(Request request) {
        var json = object(request.name, request.uid, request.version);
        put(metadata(json), "finalizers", request.finalizers);
        if (request.status != null) {
            var status = json.putObject("status");
            request.status.run().ifPresent(run -> status.putObject("original").put("run", run.run()));
        }
        return json;
    }

    static void into(Request request, JsonNode json) {
        request.finalizers = list(json.path("metadata").path("finalizers"));
    }

    static ObjectNode of(Claim claim) {
        var json = object(claim.name, claim.uid, claim.version);
        put(metadata(json), "annotations", claim.annotations);
        return json;
    }

    static ObjectNode of(DataVolume dataVolume) {
        var json = object(dataVolume.name, dataVolume.uid, dataVolume.version);
        put(metadata(json), "annotations", dataVolume.annotations);
        return json;
    }

    static Map<String, String> annotations(JsonNode json) {
        return map(json.path("metadata").path("annotations"));
    }

    private static ObjectNode object(String name, String uid, long version) {
        var json = JSON.objectNode();
        json.putObject("metadata").put("name", name).put("uid", uid).put("resourceVersion", Long.toString(version));
        return json;
    }

    private static ObjectNode metadata(ObjectNode json) {
        return (ObjectNode) json.path("metadata");
    }

    private static void put(ObjectNode json, String field, Map<String, String> values) {
        if (!values.isEmpty()) {
            var object = json.putObject(field);
            values.forEach(object::put);
        }
    }

    private static void put(ObjectNode json, String field, Collection<String> values) {
        if (!values.isEmpty()) {
            var array = json.putArray(field);
            values.forEach(array::add);
        }
    }

    private static Map<String, String> map(JsonNode json) {
        var map = new LinkedHashMap<String, String>();
        json.properties()
                .forEach(entry -> map.put(entry.getKey(), entry.getValue().asText()));
        return map;
    }

    private static List<String> list(JsonNode json) {
        var list = new ArrayList<String>();
        json.forEach(item -> list.add(item.asText()));
        return list;
    }
}
