package io.kubevirt.ferry.admission;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.kubevirt.ferry.patch.JsonPatch;
import io.kubevirt.ferry.placement.FieldError;
import io.kubevirt.ferry.placement.NarrowedAffinity;
import io.kubevirt.ferry.placement.TermReader;
import io.kubevirt.ferry.placement.TermReading;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The JSON patches that target pods get. Each touches the required node affinity, or our own gate, and nothing else. */
public final class TargetPodPatch {
    private static final String SPEC = "/spec";
    private static final String AFFINITY = SPEC + "/affinity";
    private static final String NODE_AFFINITY = AFFINITY + "/nodeAffinity";
    private static final String REQUIRED = NODE_AFFINITY + "/requiredDuringSchedulingIgnoredDuringExecution";
    private static final String GATES = SPEC + "/schedulingGates";

    private static final ObjectMapper JSON =
            new ObjectMapper().setDefaultPropertyInclusion(JsonInclude.Include.NON_EMPTY);

    /** What ANDing a term into a pod comes to. */
    public sealed interface Result {
        /** The pod changes by this patch. */
        record Changed(JsonPatch patch) implements Result {}

        /** The pod says already all that the term says. */
        record Unchanged() implements Result {}

        /** The text is no term: it got onto the migration when nobody checked it. */
        record InvalidTerm(List<FieldError> errors) implements Result {}
    }

    private TargetPodPatch() {}

    /**
     * The patch that ANDs a term into every required node selector term of a pod.
     *
     * @param text the annotation of the pod's migration
     * @throws MalformedReviewException if the pod's required node affinity is not of its type
     */
    public static Result narrow(JsonNode pod, String text) {
        return switch (TermReader.read(DirectedMigration.ANNOTATION_PATH, text)) {
            case TermReading.Invalid(List<FieldError> errors) -> new Result.InvalidTerm(errors);
            case TermReading.Valid(NodeSelectorTerm term) -> narrow(pod, term);
        };
    }

    private static Result narrow(JsonNode pod, NodeSelectorTerm term) {
        Admitted.requireObject(pod, SPEC);
        NarrowedAffinity narrowed = NarrowedAffinity.and(requiredAlone(pod.at(REQUIRED)), term);
        if (!narrowed.changed()) {
            return new Result.Unchanged();
        }
        NodeSelector required =
                narrowed.affinity().getNodeAffinity().getRequiredDuringSchedulingIgnoredDuringExecution();
        return new Result.Changed(place(pod, JSON.valueToTree(required)));
    }

    /** The part of an affinity that the AND looks at; the rest does not go through models that may lose some of it. */
    private static @Nullable Affinity requiredAlone(JsonNode required) {
        if (required.isMissingNode() || required.isNull()) {
            return null;
        }
        return new AffinityBuilder()
                .withNewNodeAffinity()
                .withRequiredDuringSchedulingIgnoredDuringExecution(selector(required))
                .endNodeAffinity()
                .build();
    }

    /** Puts the selector where it belongs, with the parents that are missing. */
    private static JsonPatch place(JsonNode pod, JsonNode selector) {
        JsonPatch patch = JsonPatch.start();
        for (String parent : List.of(AFFINITY, NODE_AFFINITY)) {
            if (!Admitted.isObject(pod, parent)) {
                patch.add(parent, JsonNodeFactory.instance.objectNode());
            }
        }
        // "add" replaces a member that is there.
        return patch.add(REQUIRED, selector);
    }

    private static NodeSelector selector(JsonNode tree) {
        try {
            return JSON.treeToValue(tree, NodeSelector.class);
        } catch (JsonProcessingException e) {
            throw new MalformedReviewException("request.object: required node affinity: " + e.getOriginalMessage());
        }
    }

    /** Whether our gate holds a pod. */
    public static boolean isGated(JsonNode pod) {
        return ungate(pod, JsonPatch.start());
    }

    /**
     * Appends what takes our gate off a pod to a patch; nothing if the pod does not have it. The gates of others stay.
     *
     * @return whether there is a gate to take off
     */
    public static boolean ungate(JsonNode pod, JsonPatch patch) {
        JsonNode gates = pod.at(GATES);
        for (int i = 0; i < gates.size(); i++) {
            if (gates.path(i).path("name").asText().equals(DirectedMigration.GATE)) {
                patch.test(GATES + "/" + i, gates.path(i)).remove(GATES + "/" + i);
                return true;
            }
        }
        return false;
    }

    /**
     * The patch that holds a pod back from the scheduler with our gate.
     *
     * @throws MalformedReviewException if the pod has no spec, or gates that are no list
     */
    public static ArrayNode gate(JsonNode pod) {
        Admitted.requireObject(pod, SPEC);
        ObjectNode gate = JsonNodeFactory.instance.objectNode().put("name", DirectedMigration.GATE);
        JsonPatch patch = JsonPatch.start();
        if (pod.at(GATES).isArray()) {
            return patch.add(GATES + "/-", gate).build();
        }
        if (!pod.at(GATES).isMissingNode() && !pod.at(GATES).isNull()) {
            throw new MalformedReviewException("request.object: " + GATES + ": want a list");
        }
        return patch.add(GATES, JsonNodeFactory.instance.arrayNode().add(gate)).build();
    }
}
