package io.kubevirt.ferry.volumes.simulation;

import io.fabric8.kubernetes.api.model.Pod;
import io.kubevirt.ferry.api.VolumeMigration;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstance;
import io.kubevirt.ferry.volumes.Decider;
import io.kubevirt.ferry.volumes.Decision;
import io.kubevirt.ferry.volumes.Fence;
import io.kubevirt.ferry.volumes.Observation;
import io.kubevirt.ferry.volumes.Settings;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The decision core as it is. */
public final class Cores {
    public static final Core PROTOCOL = of(Decider.PROTOCOL);

    private Cores() {}

    /** A decider with the fence as it is. */
    public static Core of(Decider decider) {
        return new Core() {
            @Override
            public Decision decide(Observation seen, Instant now) {
                return decider.decide(seen, Settings.DEFAULT, now);
            }

            @Override
            public boolean letsIn(
                    Pod pod, Optional<VirtualMachineInstance> instance, List<VolumeMigration> migrations) {
                return !Fence.concerns(pod)
                        || Fence.refusal(pod, instance, migrations).isEmpty();
            }
        };
    }
}
