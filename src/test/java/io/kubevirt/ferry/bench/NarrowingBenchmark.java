package io.kubevirt.ferry.bench;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.NodeSelectorTermBuilder;
import io.kubevirt.ferry.placement.NarrowedAffinity;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The AND of a pod's affinity and a term. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class NarrowingBenchmark {
    /** How many required terms the pod has; one, if its owner gave at most one. */
    @Param({"1", "4", "16", "64"})
    public int terms;

    private Affinity affinity = new Affinity();
    private NodeSelectorTerm added = new NodeSelectorTerm();

    public NarrowingBenchmark() {}

    @Setup
    public void setUp() {
        List<NodeSelectorTerm> required = IntStream.range(0, terms)
                .mapToObj(i -> new NodeSelectorTermBuilder()
                        .addToMatchExpressions(
                                in("topology.kubernetes.io/zone", "zone-" + i),
                                in("disk", "ssd", "nvme"),
                                new NodeSelectorRequirement(
                                        "node-labeller.kubevirt.io/obsolete-host-model", "DoesNotExist", List.of()))
                        .build())
                .toList();
        affinity = new AffinityBuilder()
                .withNewNodeAffinity()
                .withNewRequiredDuringSchedulingIgnoredDuringExecution()
                .withNodeSelectorTerms(required)
                .endRequiredDuringSchedulingIgnoredDuringExecution()
                .endNodeAffinity()
                .build();
        added = new NodeSelectorTermBuilder()
                .addToMatchExpressions(in("rack", "r7", "r8"))
                .addToMatchFields(new NodeSelectorRequirement("metadata.name", "NotIn", List.of("node-17")))
                .build();
    }

    private static NodeSelectorRequirement in(String key, String... values) {
        return new NodeSelectorRequirement(key, "In", List.of(values));
    }

    @Benchmark
    public NarrowedAffinity and() {
        return NarrowedAffinity.and(affinity, added);
    }
}
