package io.kubevirt.ferry.bench;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.kubevirt.ferry.admission.DirectedMigration;
import io.kubevirt.ferry.standin.KubeVirtStandIn;
import io.kubevirt.ferry.standin.Nodes;
import io.kubevirt.ferry.standin.VirtualMachines;
import io.kubevirt.ferry.standin.VirtualMachines.MigrationBuilder;
import io.kubevirt.ferry.standin.VirtualMachines.VirtualMachine;
import io.kubevirt.ferry.testbed.AuditLog;
import io.kubevirt.ferry.testbed.ControlPlane;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What migrations cost the API server in requests of ours, and us in memory. */
final class Migrations {
    private static final String NAMESPACE = "bench-migrations";
    private static final Map<String, String> POOL = Map.of("pool", "bench");
    private static final int VMS = 10;
    private static final int EACH_KIND = 50;
    private static final int ALL = 1000;

    /** Longer than whatever the manager may put off. */
    private static final long SETTLED_MILLIS = 12_000;

    private final ControlPlane controlPlane;
    private List<VirtualMachine> vms = List.of();
    private int made;

    private Migrations(ControlPlane controlPlane) {
        this.controlPlane = controlPlane;
    }

    static List<Figure> measure(ControlPlane controlPlane) throws Exception {
        KubernetesClient admin = controlPlane.admin();
        // The very first start makes the certificate, which takes memory that no later one does.
        MeasuredManager.start(controlPlane).close();
        try (KubeVirtStandIn standIn = KubeVirtStandIn.start(admin, controlPlane.client(KubeVirtStandIn.USER));
                MeasuredManager manager = MeasuredManager.start(controlPlane)) {
            return new Migrations(controlPlane).measure(manager);
        }
    }

    private List<Figure> measure(MeasuredManager manager) throws Exception {
        KubernetesClient admin = controlPlane.admin();
        admin.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(NAMESPACE)
                        .endMetadata()
                        .build())
                .create();
        IntStream.rangeClosed(1, 4)
                .forEach(i -> new Nodes(admin).create("bench-" + i, Map.of("pool", "bench", "rack", "r" + i)));
        vms = IntStream.range(0, VMS)
                .mapToObj(i -> new VirtualMachines(admin)
                        .vm("vm-" + i)
                        .inNamespace(NAMESPACE)
                        .withNodeSelector(POOL)
                        .whoseMachine("copy=0s boot=0s step=0s")
                        .create())
                .toList();
        vms.forEach(VirtualMachine::waitUntilRunning);
        migrate(VMS, true);
        Map<String, Long> before = requests();
        migrate(EACH_KIND, false);
        Map<String, Long> afterOrdinary = requests();
        migrate(EACH_KIND, true);
        Map<String, Long> afterDirected = requests();
        migrate(ALL - made, true);
        return List.of(
                requests("0", "an ordinary migration", before, afterOrdinary),
                requests("3", "a directed migration", afterOrdinary, afterDirected),
                Figure.of(
                        "resident memory after " + ALL + " migrations, all of them still there",
                        "150 MiB",
                        "%.0f MiB (%.0f MiB of it anonymous)",
                        manager.resident(),
                        manager.anonymous()));
    }

    /** Makes so many migrations, each VM's one after the other, and waits until all have succeeded and we rest. */
    private void migrate(int count, boolean directed) throws InterruptedException, ExecutionException {
        int first = made;
        made += count;
        try (ExecutorService people = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> work = IntStream.range(0, VMS)
                    .<Future<?>>mapToObj(i -> people.submit(() -> {
                        for (int number = first + i; number < first + count; number += VMS) {
                            migrate(vms.get(i), "move-" + number, directed);
                        }
                    }))
                    .toList();
            for (Future<?> each : work) {
                each.get();
            }
        }
        Thread.sleep(SETTLED_MILLIS);
    }

    private static void migrate(VirtualMachine vm, String name, boolean directed) {
        MigrationBuilder migration = vm.migration(name);
        if (directed) {
            migration.withAnnotation(
                    DirectedMigration.ANNOTATION, "matchExpressions: [{key: rack, operator: NotIn, values: [r9]}]");
        }
        String outcome = migration.create().outcome();
        if (!outcome.equals("Succeeded")) {
            throw new IllegalStateException("migration " + name + " of " + vm.name() + ": " + outcome);
        }
    }

    /** The manager's requests so far, by what they were: all but those for its Lease and watches. */
    private Map<String, Long> requests() {
        return controlPlane.auditLog().of(ControlPlane.OPERATOR).stream()
                .filter(request -> !request.resource().equals("leases"))
                .filter(request -> !request.verb().equals("watch"))
                .collect(Collectors.groupingBy(Migrations::kind, TreeMap::new, Collectors.counting()));
    }

    private static String kind(AuditLog.Request request) {
        return request.verb() + " " + request.resource();
    }

    private static Figure requests(String target, String of, Map<String, Long> before, Map<String, Long> after) {
        Map<String, Long> made = new TreeMap<>(after);
        before.forEach((kind, count) -> made.merge(kind, -count, Long::sum));
        made.values().removeIf(count -> count == 0);
        double all = made.values().stream().mapToLong(Long::longValue).sum();
        String parts = made.entrySet().stream()
                .map(entry ->
                        String.format(Locale.ROOT, "%s %.2f", entry.getKey(), (double) entry.getValue() / EACH_KIND))
                .collect(Collectors.joining(", "));
        return Figure.of(
                "API requests of ours for " + of,
                target,
                "%.2f on average of %d%s",
                all / EACH_KIND,
                EACH_KIND,
                parts.isEmpty() ? "" : " (" + parts + ")");
    }
}
