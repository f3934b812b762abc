package io.kubevirt.ferry.directed;

import static io.kubevirt.ferry.admission.DirectedMigration.ANNOTATION;
import static io.kubevirt.ferry.directed.KubeVirtsDefinition.fields;
import static io.kubevirt.ferry.testbed.Patience.PATIENCE;
import static io.kubevirt.ferry.testbed.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.ResourceNotFoundException;
import io.kubevirt.ferry.standin.KubeVirtExtension;
import io.kubevirt.ferry.standin.Nodes;
import io.kubevirt.ferry.standin.VirtualMachines;
import io.kubevirt.ferry.standin.VirtualMachines.Migration;
import io.kubevirt.ferry.standin.VirtualMachines.VirtualMachine;
import io.kubevirt.ferry.testbed.ControlPlane;
import io.kubevirt.ferry.testbed.ControlPlaneExtension;
import io.kubevirt.ferry.testbed.Installation;
import io.kubevirt.ferry.testbed.OperatorProcess;
import io.kubevirt.ferry.testbed.OperatorUnderTest;
import io.kubevirt.ferry.testbed.ServiceStandIn;
import io.kubevirt.ferry.testbed.TestNamespace;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith({ControlPlaneExtension.class, KubeVirtExtension.class})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReplicasIT {
    private static final Map<String, String> POOL = Map.of("pool", "replicas");
    private static final List<String> NODES = List.of("replicas-1", "replicas-2", "replicas-3");
    private static final String GONE = "gone";
    private static final Duration A_MINUTE = Duration.ofMinutes(1);

    /** How a call ends whose other end is gone; what a replica answers reads otherwise. */
    private static final Pattern BROKEN =
            Pattern.compile("EOF|connection reset|connection refused|broken pipe|closed network connection");

    private ControlPlane controlPlane;
    private String namespace;
    private VirtualMachines machines;

    /**
     * A migration that came to its end.
     *
     * @param wanted the node that the term names; empty for an ordinary migration
     */
    private record Ended(Migration migration, Optional<String> wanted, String outcome, String node) {
        boolean isWhereItShould() {
            return outcome.equals("Succeeded") && wanted.stream().allMatch(node::equals);
        }
    }

    @BeforeAll
    void nodes(ControlPlane controlPlane, Nodes nodes) {
        this.controlPlane = controlPlane;
        Installation.apply(controlPlane.admin());
        NODES.forEach(name -> nodes.create(name, POOL));
    }

    @BeforeEach
    void given(TestNamespace namespace, VirtualMachines machines) {
        this.namespace = namespace.name();
        this.machines = machines;
    }

    @Test
    void whenTheLeaderIsKilledUnderLoadTheOtherReplicaGoesOn(@TempDir Path folder) throws Exception {
        List<VirtualMachine> directed = vms("directed", 3);
        List<VirtualMachine> ordinary = vms("ordinary", 2);
        try (ServiceStandIn service = ServiceStandIn.start();
                OperatorProcess leader = OperatorProcess.start(controlPlane, service.url(), folder)) {
            service.add(leader.webhookPort());
            eventually().until(this::leaseHolder, leader.identity()::equals);
            try (OperatorUnderTest other = OperatorUnderTest.start(controlPlane, service.url());
                    Load load = new Load(directed, ordinary)) {
                service.add(other.ports().webhooks());
                eventually().until(() -> load.eachHas(1));
                long failedOpen = failedOpen();

                leader.kill();
                service.remove(leader.webhookPort());
                eventually().until(() -> service.connectionsTo(leader.webhookPort()) == 0);
                load.mark();

                eventually().until(() -> load.eachHasSinceMark(2));
                eventually().until(this::leaseHolder, other.identity()::equals);
                load.stop();

                assertThat(load.refusals)
                        .allMatch(refusal -> BROKEN.matcher(refusal).find());
                assertThat(load.ended).extracting(Ended::outcome).containsOnly("Succeeded");
                // A pod whose admission was under way on the replica that died gets past us: no more than these, and
                // each says so.
                List<Ended> elsewhere = load.ended.stream()
                        .filter(ended -> !ended.isWhereItShould())
                        .toList();
                assertThat(elsewhere).hasSizeLessThanOrEqualTo((int) (failedOpen() - failedOpen));
                assertThat(load.ended)
                        .filteredOn(ended -> ended.wanted().isPresent())
                        .allSatisfy(ended -> assertSays(ended, elsewhere.contains(ended) ? "Bypassed" : "TermApplied"));
                assertThat(directed)
                        .allSatisfy(vm -> assertThat(placement(load.lastOf(vm))).isEqualTo("TermApplied"));
            }
        }
    }

    /** Meanwhile somebody puts KubeVirt's definition back, once: nobody fights about it for a minute. */
    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void ofFiftyDirectedMigrationsInARowBesideOrdinaryOnesNoneGoesElsewhere() throws Exception {
        KubeVirtsDefinition definition = new KubeVirtsDefinition(controlPlane);
        List<VirtualMachine> directed = vms("directed", 5);
        List<VirtualMachine> ordinary = vms("ordinary", 2);
        try (ServiceStandIn service = ServiceStandIn.start();
                OperatorUnderTest one = OperatorUnderTest.start(controlPlane, service.url());
                OperatorUnderTest other = OperatorUnderTest.start(controlPlane, service.url())) {
            service.add(one.ports().webhooks());
            service.add(other.ports().webhooks());
            eventually().until(() -> !fields(definition.get()).isEmpty());
            long writes = definition.writes();
            Instant end = Instant.now().plus(A_MINUTE);
            assertThat(fields(definition.putBack()))
                    .as("in what the writer gets back")
                    .hasSize(2);
            try (Load load = new Load(directed, ordinary)) {
                eventually().atMost(PATIENCE.multipliedBy(2)).until(() -> load.eachHas(10));
                load.stop();

                assertThat(load.refusals).isEmpty();
                assertThat(load.ended)
                        .filteredOn(ended -> ended.wanted().isPresent())
                        .hasSizeGreaterThanOrEqualTo(50);
                assertThat(load.ended).allMatch(Ended::isWhereItShould);
            }
            eventually().until(() -> Instant.now().isAfter(end));
            assertThat(definition.writes()).isEqualTo(writes + 1);
            assertThat(fields(definition.get())).hasSize(2);
        }
    }

    private List<VirtualMachine> vms(String name, int count) {
        List<VirtualMachine> created = IntStream.range(0, count)
                .mapToObj(i -> machines.vm(name + "-" + i)
                        .inNamespace(namespace)
                        .withNodeSelector(POOL)
                        .whoseMachine("ok copy=100ms step=20ms")
                        .create())
                .toList();
        created.forEach(VirtualMachine::waitUntilRunning);
        return created;
    }

    private String leaseHolder() {
        return Optional.ofNullable(controlPlane
                        .admin()
                        .leases()
                        .inNamespace("kubevirt-ferry")
                        .withName("kubevirt-ferry")
                        .get())
                .map(lease -> lease.getSpec().getHolderIdentity())
                .orElse("");
    }

    /** How many pods the API server let pass because no replica answered. */
    private long failedOpen() {
        return controlPlane
                .admin()
                .raw("/metrics")
                .lines()
                .filter(line -> line.startsWith("apiserver_admission_webhook_fail_open_count{")
                        && line.contains("\"target-pod.ferry.kubevirt.io\""))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    /** Of a VM's migrations that have ended KubeVirt keeps the last few: one that is gone says nothing any more. */
    private static void assertSays(Ended ended, String reason) {
        eventually().until(() -> placement(ended.migration()), said -> said.equals(reason) || said.equals(GONE));
    }

    /** The reason of the condition with which we say what became of the term; empty before. */
    private static String placement(Migration migration) {
        GenericKubernetesResource seen;
        try {
            seen = migration.get();
        } catch (ResourceNotFoundException e) {
            return GONE;
        }
        List<Map<String, Object>> conditions = seen.get("status", "conditions");
        return Optional.ofNullable(conditions).orElse(List.of()).stream()
                .filter(condition -> "TargetPlacement".equals(condition.get("type")))
                .map(condition -> String.valueOf(condition.get("reason")))
                .findFirst()
                .orElse("");
    }

    /** Migrates each VM again and again, until it is stopped. */
    private static final class Load implements AutoCloseable {
        private final ConcurrentLinkedQueue<Ended> ended = new ConcurrentLinkedQueue<>();
        private final ConcurrentLinkedQueue<String> refusals = new ConcurrentLinkedQueue<>();
        private final AtomicBoolean stopped = new AtomicBoolean();
        private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
        private final List<CompletableFuture<Void>> movers = new ArrayList<>();
        private final List<VirtualMachine> all = new ArrayList<>();
        private volatile int mark;

        Load(List<VirtualMachine> directed, List<VirtualMachine> ordinary) {
            all.addAll(directed);
            all.addAll(ordinary);
            directed.forEach(vm -> movers.add(CompletableFuture.runAsync(() -> move(vm, true), executor)));
            ordinary.forEach(vm -> movers.add(CompletableFuture.runAsync(() -> move(vm, false), executor)));
        }

        private void move(VirtualMachine vm, boolean directed) {
            for (int i = 0; !stopped.get(); i++) {
                String before = vm.node();
                List<String> others =
                        NODES.stream().filter(node -> !node.equals(before)).toList();
                Optional<String> wanted = directed ? Optional.of(others.get(i % others.size())) : Optional.empty();
                try {
                    Migration migration = create(vm, vm.name() + "-" + i, wanted);
                    String outcome = migration.outcome();
                    ended.add(new Ended(migration, wanted, outcome, vm.node()));
                } catch (KubernetesClientException e) {
                    refusals.add(e.getMessage());
                }
            }
        }

        private static Migration create(VirtualMachine vm, String name, Optional<String> wanted) {
            var migration = vm.migration(name);
            wanted.ifPresent(node -> migration.withAnnotation(
                    ANNOTATION, "matchFields: [{key: metadata.name, operator: In, values: [" + node + "]}]"));
            return migration.create();
        }

        private boolean each(List<Ended> of, int count) {
            movers.stream().filter(CompletableFuture::isCompletedExceptionally).forEach(CompletableFuture::join);
            return all.stream()
                    .allMatch(vm -> of.stream()
                                    .filter(each -> each.migration().name().startsWith(vm.name() + "-"))
                                    .count()
                            >= count);
        }

        Migration lastOf(VirtualMachine vm) {
            return ended.stream()
                    .map(Ended::migration)
                    .filter(each -> each.name().startsWith(vm.name() + "-"))
                    .reduce((before, last) -> last)
                    .orElseThrow();
        }

        boolean eachHas(int count) {
            return each(List.copyOf(ended), count);
        }

        /** Forgets what has ended, for {@link #eachHasSinceMark}. */
        void mark() {
            mark = ended.size();
        }

        boolean eachHasSinceMark(int count) {
            List<Ended> now = List.copyOf(ended);
            return each(now.subList(mark, now.size()), count);
        }

        /** Waits for the migrations that are under way. */
        void stop() {
            stopped.set(true);
            movers.forEach(CompletableFuture::join);
        }

        @Override
        public void close() {
            stopped.set(true);
            executor.close();
        }
    }
}
