package io.kubevirt.ferry.admission;

import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.kubevirt.ferry.placement.Demands;
import io.kubevirt.ferry.placement.NodeView;
import java.util.List;
import java.util.Optional;

/** What a directed migration meets in its cluster. */
public interface Surroundings {
    /**
     * What the target pod of a VMI demands of its node; empty if there is no such VMI, or no answer in time.
     *
     * @param term the added one
     */
    Optional<Demands> demands(String namespace, String vmi, NodeSelectorTerm term);

    /** The nodes of the cluster; empty as long as nobody has seen them. */
    List<NodeView> nodes();

    /** Whether KubeVirt's own definition of migrations has a field of the typed field's name, which is not ours then. */
    boolean fieldIsKubeVirts();
}
