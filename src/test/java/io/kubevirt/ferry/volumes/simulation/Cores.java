package io.kubevirt.ferry.volumes.simulation;

import com.fasterxml.jackson.databind.node.ArrayNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.kubevirt.ferry.api.VolumeMigration;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstance;
import io.kubevirt.ferry.volumes.Action;
import io.kubevirt.ferry.volumes.Decider;
import io.kubevirt.ferry.volumes.Decision;
import io.kubevirt.ferry.volumes.Fence;
import io.kubevirt.ferry.volumes.Mutation;
import io.kubevirt.ferry.volumes.Observation;
import io.kubevirt.ferry.volumes.Patches;
import io.kubevirt.ferry.volumes.Settings;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** The decision core as it is, and as it is not. */
final class Cores {
    static final Core PROTOCOL = new Core() {
        @Override
        public Decision decide(Observation seen, Instant now) {
            return Decider.PROTOCOL.decide(seen, Settings.DEFAULT, now);
        }

        @Override
        public ArrayNode patch(Action.Patch action) {
            return Patches.of(action);
        }

        @Override
        public boolean letsIn(
                Pod pod,
                Optional<VirtualMachineInstance> instance,
                List<VolumeMigration> migrations,
                Supplier<List<Pod>> pods) {
            return Fence.refusal(pod, instance, migrations, pods).isEmpty();
        }
    };

    private Cores() {}

    static Core of(Mutation mutation) {
        return new Core() {
            @Override
            public Decision decide(Observation seen, Instant now) {
                return mutation.decider().decide(seen, Settings.DEFAULT, now);
            }

            @Override
            public ArrayNode patch(Action.Patch action) {
                return mutation.patch(action);
            }

            @Override
            public boolean letsIn(
                    Pod pod,
                    Optional<VirtualMachineInstance> instance,
                    List<VolumeMigration> migrations,
                    Supplier<List<Pod>> pods) {
                return mutation.letsIn(pod, instance, migrations, pods);
            }
        };
    }
}
