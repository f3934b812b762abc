package io.kubevirt.ferry.bench;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.ResourceNotFoundException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.kubevirt.ferry.admission.DirectedMigration;
import io.kubevirt.ferry.standin.VirtualMachines;
import io.kubevirt.ferry.testbed.ControlPlane;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * What our webhook adds to the creation of a target pod: the same pod is created in namespaces in which the API server
 * asks us, in one in which it asks nobody and in two in which it asks a webhook that does next to nothing, in short blocks by
 * turns, one at a time.
 */
final class PodCreation {
    private static final int BLOCKS = 50;

    private static final int IN_A_BLOCK = 20;
    private static final int WARM_UP_BLOCKS = 15;
    private static final long PATIENCE_NANOS = 30_000_000_000L;

    private static final String LEFT_ALONE = "ferry-bench-left-alone";

    /** How a pod is created. */
    private enum Way {
        WITHOUT(false, false),
        LEAST_ALLOWS(false, false),
        LEAST_PATCHES(false, false),
        ORDINARY(true, false),
        DIRECTED(true, true);

        final String namespace = "bench-" + name().toLowerCase(Locale.ROOT).replace('_', '-');
        final boolean ours;
        final boolean directed;

        Way(boolean ours, boolean directed) {
            this.ours = ours;
            this.directed = directed;
        }

        /** Of its namespace. */
        Map<String, String> labels() {
            return ours ? Map.of() : Map.of(LEFT_ALONE, namespace);
        }
    }

    private final KubernetesClient client;
    private final Map<Way, String> pods = new EnumMap<>(Way.class);
    private final Map<Way, List<Double>> millis = new EnumMap<>(Way.class);
    private final Map<Way, List<Double>> blocks = new EnumMap<>(Way.class);

    /** Of an admission, in the manager: from the first byte of its head to the whole answer, by outcome. */
    private final Map<Way, Double> ownMillis = new EnumMap<>(Way.class);

    private PodCreation(KubernetesClient client) {
        this.client = client;
    }

    static List<Figure> measure(ControlPlane controlPlane) throws InterruptedException {
        PodCreation creation = new PodCreation(controlPlane.admin());
        try (MeasuredManager manager = MeasuredManager.start(controlPlane);
                var _ = LeastWebhook.start(
                        controlPlane.admin(), creation.ours(), Way.LEAST_ALLOWS.labels(), Way.LEAST_PATCHES.labels())) {
            creation.prepare();
            creation.run(WARM_UP_BLOCKS);
            Admissions ordinary = Admissions.of(manager, "allowed");
            Admissions directed = Admissions.of(manager, "patched");
            creation.run(BLOCKS);
            creation.ownMillis.put(
                    Way.ORDINARY, Admissions.of(manager, "allowed").meanMillisSince(ordinary));
            creation.ownMillis.put(
                    Way.DIRECTED, Admissions.of(manager, "patched").meanMillisSince(directed));
        }
        return creation.figures();
    }

    /** What the manager's metrics say of the pods that it admitted with one outcome. */
    private record Admissions(double count, double seconds) {
        static Admissions of(MeasuredManager manager, String outcome) {
            String[] labels = {"webhook=\"pod\"", "outcome=\"" + outcome + "\""};
            return new Admissions(
                    manager.metric("ferry_admissions_seconds_count", labels),
                    manager.metric("ferry_admissions_seconds_sum", labels));
        }

        double meanMillisSince(Admissions before) {
            double answered = count - before.count;
            if (answered != BLOCKS * IN_A_BLOCK) {
                throw new IllegalStateException("the webhook was asked " + answered + " times");
            }
            return (seconds - before.seconds) * 1000 / answered;
        }
    }

    private Resource<MutatingWebhookConfiguration> configuration() {
        return client.admissionRegistration()
                .v1()
                .mutatingWebhookConfigurations()
                .withName("kubevirt-ferry");
    }

    private MutatingWebhook ours() {
        return configuration().require().getWebhooks().get(1);
    }

    private void prepare() throws InterruptedException {
        configuration().patch(PatchContext.of(PatchType.JSON), """
                        [{"op": "test", "path": "/webhooks/1/name", "value": "target-pod.ferry.kubevirt.io"},
                         {"op": "add", "path": "/webhooks/1/namespaceSelector", "value":
                          {"matchExpressions": [{"key": "%s", "operator": "DoesNotExist"}]}}]
                        """.formatted(LEFT_ALONE));
        for (Way way : Way.values()) {
            var namespace = new NamespaceBuilder()
                    .withNewMetadata()
                    .withName(way.namespace)
                    .withLabels(way.labels())
                    .endMetadata();
            client.resource(namespace.build()).create();
            var migration = new VirtualMachines(client)
                    .vm("db")
                    .inNamespace(way.namespace)
                    .create()
                    .migration("move-1");
            if (way.directed) {
                migration.withAnnotation(DirectedMigration.ANNOTATION, TargetPods.JSON_TERM);
            }
            GenericKubernetesResource created =
                    client.resource(migration.build()).create();
            pods.put(
                    way,
                    TargetPods.of(way.namespace, "move-1", created.getMetadata().getUid()));
            untilPossible(() -> client.serviceAccounts()
                    .inNamespace(way.namespace)
                    .withName("default")
                    .require());
        }
        // The API server takes a moment to see a configuration that changed.
        untilPossible(() -> {
            String left = create(Way.WITHOUT);
            String narrowed = create(Way.DIRECTED);
            if (left.contains("node-17") || !narrowed.contains("node-17")) {
                throw new KubernetesClientException("the webhook configuration is not in force");
            }
            return left;
        });
    }

    private static void untilPossible(Supplier<?> attempt) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (true) {
            try {
                var unused = attempt.get();
                return;
            } catch (KubernetesClientException | ResourceNotFoundException e) {
                if (System.nanoTime() > end) {
                    throw e;
                }
                Thread.sleep(100);
            }
        }
    }

    /** Creates the pods of so many blocks and forgets what was measured before. */
    private void run(int count) {
        for (Way way : Way.values()) {
            millis.put(way, new ArrayList<>());
            blocks.put(way, new ArrayList<>());
        }
        Way[] ways = Way.values();
        for (int block = 0; block < count; block++) {
            for (int turn = 0; turn < ways.length; turn++) {
                block(ways[(block + turn) % ways.length]);
            }
            for (Way way : ways) {
                client.pods().inNamespace(way.namespace).withGracePeriod(0).delete();
            }
        }
    }

    private void block(Way way) {
        List<Double> times = new ArrayList<>();
        for (int i = 0; i < IN_A_BLOCK; i++) {
            long start = System.nanoTime();
            String created = create(way);
            times.add((System.nanoTime() - start) / 1e6);
            if (created.contains("node-17") != way.directed) {
                throw new IllegalStateException("not admitted as it should be: " + created);
            }
        }
        millis.get(way).addAll(times);
        blocks.get(way).add(new Samples(times).median());
    }

    private String create(Way way) {
        return client.raw("/api/v1/namespaces/" + way.namespace + "/pods", "POST", pods.get(way));
    }

    private List<Figure> figures() {
        Samples without = new Samples(millis.get(Way.WITHOUT));
        return List.of(
                Figure.of(
                        "creation of a target pod without our webhook",
                        "",
                        "p50 %.2f ms, p99 %.2f ms (%d creates)",
                        without.median(),
                        without.quantile(0.99),
                        without.size()),
                Figure.of("added by a webhook in Go that reads nothing, for scale", "", "%s", added(Way.LEAST_ALLOWS)),
                Figure.of(
                        "added by the same that also patches a label in, for scale",
                        "",
                        "%s",
                        added(Way.LEAST_PATCHES)),
                ofOurs(Way.ORDINARY, "of an ordinary migration"),
                ofOurs(Way.DIRECTED, "of a directed migration"));
    }

    private Figure ofOurs(Way way, String what) {
        return Figure.of(
                "added by our webhook, pod " + what,
                "p50 1.5 ms, p99 5 ms",
                "%s; %.2f ms of it in the manager, on average",
                added(way),
                ownMillis.get(way));
    }

    private String added(Way way) {
        Samples without = new Samples(millis.get(Way.WITHOUT));
        Samples with = new Samples(millis.get(way));
        List<Double> differences = IntStream.range(0, BLOCKS)
                .mapToObj(i -> blocks.get(way).get(i) - blocks.get(Way.WITHOUT).get(i))
                .toList();
        Samples pairs = new Samples(differences);
        return String.format(
                Locale.ROOT,
                "p50 %.2f ms, p99 %.2f ms; medians of neighbouring blocks differ by %.2f ms, half of them by %.2f to %.2f",
                with.median() - without.median(),
                with.quantile(0.99) - without.quantile(0.99),
                pairs.median(),
                pairs.quantile(0.25),
                pairs.quantile(0.75));
    }
}
