package io.kubevirt.ferry.placement;

import static io.kubevirt.ferry.placement.Cluster.affinity;
import static io.kubevirt.ferry.placement.Cluster.cordoned;
import static io.kubevirt.ferry.placement.Cluster.labelled;
import static io.kubevirt.ferry.placement.Cluster.node;
import static io.kubevirt.ferry.placement.Cluster.rackR7;
import static io.kubevirt.ferry.placement.Cluster.requiring;
import static io.kubevirt.ferry.placement.Cluster.selecting;
import static io.kubevirt.ferry.placement.Cluster.tainted;
import static io.kubevirt.ferry.placement.Cluster.term;
import static io.kubevirt.ferry.placement.Cluster.unreachable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class WarningsTest {

    private static final NodeView ONE = node("node-1");
    private static final NodeView TWO = node("node-2");
    private static final String NONE_OF_2 = "none of the 2 nodes that match the added term can take the VM now";
    private static final String NOT_THE_ONE = "the one node that matches the added term cannot take the VM now";

    private static Demands named(String... nodes) {
        String requirements = Stream.of(nodes)
                .map(node -> "{key: metadata.name, operator: In, values: [" + node + "]}")
                .reduce((a, b) -> a + ", " + b)
                .orElseThrow();
        return new Demands(
                term("{matchFields: [" + requirements + "]}"),
                Map.of(),
                Optional.empty(),
                List.of(),
                Optional.of("node-0"));
    }

    private static Arguments situation(String name, Demands demands, List<NodeView> nodes, String... warnings) {
        return arguments(Named.named(name, demands), nodes, List.of(warnings));
    }

    static Stream<Arguments> situations() {
        return Stream.of(
                situation("a node qualifies", rackR7(), List.of(ONE, cordoned(TWO))),
                situation("no node at all", rackR7(), List.of(), "no node matches the added term"),
                situation(
                        "no node matches",
                        rackR7(),
                        List.of(labelled(ONE, "rack", "r8")),
                        "no node matches the added term"),
                situation(
                        "a node that is not there",
                        named("node-9"),
                        List.of(ONE, TWO),
                        "no node matches the added term: there is no node node-9"),
                situation(
                        "two names at once, though both are there",
                        named("node-1", "node-2"),
                        List.of(ONE, TWO),
                        "no node matches the added term"),
                situation(
                        "only the VM's own node",
                        rackR7(),
                        List.of(cordoned(node("node-0")), labelled(ONE, "rack", "r8")),
                        "the added term matches only node-0, the node that the VM is on, to which it cannot migrate"),
                situation(
                        "the VM's own node and another that is cordoned",
                        rackR7(),
                        List.of(node("node-0"), cordoned(ONE)),
                        NONE_OF_2,
                        "where the VM is: node-0",
                        "cordoned: node-1"),
                situation(
                        "cordoned",
                        rackR7(),
                        List.of(cordoned(ONE), cordoned(TWO)),
                        NONE_OF_2,
                        "cordoned: node-1 and node-2"),
                situation(
                        "not ready", named("node-1"), List.of(unreachable(ONE), TWO), NOT_THE_ONE, "not ready: node-1"),
                situation(
                        "not ready for VMs",
                        rackR7(),
                        List.of(labelled(ONE, NodeRules.FOR_MACHINES, "false")),
                        NOT_THE_ONE,
                        "not ready for VMs (label kubevirt.io/schedulable is not true): node-1"),
                situation(
                        "tainted, each taint by itself",
                        rackR7(),
                        List.of(
                                tainted(ONE, "gpu", "true", "NoSchedule"),
                                tainted(tainted(TWO, "gpu", "true", "NoSchedule"), "night", "", "NoExecute")),
                        NONE_OF_2,
                        "tainted gpu=true:NoSchedule, which the VM does not tolerate: node-1 and node-2",
                        "tainted night:NoExecute, which the VM does not tolerate: node-2"),
                situation(
                        "a host-model CPU that the node lacks, or has otherwise",
                        selecting(rackR7(), Map.of("host-model-cpu.node.kubevirt.io/Skylake", "true")),
                        List.of(ONE, labelled(TWO, "host-model-cpu.node.kubevirt.io/Skylake", "false")),
                        NONE_OF_2,
                        "without the label host-model-cpu.node.kubevirt.io/Skylake=true, which the VM's node selector wants: node-1 and node-2"),
                situation(
                        "the VM's own affinity",
                        requiring(rackR7(), affinity("{matchExpressions: [{key: gpu, operator: Exists}]}")),
                        List.of(ONE),
                        NOT_THE_ONE,
                        "not matched by the VM's node affinity: node-1"),
                situation(
                        "five names, then a count",
                        rackR7(),
                        IntStream.rangeClosed(1, 9)
                                .mapToObj(i -> cordoned(node("node-" + i)))
                                .toList(),
                        "none of the 9 nodes that match the added term can take the VM now",
                        "cordoned: node-1, node-2, node-3, node-4, node-5 and 4 more"),
                situation(
                        "seven reasons, then a count",
                        selecting(
                                rackR7(),
                                Map.of(
                                        "a", "", "b", "", "c", "", "d", "", "e", "", "f", "", "g", "", "h", "", "i",
                                        "")),
                        List.of(ONE),
                        NOT_THE_ONE,
                        "without the label a=, which the VM's node selector wants: node-1",
                        "without the label b=, which the VM's node selector wants: node-1",
                        "without the label c=, which the VM's node selector wants: node-1",
                        "without the label d=, which the VM's node selector wants: node-1",
                        "without the label e=, which the VM's node selector wants: node-1",
                        "without the label f=, which the VM's node selector wants: node-1",
                        "without the label g=, which the VM's node selector wants: node-1",
                        "and 2 more reasons"));
    }

    @ParameterizedTest
    @MethodSource("situations")
    void whatIsToldAtOnce(Demands demands, List<NodeView> nodes, List<String> warnings) {
        assertThat(Warnings.of(demands, nodes)).isEqualTo(warnings);
    }
}
