package io.kubevirt.ferry.controller;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.kubevirt.ferry.admission.Surroundings;
import io.kubevirt.ferry.placement.Demands;
import io.kubevirt.ferry.placement.NodeView;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The surroundings of migrations: nodes from the cache, a VMI by one live read. */
public final class ClusterSurroundings implements Surroundings {
    private static final Logger log = LoggerFactory.getLogger(ClusterSurroundings.class);
    private static final ObjectMapper JSON =
            new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    private final Caches caches;
    private final KubernetesClient client;
    private final Deadline deadline;

    /**
     * @param deadline of a live read
     */
    public ClusterSurroundings(Caches caches, KubernetesClient client, Deadline deadline) {
        this.caches = caches;
        this.client = client;
        this.deadline = deadline;
    }

    @Override
    public Optional<Demands> demands(String namespace, String vmi, NodeSelectorTerm term) {
        String uri = "/apis/kubevirt.io/v1/namespaces/" + namespace + "/virtualmachineinstances/" + vmi;
        return switch (deadline.await(() -> client.raw(uri, "GET", null))) {
            case Deadline.Outcome.Answer<String>(Optional<String> text) -> text.flatMap(json -> read(json, term));
            case Deadline.Outcome.NoAnswer<String>(String why) -> {
                log.debug("no warnings for VMI {}/{}: {}", namespace, vmi, why);
                yield Optional.empty();
            }
        };
    }

    private static Optional<Demands> read(String text, NodeSelectorTerm term) {
        try {
            JsonNode instance = JSON.readTree(text);
            JsonNode spec = instance.path("spec");
            return Optional.of(new Demands(
                    term,
                    spec.path("nodeSelector").isObject()
                            ? JSON.convertValue(spec.path("nodeSelector"), new TypeReference<Map<String, String>>() {})
                            : Map.of(),
                    spec.path("affinity").isObject()
                            ? Optional.of(JSON.treeToValue(spec.path("affinity"), Affinity.class))
                            : Optional.empty(),
                    spec.path("tolerations").isArray()
                            ? JSON.convertValue(spec.path("tolerations"), new TypeReference<List<Toleration>>() {})
                            : List.of(),
                    Optional.of(instance.at("/status/nodeName").asText()).filter(name -> !name.isEmpty())));
        } catch (JsonProcessingException | IllegalArgumentException e) {
            log.warn("a VMI that cannot be read gets no warnings: {}", e.getMessage());
            return Optional.empty();
        }
    }

    @Override
    public List<NodeView> nodes() {
        return caches.nodes();
    }

    @Override
    public boolean fieldIsKubeVirts() {
        return caches.fieldIsKubeVirts();
    }
}
