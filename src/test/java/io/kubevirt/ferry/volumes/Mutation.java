package io.kubevirt.ferry.volumes;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.fabric8.kubernetes.api.model.Pod;
import io.kubevirt.ferry.api.Progress.Guest;
import io.kubevirt.ferry.api.VolumeMigration;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstance;
import io.kubevirt.ferry.volumes.Move.Side;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Wrong variants of the decision core, one rule wrong in each, with the safety law (1 to 5) that it breaks. */
@SuppressWarnings("ImmutableEnumChecker")
public enum Mutation {
    /** Who names a source is not asked. */
    DELETES_CLAIMS_IN_USE(1, new Rules() {
        @Override
        boolean unused(View v, String claim) {
            return true;
        }
    }),

    /** The VM is changed though its VMI could be replaced meanwhile. */
    CHANGES_WITHOUT_HOLD(2, new Rules() {
        @Override
        boolean held(View v) {
            return true;
        }
    }),
    /** Any target pod is let in. */
    HAS_NO_FENCE(2, Rules.PROTOCOL) {
        @Override
        public boolean letsIn(
                Pod pod,
                Optional<VirtualMachineInstance> instance,
                List<VolumeMigration> migrations,
                Supplier<List<Pod>> pods) {
            return true;
        }
    },
    /** A migration is made as soon as there is none; the fence alone would still keep its pod out. */
    MIGRATES_TOO_EARLY(2, new Rules() {
        @Override
        boolean startable(View v) {
            return v.unfinished().isEmpty();
        }
    }) {
        @Override
        public boolean letsIn(
                Pod pod,
                Optional<VirtualMachineInstance> instance,
                List<VolumeMigration> migrations,
                Supplier<List<Pod>> pods) {
            return true;
        }
    },
    /** What VM and VMI name is taken for where the guest is. */
    BELIEVES_NAMES(2, new Rules() {
        @Override
        boolean moved(View v) {
            return v.unfinished().isEmpty() && v.guestIs(Side.Destinations);
        }
    }),
    /** The VM is put back while its guest may be handed over. */
    PUTS_BACK_WITHOUT_ABORT(2, new Rules() {
        @Override
        boolean aborted(View v) {
            return true;
        }
    }),
    /**
     * The VM is put back before KubeVirt has changed the VMI. That leaves {@code migratedVolumes}, which the protocol sees and
     * asks for a restart: no data is lost, but whether it comes to that depends on who was first.
     */
    PUTS_BACK_AT_ONCE(4, new Rules() {
        @Override
        boolean settled(View v) {
            return true;
        }
    }),
    /** What KubeVirt left of the migration is not looked at after a put back. */
    FORGETS_WHAT_KUBEVIRT_LEFT(2, new Rules() {
        @Override
        boolean back(View v) {
            return v.unfinished().isEmpty() && v.guestIs(Side.Sources);
        }
    }),
    /** Where the guest last ran is not looked for. */
    TAKES_SOURCES_FOR_NEWEST(2, new Rules() {
        @Override
        Optional<Guest> whereabouts(View v) {
            return Optional.of(Guest.Sources);
        }
    }),
    /** A new VMI may start from a VM as virt-controller has cached it. */
    LETS_GO_TOO_EARLY(2, new Rules() {
        @Override
        boolean releasable(View v) {
            return true;
        }
    }),

    /** The strategy stays as the run left it. */
    FORGETS_THE_STRATEGY(3, new Rules() {
        @Override
        Optional<Action> strategyBack(View v) {
            return Optional.empty();
        }
    }),

    /** Writes are sent without what must still hold for them. */
    WRITES_UNTESTED(4, Rules.PROTOCOL) {
        @Override
        public ArrayNode patch(Action.Patch action) {
            var untested = JsonNodeFactory.instance.arrayNode();
            Patches.of(action).forEach(operation -> {
                if (!operation.path("op").asText().equals("test")) {
                    untested.add(operation);
                }
            });
            return untested;
        }
    },

    /** That virt-controller has seen the VM is never believed. */
    WAITS_FOR_EVER(5, new Rules() {
        @Override
        boolean releasable(View v) {
            return false;
        }
    });

    private final int law;
    private final Decider decider;

    Mutation(int law, Rules rules) {
        this.law = law;
        this.decider = new Decider(rules);
    }

    public int law() {
        return law;
    }

    public Decider decider() {
        return decider;
    }

    /** Whether the fence lets a target pod in. */
    public boolean letsIn(
            Pod pod,
            Optional<VirtualMachineInstance> instance,
            List<VolumeMigration> migrations,
            Supplier<List<Pod>> pods) {
        return Fence.refusal(pod, instance, migrations, pods).isEmpty();
    }

    /** What is sent to the API. */
    public ArrayNode patch(Action.Patch action) {
        return Patches.of(action);
    }
}
