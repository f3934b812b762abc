package io.kubevirt.ferry.placement;

import static io.kubevirt.ferry.placement.Cluster.affinity;
import static io.kubevirt.ferry.placement.Cluster.cordoned;
import static io.kubevirt.ferry.placement.Cluster.labelled;
import static io.kubevirt.ferry.placement.Cluster.node;
import static io.kubevirt.ferry.placement.Cluster.rackR7;
import static io.kubevirt.ferry.placement.Cluster.requiring;
import static io.kubevirt.ferry.placement.Cluster.selecting;
import static io.kubevirt.ferry.placement.Cluster.tainted;
import static io.kubevirt.ferry.placement.Cluster.tolerating;
import static io.kubevirt.ferry.placement.Cluster.unreachable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Named.named;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.Toleration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class NodeRulesTest {

    private static final String RACK_R7 = "{key: rack, operator: In, values: [r7]}";
    private static final String HAS_GPU = "{key: gpu, operator: Exists}";

    private static final Toleration EVERYTHING = new Toleration(null, null, "Exists", null, null);
    private static final Toleration GPU = new Toleration("NoSchedule", "gpu", "Exists", null, null);
    private static final Toleration CORDONS =
            new Toleration("NoSchedule", "node.kubernetes.io/unschedulable", "Exists", null, null);

    private static Obstacle.Tainted taint(String key, String value, String effect) {
        return new Obstacle.Tainted(new Taint(effect, key, null, value));
    }

    private static Obstacle lacks(String label, String wanted) {
        return new Obstacle.NodeSelector(label, wanted, Optional.empty());
    }

    private static Arguments place(String name, Demands demands, NodeView node, Obstacle... obstacles) {
        return arguments(named(name, demands), node, List.of(obstacles));
    }

    static Stream<Arguments> places() {
        NodeView node = node("node-1");
        return Stream.of(
                place("nothing is against a node that matches", rackR7(), node),
                place("the term does not match", rackR7(), labelled(node, "rack", "r8"), new Obstacle.AddedTerm()),
                place("the VM is there", rackR7(), node("node-0"), new Obstacle.CurrentNode()),
                place(
                        "the node is not ready",
                        rackR7(),
                        new NodeView("node-1", node.labels(), List.of(), false, false),
                        new Obstacle.NotReady()),
                place("its taints repeat that it is not ready", rackR7(), unreachable(node), new Obstacle.NotReady()),
                place(
                        "not ready is an obstacle whatever the VM tolerates",
                        tolerating(rackR7(), EVERYTHING),
                        unreachable(node),
                        new Obstacle.NotReady()),
                place(
                        "a ready node from which the taint has not gone yet",
                        rackR7(),
                        tainted(node, "node.kubernetes.io/not-ready", "", "NoSchedule"),
                        taint("node.kubernetes.io/not-ready", "", "NoSchedule")),
                place(
                        "every pod tolerates such a taint with NoExecute for a while",
                        rackR7(),
                        tainted(node, "node.kubernetes.io/unreachable", "", "NoExecute")),
                place(
                        "the node is cordoned, which its taint repeats",
                        rackR7(),
                        cordoned(node),
                        new Obstacle.Cordoned()),
                place("a VM that tolerates cordons", tolerating(rackR7(), CORDONS), cordoned(node)),
                place("a VM that tolerates everything", tolerating(rackR7(), EVERYTHING), cordoned(node)),
                place(
                        "a VM that tolerates something else",
                        tolerating(rackR7(), GPU),
                        cordoned(node),
                        new Obstacle.Cordoned()),
                place(
                        "the taint of a cordon that is being taken off",
                        rackR7(),
                        tainted(node, "node.kubernetes.io/unschedulable", "", "NoSchedule"),
                        taint("node.kubernetes.io/unschedulable", "", "NoSchedule")),
                place(
                        "KubeVirt's label is missing",
                        rackR7(),
                        new NodeView("node-1", Map.of("rack", "r7"), List.of(), false, true),
                        new Obstacle.NotForMachines()),
                place(
                        "KubeVirt's label is false",
                        rackR7(),
                        labelled(node, NodeRules.FOR_MACHINES, "false"),
                        new Obstacle.NotForMachines()),
                place(
                        "KubeVirt's label is said once, though the pod's node selector has it",
                        selecting(rackR7(), Map.of(NodeRules.FOR_MACHINES, "true")),
                        labelled(node, NodeRules.FOR_MACHINES, "false"),
                        new Obstacle.NotForMachines()),
                place(
                        "a taint",
                        rackR7(),
                        tainted(node, "gpu", "true", "NoSchedule"),
                        taint("gpu", "true", "NoSchedule")),
                place(
                        "a taint that the VM tolerates",
                        tolerating(rackR7(), GPU),
                        tainted(node, "gpu", "true", "NoSchedule")),
                place("a taint that only deters", rackR7(), tainted(node, "gpu", "true", "PreferNoSchedule")),
                place(
                        "two taints, one of them tolerated",
                        tolerating(rackR7(), GPU),
                        tainted(tainted(node, "gpu", "true", "NoSchedule"), "gpu", "true", "NoExecute"),
                        taint("gpu", "true", "NoExecute")),
                place(
                        "a label of the node selector that is missing",
                        selecting(rackR7(), Map.of("cpu-model.node.kubevirt.io/Skylake", "true", "rack", "r7")),
                        node,
                        lacks("cpu-model.node.kubevirt.io/Skylake", "true")),
                place(
                        "a label of the node selector that differs",
                        selecting(rackR7(), Map.of("zone", "a")),
                        labelled(node, "zone", "b"),
                        new Obstacle.NodeSelector("zone", "a", Optional.of("b"))),
                place(
                        "labels of the node selector that are missing, in order",
                        selecting(rackR7(), Map.of("b", "1", "a", "", "rack", "r8")),
                        node,
                        lacks("a", ""),
                        lacks("b", "1"),
                        new Obstacle.NodeSelector("rack", "r8", Optional.of("r7"))),
                place(
                        "the VM's affinity",
                        requiring(rackR7(), affinity("{matchExpressions: [" + HAS_GPU + "]}")),
                        node,
                        new Obstacle.NodeAffinity()),
                place(
                        "the affinity of its pod, into which the term was ANDed",
                        requiring(rackR7(), affinity("{matchExpressions: [" + HAS_GPU + ", " + RACK_R7 + "]}")),
                        node,
                        new Obstacle.NodeAffinity()),
                place(
                        "the term in the pod's affinity is not taken for the VM's",
                        requiring(rackR7(), affinity("{matchExpressions: [" + HAS_GPU + ", " + RACK_R7 + "]}")),
                        labelled(labelled(node, "rack", "r8"), "gpu", ""),
                        new Obstacle.AddedTerm()),
                place(
                        "the VM's affinity beside the term",
                        requiring(rackR7(), affinity("{matchExpressions: [" + HAS_GPU + ", " + RACK_R7 + "]}")),
                        labelled(node, "rack", "r8"),
                        new Obstacle.AddedTerm(),
                        new Obstacle.NodeAffinity()),
                place(
                        "an affinity that is the term and nothing else",
                        requiring(rackR7(), affinity("{matchExpressions: [" + RACK_R7 + "]}")),
                        labelled(node, "rack", "r8"),
                        new Obstacle.AddedTerm()),
                place(
                        "an affinity that matches nothing",
                        requiring(rackR7(), affinity("{}")),
                        node,
                        new Obstacle.NodeAffinity()),
                place(
                        "one term of the affinity is enough",
                        requiring(rackR7(), affinity("{}", "{matchExpressions: [" + HAS_GPU + "]}")),
                        labelled(node, "gpu", "")),
                place(
                        "all at once",
                        requiring(
                                selecting(rackR7(), Map.of("zone", "a")),
                                affinity("{matchExpressions: [" + HAS_GPU + "]}")),
                        tainted(new NodeView("node-0", Map.of(), List.of(), true, false), "dedicated", "", "NoExecute"),
                        new Obstacle.AddedTerm(),
                        new Obstacle.CurrentNode(),
                        new Obstacle.NotReady(),
                        new Obstacle.Cordoned(),
                        new Obstacle.NotForMachines(),
                        taint("dedicated", "", "NoExecute"),
                        lacks("zone", "a"),
                        new Obstacle.NodeAffinity()));
    }

    @ParameterizedTest
    @MethodSource("places")
    void whatIsAgainstANode(Demands demands, NodeView node, List<Obstacle> obstacles) {
        assertThat(NodeRules.of(demands).obstacles(node)).isEqualTo(obstacles);
    }

    @Test
    void aCurrentNodeThatIsNotKnownIsNoObstacle() {
        Demands demands = new Demands(rackR7().term(), Map.of(), Optional.empty(), List.of(), Optional.empty());
        assertThat(NodeRules.of(demands).obstacles(node("node-0"))).isEmpty();
    }

    static Stream<Arguments> messages() {
        return Stream.of(
                arguments(new Obstacle.AddedTerm(), "does not match the added term"),
                arguments(new Obstacle.CurrentNode(), "is the node that the VM is on"),
                arguments(new Obstacle.NotReady(), "is not ready"),
                arguments(new Obstacle.Cordoned(), "is cordoned"),
                arguments(
                        new Obstacle.NotForMachines(),
                        "is not ready for VMs (label kubevirt.io/schedulable is not true)"),
                arguments(
                        taint("gpu", "true", "NoSchedule"),
                        "has the taint gpu=true:NoSchedule that the VM does not tolerate"),
                arguments(taint("gpu", "", "NoExecute"), "has the taint gpu:NoExecute that the VM does not tolerate"),
                arguments(lacks("zone", "a"), "lacks the label zone=a that the VM's node selector wants"),
                arguments(
                        new Obstacle.NodeSelector("zone", "a", Optional.of("b")),
                        "has the label zone=b where the VM's node selector wants a"),
                arguments(new Obstacle.NodeAffinity(), "does not match the VM's node affinity"));
    }

    @ParameterizedTest
    @MethodSource("messages")
    void howItIsSaid(Obstacle obstacle, String message) {
        assertThat(obstacle.message()).isEqualTo(message);
    }

    /** Whether one looks at the VM's affinity or at that of the pod, which has the term in it. */
    @Property
    void onNodesThatMatchTheTermTheAffinitySaysTheSameWithTheTermAndWithoutIt(@ForAll long seed) {
        var random = new RandomTerms(new SplittableRandom(seed));
        NodeSelectorTerm term = random.any();
        Optional<Affinity> without = Optional.ofNullable(random.affinity());
        Affinity with = NarrowedAffinity.and(without.orElse(null), term).affinity();
        NodeMatcher matcher = NodeMatcher.of(term);
        assertThat(random.nodes())
                .filteredOn(node -> matcher.matches(node.name(), node.labels()))
                .allSatisfy(node -> assertThat(NodeMatcher.ofRequiredBeyond(term, Optional.of(with))
                                .matches(node.name(), node.labels()))
                        .isEqualTo(NodeMatcher.ofRequired(without.orElse(null)).matches(node.name(), node.labels()))
                        .isEqualTo(NodeMatcher.ofRequiredBeyond(term, without).matches(node.name(), node.labels())));
    }
}
