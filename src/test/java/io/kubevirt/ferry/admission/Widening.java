package io.kubevirt.ferry.admission;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.zjsonpatch.JsonPatch;
import io.kubevirt.ferry.placement.NodeMatcher;
import io.kubevirt.ferry.placement.NodeView;
import java.util.List;
import java.util.Optional;

/** Whether an answer lets an object go where it might not go before. */
final class Widening {
    static final String REQUIRED = "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution";

    private Widening() {}

    /** What is wrong with an answer; empty if nothing is. */
    static Optional<String> of(JsonNode object, JsonNode response, List<NodeView> nodes) {
        Optional<NodeMatcher> before = matcher(object);
        Optional<NodeMatcher> after = matcher(patched(object, response));
        if (before.isEmpty()) {
            return Optional.empty();
        }
        if (after.isEmpty()) {
            return Optional.of("the affinity can no longer be read");
        }
        return nodes.stream()
                .filter(node -> after.get().matches(node.name(), node.labels()))
                .filter(node -> !before.get().matches(node.name(), node.labels()))
                .map(node -> "wider for node " + node)
                .findFirst();
    }

    static JsonNode patched(JsonNode object, JsonNode response) {
        return response.has("patch")
                ? JsonPatch.apply(
                        Reviews.patchOf(Reviews.JSON.createObjectNode().set("response", response)), object)
                : object.deepCopy();
    }

    /** Which nodes the required affinity of a pod lets it go to; empty if that is not of its type. */
    static Optional<NodeMatcher> matcher(JsonNode pod) {
        JsonNode required = pod.at(REQUIRED);
        if (required.isMissingNode() || required.isNull()) {
            return Optional.of(NodeMatcher.ofRequired(null));
        }
        try {
            return Optional.ofNullable(Reviews.JSON.treeToValue(required, NodeSelector.class))
                    .map(NodeMatcher::of);
        } catch (JsonProcessingException e) {
            return Optional.empty();
        }
    }
}
