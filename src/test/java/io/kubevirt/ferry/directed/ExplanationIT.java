package io.kubevirt.ferry.directed;

import static io.kubevirt.ferry.admission.DirectedMigration.ANNOTATION;
import static io.kubevirt.ferry.testbed.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.kubevirt.ferry.standin.KubeVirtExtension;
import io.kubevirt.ferry.standin.Nodes;
import io.kubevirt.ferry.standin.VirtualMachines;
import io.kubevirt.ferry.standin.VirtualMachines.Migration;
import io.kubevirt.ferry.standin.VirtualMachines.VirtualMachine;
import io.kubevirt.ferry.testbed.ControlPlane;
import io.kubevirt.ferry.testbed.ControlPlaneExtension;
import io.kubevirt.ferry.testbed.Installation;
import io.kubevirt.ferry.testbed.OperatorUnderTest;
import io.kubevirt.ferry.testbed.TestNamespace;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an admin is told: at once as a warning, and on the migration as condition and event. */
@ExtendWith({ControlPlaneExtension.class, KubeVirtExtension.class})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExplanationIT {
    private static final Map<String, String> POOL = Map.of("pool", "explained");

    private OperatorUnderTest operator;
    private ControlPlane controlPlane;
    private VirtualMachines machines;
    private String namespace;

    @BeforeAll
    void start(ControlPlane controlPlane, Nodes nodes) {
        this.controlPlane = controlPlane;
        Installation.apply(controlPlane.admin());
        nodes.create("explained-home", POOL);
        nodes.create("explained-free", POOL);
        nodes.create("explained-tainted", POOL);
        nodes.taint("explained-tainted", "dedicated", "gpu", "NoSchedule");
        nodes.create("explained-cordoned", POOL);
        nodes.cordon("explained-cordoned");
        nodes.create("explained-notready", POOL);
        nodes.notReady("explained-notready");
        nodes.create("explained-other-pool", Map.of("pool", "other"));
        operator = OperatorUnderTest.start(controlPlane);
    }

    @AfterAll
    void stop(Nodes nodes) {
        operator.close();
        nodes.delete(
                "explained-home",
                "explained-free",
                "explained-tainted",
                "explained-cordoned",
                "explained-notready",
                "explained-other-pool");
    }

    @BeforeEach
    void given(TestNamespace namespace, VirtualMachines machines) {
        this.namespace = namespace.name();
        this.machines = machines;
    }

    private VirtualMachine vm() {
        return machines.vm("db").inNamespace(namespace).withNodeSelector(POOL).start();
    }

    private static String named(String node) {
        return "matchFields: [{key: metadata.name, operator: In, values: [" + node + "]}]";
    }

    private static Migration directed(VirtualMachine vm, String term) {
        return vm.migration("m")
                .withAnnotation(ANNOTATION, term)
                .givingUpAfter(4)
                .create();
    }

    /** The warnings that kubectl would print, from a dry run. */
    private List<String> warnings(VirtualMachine vm, String term) throws Exception {
        KubernetesClient admin = controlPlane.admin();
        Config config = controlPlane.config("admin");
        String body = admin.getKubernetesSerialization()
                .asJson(vm.migration("m").withAnnotation(ANNOTATION, term).build());
        HttpRequest request = HttpRequest.newBuilder(URI.create(controlPlane.server()
                        + "/apis/kubevirt.io/v1/namespaces/" + namespace
                        + "/virtualmachineinstancemigrations?dryRun=All"))
                .header("Authorization", "Bearer " + config.getOauthToken())
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        try (HttpClient client = controlPlane.http()) {
            HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
            assertThat(response.statusCode()).as(response.body()).isEqualTo(201);
            return response.headers().allValues("Warning");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    explained-tainted    | dedicated=gpu:NoSchedule | dedicated=gpu:NoSchedule
                    explained-cordoned   | cordoned                 | is cordoned
                    explained-notready   | not ready                | is not ready
                    explained-other-pool | pool=explained           | pool=other where the VM's node selector wants explained
                    """)
    void aNodeThatCannotTakeTheVmIsNamedWithTheRule(String node, String warning, String rule) throws Exception {
        VirtualMachine vm = vm();

        assertThat(warnings(vm, named(node)))
                .anySatisfy(text -> assertThat(text).contains(node).contains(warning));

        Migration migration = directed(vm, named(node));
        assertThat(migration.outcome()).isEqualTo("Failed");
        assertThat(Condition.of(migration.get())).hasValueSatisfying(condition -> {
            assertThat(condition.status()).isEqualTo("False");
            assertThat(condition.reason()).isEqualTo("Unschedulable");
            assertThat(condition.message()).contains(node).contains(rule).contains("the scheduler says: 0/");
        });
    }

    @Test
    void theNodeTheVmIsOnIsToldAtOnceAndOnTheMigration() throws Exception {
        VirtualMachine vm = vm();

        assertThat(warnings(vm, named(vm.node())))
                .anySatisfy(text -> assertThat(text).contains(vm.node(), "the node that the VM is on"));

        Migration migration = directed(vm, named(vm.node()));
        assertThat(migration.outcome()).isEqualTo("Failed");
        assertThat(Condition.of(migration.get()))
                .hasValueSatisfying(condition ->
                        assertThat(condition.message()).contains(vm.node() + " is the node that the VM is on"));
    }

    @Test
    void aNodeThatIsNotThereIsToldAtOnceAndOnTheMigration() throws Exception {
        VirtualMachine vm = vm();

        assertThat(warnings(vm, named("nowhere")))
                .anySatisfy(text -> assertThat(text).contains("no node matches", "nowhere"));

        Migration migration = directed(vm, named("nowhere"));
        assertThat(migration.outcome()).isEqualTo("Failed");
        assertThat(Condition.of(migration.get()))
                .hasValueSatisfying(
                        condition -> assertThat(condition.message()).contains("no node matches the added term"));
    }

    @Test
    void aCpuLabelOfTheHostModelThatTheNodeLacksIsNamed(Nodes nodes) {
        String label = "host-model-cpu.node.kubevirt.io/Skylake-Test";
        nodes.create("explained-cpu", Map.of("pool", "explained-cpu", label, "true"));
        nodes.create("explained-old-cpu", Map.of("pool", "explained-cpu"));
        VirtualMachine vm = machines.vm("db")
                .inNamespace(namespace)
                .withNodeSelector(Map.of("pool", "explained-cpu", label, "true"))
                .start();

        Migration migration = directed(vm, named("explained-old-cpu"));

        assertThat(migration.outcome()).isEqualTo("Failed");
        assertThat(Condition.of(migration.get()))
                .hasValueSatisfying(
                        condition -> assertThat(condition.message()).contains("explained-old-cpu", label + "=true"));
        nodes.delete("explained-cpu", "explained-old-cpu");
    }

    @Test
    void aTermThatFitsGivesNoWarningOneConditionAndOneEvent() throws Exception {
        VirtualMachine vm = vm();
        String there = vm.node().equals("explained-free") ? "explained-home" : "explained-free";
        assertThat(warnings(vm, named(there))).isEmpty();

        Migration migration = directed(vm, named(there));

        assertThat(migration.outcome()).isEqualTo("Succeeded");
        eventually()
                .untilAsserted(() -> assertThat(Condition.of(migration.get())).hasValueSatisfying(condition -> {
                    assertThat(condition.status()).isEqualTo("True");
                    assertThat(condition.reason()).isEqualTo("TermApplied");
                    assertThat(condition.message()).contains(" is on " + there, "1 node qualifies");
                }));
        eventually()
                .untilAsserted(() -> assertThat(events(migration))
                        .extracting(Event::getReason, Event::getType)
                        .containsExactly(org.assertj.core.groups.Tuple.tuple("TermApplied", "Normal")));
    }

    private List<Event> events(Migration migration) {
        return controlPlane.admin().v1().events().inNamespace(namespace).list().getItems().stream()
                .filter(event -> event.getInvolvedObject().getName().equals(migration.name()))
                .filter(event -> "kubevirt-ferry".equals(event.getSource().getComponent()))
                .toList();
    }
}
