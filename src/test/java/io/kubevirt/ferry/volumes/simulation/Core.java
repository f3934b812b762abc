package io.kubevirt.ferry.volumes.simulation;

import com.fasterxml.jackson.databind.node.ArrayNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.kubevirt.ferry.api.VolumeMigration;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstance;
import io.kubevirt.ferry.volumes.Action;
import io.kubevirt.ferry.volumes.Decision;
import io.kubevirt.ferry.volumes.Observation;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** What decides: the real decision core, or a mutation of it. */
interface Core {
    Decision decide(Observation seen, Instant now);

    /** What the operator sends to the API. */
    ArrayNode patch(Action.Patch action);

    /** Whether the fence lets a target pod in. */
    boolean letsIn(
            Pod pod,
            Optional<VirtualMachineInstance> instance,
            List<VolumeMigration> migrations,
            Supplier<List<Pod>> pods);
}
