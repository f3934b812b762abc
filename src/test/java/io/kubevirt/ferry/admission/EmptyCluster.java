package io.kubevirt.ferry.admission;

import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.kubevirt.ferry.placement.Demands;
import io.kubevirt.ferry.placement.NodeView;
import java.util.List;
import java.util.Optional;

/** Surroundings of which nobody knows anything. */
final class EmptyCluster implements Surroundings {
    @Override
    public Optional<Demands> demands(String namespace, String vmi, NodeSelectorTerm term) {
        return Optional.empty();
    }

    @Override
    public List<NodeView> nodes() {
        return List.of();
    }

    @Override
    public boolean fieldIsKubeVirts() {
        return false;
    }
}
