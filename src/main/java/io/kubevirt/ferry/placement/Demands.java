package io.kubevirt.ferry.placement;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.Toleration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the target pod of a directed migration demands of its node, resources aside.
 *
 * @param term the added term
 * @param nodeSelector the VM's, or that of its pod, which has what KubeVirt adds
 * @param affinity the VM's or its pod's; it is all the same whether the term has been ANDed into it
 * @param tolerations the VM's or its pod's; those for unready nodes that Kubernetes gives every pod go without saying
 * @param currentNode the node the VM is on, to which it cannot migrate; empty if it is not known
 */
public record Demands(
        NodeSelectorTerm term,
        Map<String, String> nodeSelector,
        Optional<Affinity> affinity,
        List<Toleration> tolerations,
        Optional<String> currentNode) {}
