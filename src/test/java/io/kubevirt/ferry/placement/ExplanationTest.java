package io.kubevirt.ferry.placement;

import static io.kubevirt.ferry.placement.Cluster.affinity;
import static io.kubevirt.ferry.placement.Cluster.cordoned;
import static io.kubevirt.ferry.placement.Cluster.labelled;
import static io.kubevirt.ferry.placement.Cluster.node;
import static io.kubevirt.ferry.placement.Cluster.rackR7;
import static io.kubevirt.ferry.placement.Cluster.requiring;
import static io.kubevirt.ferry.placement.Cluster.selecting;
import static io.kubevirt.ferry.placement.Cluster.tainted;
import static io.kubevirt.ferry.placement.Cluster.unreachable;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ExplanationTest {

    private static NodeView elsewhere(String name) {
        return labelled(node(name), "rack", "r8");
    }

    @Test
    void nodesThatQualifyAreCounted() {
        assertThat(Explanation.of(rackR7(), List.of(node("node-1"), node("node-2"), elsewhere("node-3")))
                        .summary())
                .isEqualTo("2 nodes qualify");
        assertThat(Explanation.of(rackR7(), List.of(node("node-0"), node("node-1")))
                        .summary())
                .isEqualTo("1 node qualifies");
        assertThat(Explanation.of(rackR7(), List.of(node("node-0"))).summary()).isEqualTo("no node qualifies");
    }

    @Test
    void onlyNodesThatMatchTheTermAreSpokenOf() {
        Explanation explanation = Explanation.of(rackR7(), List.of(elsewhere("node-3"), cordoned(node("node-1"))));
        assertThat(explanation.matching())
                .containsExactly(new Explanation.Judged("node-1", List.of(new Obstacle.Cordoned())));
    }

    @Test
    void withNoneThereIsNothingMoreToSay() {
        assertThat(Explanation.of(rackR7(), List.of()).reasons()).isEqualTo("no node matches the added term");
        assertThat(Explanation.of(rackR7(), List.of(elsewhere("node-3"))).reasons())
                .isEqualTo("no node matches the added term");
    }

    @Test
    void eachNodeHasItsReasonsAndThoseWithTheFewestComeFirst() {
        Demands demands = requiring(rackR7(), affinity("{matchExpressions: [{key: gpu, operator: Exists}]}"));
        List<NodeView> nodes = List.of(
                cordoned(node("node-1")),
                labelled(node("node-4"), "gpu", "a100"),
                labelled(unreachable(node("node-3")), "gpu", "a100"),
                tainted(labelled(node("node-2"), "gpu", "a100"), "gpu", "true", "NoSchedule"),
                node("node-0"));
        assertThat(Explanation.of(demands, nodes).reasons())
                .isEqualTo("of the nodes that match the added term,"
                        + " node-4 qualifies but for what the scheduler says;"
                        + " node-2 has the taint gpu=true:NoSchedule that the VM does not tolerate;"
                        + " node-3 is not ready;"
                        + " node-0 is the node that the VM is on and does not match the VM's node affinity;"
                        + " node-1 is cordoned and does not match the VM's node affinity");
    }

    @Test
    void ofANodeThreeReasonsAreToldThenACount() {
        Demands demands = selecting(rackR7(), Map.of("a", "1", "b", "1", "c", "1", "d", "1"));
        assertThat(Explanation.of(demands, List.of(cordoned(node("node-1")))).reasons())
                .isEqualTo("of the nodes that match the added term, node-1 is cordoned,"
                        + " lacks the label a=1 that the VM's node selector wants,"
                        + " lacks the label b=1 that the VM's node selector wants and 2 more");
    }

    @Test
    void fiveNodesAreToldThenACount() {
        List<NodeView> nodes = IntStream.range(1, 10)
                .mapToObj(i -> cordoned(node("node-" + i)))
                .toList();
        assertThat(Explanation.of(rackR7(), nodes).reasons())
                .contains("node-5 is cordoned")
                .doesNotContain("node-6")
                .endsWith("; and 4 more")
                .doesNotContain("\n");
    }
}
