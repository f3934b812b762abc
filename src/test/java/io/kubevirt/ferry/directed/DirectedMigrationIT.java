package io.kubevirt.ferry.directed;

import static io.kubevirt.ferry.admission.DirectedMigration.ANNOTATION;
import static io.kubevirt.ferry.admission.DirectedMigration.ANNOTATION_PATH;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
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

@ExtendWith({ControlPlaneExtension.class, KubeVirtExtension.class})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DirectedMigrationIT {
    /** Every VM here may go to the nodes of this pool and no others: tests of other classes have theirs. */
    private static final Map<String, String> POOL = Map.of("pool", "directed");

    private OperatorUnderTest operator;
    private ControlPlane controlPlane;
    private VirtualMachines machines;
    private String namespace;

    @BeforeAll
    void start(ControlPlane controlPlane, Nodes nodes) {
        this.controlPlane = controlPlane;
        Installation.apply(controlPlane.admin());
        nodes.create("directed-1", Map.of("pool", "directed", "rack", "r1", "disk", "ssd", "generation", "3"));
        nodes.create("directed-2", Map.of("pool", "directed", "rack", "r2", "disk", "hdd", "generation", "5"));
        nodes.create("directed-3", Map.of("pool", "directed", "rack", "r3", "generation", "7"));
        operator = OperatorUnderTest.start(controlPlane);
    }

    @AfterAll
    void stop() {
        operator.close();
    }

    @BeforeEach
    void given(TestNamespace namespace, VirtualMachines machines) {
        this.namespace = namespace.name();
        this.machines = machines;
    }

    /** A VM that runs on a node, and may go to the others when it is moved. */
    private VirtualMachine vmOn(String node) {
        VirtualMachine vm =
                machines.vm("db").inNamespace(namespace).withNodeSelector(POOL).start();
        if (!vm.node().equals(node)) {
            assertThat(directed(vm, "to-" + node, names("In", node)).outcome()).isEqualTo("Succeeded");
        }
        assertThat(vm.node()).isEqualTo(node);
        return vm;
    }

    private static Migration directed(VirtualMachine vm, String name, String term) {
        return vm.migration(name)
                .withAnnotation(ANNOTATION, term)
                .givingUpAfter(2)
                .create();
    }

    private static String names(String operator, String node) {
        return "{\"matchFields\": [{\"key\": \"metadata.name\", \"operator\": \"" + operator + "\", \"values\": [\""
                + node + "\"]}]}";
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    one node by name, as JSON   | {"matchFields":[{"key":"metadata.name","operator":"In","values":["directed-3"]}]} | directed-3
                    one node by name, as YAML   | matchFields: [{key: metadata.name, operator: In, values: [directed-3]}]           | directed-3
                    anywhere but there          | matchFields: [{key: metadata.name, operator: NotIn, values: [directed-2]}]        | directed-3
                    a label In                  | matchExpressions: [{key: rack, operator: In, values: [r3, r9]}]                   | directed-3
                    a label NotIn               | matchExpressions: [{key: rack, operator: NotIn, values: [r2]}]                    | directed-3
                    NotIn on a missing label    | matchExpressions: [{key: disk, operator: NotIn, values: [hdd, ssd]}]              | directed-3
                    a label Exists              | matchExpressions: [{key: disk, operator: Exists}]                                 | directed-2
                    a label DoesNotExist        | matchExpressions: [{key: disk, operator: DoesNotExist}]                           | directed-3
                    a label Gt                  | matchExpressions: [{key: generation, operator: Gt, values: ["5"]}]                | directed-3
                    a label Lt                  | matchExpressions: [{key: generation, operator: Lt, values: ["7"]}]                | directed-2
                    fields and expressions      | {matchExpressions: [{key: generation, operator: Gt, values: ["3"]}], matchFields: [{key: metadata.name, operator: NotIn, values: [directed-3]}]} | directed-2
                    """)
    void theVmLandsWhereTheTermSays(String what, String term, String node) {
        VirtualMachine vm = vmOn("directed-1");

        Migration migration = directed(vm, "m", term);

        assertThat(migration.outcome()).as(what).isEqualTo("Succeeded");
        assertThat(vm.node()).isEqualTo(node);
        assertThat(migration.get().getMetadata().getAnnotations()).containsEntry(ANNOTATION, term);
    }

    @Test
    void withSeveralTermsOfTheOwnerTheVmGoesOnlyWhereBothHold() {
        Affinity owner = affinity("""
                - matchExpressions: [{key: rack, operator: In, values: [r1]}]
                - matchExpressions: [{key: rack, operator: In, values: [r2]}]
                """);
        VirtualMachine vm = machines.vm("db")
                .inNamespace(namespace)
                .withNodeSelector(POOL)
                .withAffinity(owner)
                .start();
        String elsewhere = vm.node().equals("directed-1") ? "directed-2" : "directed-1";

        assertThat(directed(vm, "m", "matchExpressions: [{key: rack, operator: Exists}]")
                        .outcome())
                .isEqualTo("Succeeded");
        assertThat(vm.node()).isEqualTo(elsewhere);
    }

    @Test
    void ownerAndAdminInConflictScheduleNothingAndLeaveNothingBehind() {
        VirtualMachine vm = machines.vm("db")
                .inNamespace(namespace)
                .withNodeSelector(POOL)
                .withAffinity(affinity("- matchExpressions: [{key: rack, operator: In, values: [r1, r2]}]\n"))
                .start();
        String before = vm.node();

        assertThat(directed(vm, "m", names("In", "directed-3")).outcome()).isEqualTo("Failed");
        assertThat(vm.node()).isEqualTo(before);

        assertThat(vm.migration("ordinary").create().outcome()).isEqualTo("Succeeded");
        assertThat(vm.node()).isNotEqualTo(before);
    }

    @Test
    void vmAndVmiStayByteForByte() {
        VirtualMachine vm = vmOn("directed-1");
        String spec = specOf(vm.machine());
        String instanceSpec = specOf(vm.instance());

        assertThat(directed(vm, "there", names("In", "directed-2")).outcome()).isEqualTo("Succeeded");
        assertThat(directed(vm, "back", names("In", "directed-1")).outcome()).isEqualTo("Succeeded");

        assertThat(specOf(vm.machine())).isEqualTo(spec);
        assertThat(specOf(vm.instance())).isEqualTo(instanceSpec);
    }

    @Test
    void theOperatorWritesNeitherVmNorVmi() {
        VirtualMachine vm = vmOn("directed-1");
        directed(vm, "m", names("In", "directed-2")).outcome();

        assertThat(controlPlane.auditLog().of(ControlPlane.OPERATOR))
                .filteredOn(request -> request.resource().startsWith("virtualmachines")
                        || request.resource().startsWith("virtualmachineinstances"))
                .filteredOn(request -> !List.of("get", "list", "watch").contains(request.verb()))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    {}                                                                      | ''
                    matchLabels: {rack: r1}                                                 | .matchLabels
                    matchExpressions: [{key: rack, operator: in, values: [r1]}]             | .matchExpressions[0].operator
                    matchExpressions: [{key: rack, operator: In}]                           | .matchExpressions[0].values
                    matchExpressions: [{key: rack, operator: Exists, values: [r1]}]         | .matchExpressions[0].values
                    matchExpressions: [{key: "no key", operator: Exists}]                   | .matchExpressions[0].key
                    matchExpressions: [{key: rack, operator: In, values: [5]}]              | .matchExpressions[0].values[0]
                    matchExpressions: [{key: rack, operator: Gt, values: [many]}]           | .matchExpressions[0].values[0]
                    matchFields: [{key: metadata.uid, operator: In, values: [x]}]           | .matchFields[0].key
                    matchFields: [{key: metadata.name, operator: Exists}]                   | .matchFields[0].operator
                    matchFields: [{key: metadata.name, operator: In, values: [a, b]}]       | .matchFields[0].values
                    matchFields: [{key: metadata.name, operator: In, values: [No_Node]}]    | .matchFields[0].values[0]
                    """)
    void aBadTermIsRefusedWithItsField(String term, String field) {
        VirtualMachine vm =
                machines.vm("db").inNamespace(namespace).withNodeSelector(POOL).start();

        KubernetesClientException refusal = refusalOf(() -> directed(vm, "m", term));

        assertThat(refusal.getCode()).isEqualTo(422);
        assertThat(refusal.getMessage()).contains(ANNOTATION_PATH + field + ": ");
    }

    @Test
    void allErrorsOfATermComeAtOnce() {
        VirtualMachine vm =
                machines.vm("db").inNamespace(namespace).withNodeSelector(POOL).start();

        KubernetesClientException refusal = refusalOf(
                () -> directed(
                        vm,
                        "m",
                        "{matchExpressions: [{key: a b, operator: Near}], matchFields: [{key: name, operator: In, values: [a]}]}"));

        assertThat(refusal.getMessage())
                .contains(ANNOTATION_PATH + ".matchExpressions[0].key: ")
                .contains(ANNOTATION_PATH + ".matchExpressions[0].operator: ")
                .contains(ANNOTATION_PATH + ".matchFields[0].key: ");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    changed    | true  | {"metadata":{"annotations":{"%s":"matchExpressions: [{key: rack, operator: Exists}]"}}}
                    removed    | true  | {"metadata":{"annotations":{"%s":null}}}
                    emptied    | true  | {"metadata":{"annotations":{"%s":""}}}
                    emptily added | false | {"metadata":{"annotations":{"%s":""}}}
                    added late | false | {"metadata":{"annotations":{"%s":"matchExpressions: [{key: rack, operator: Exists}]"}}}
                    """)
    void theTermOfAMigrationThatExistsIsFixed(String what, boolean directed, String patch) {
        VirtualMachine vm = machines.vm("db")
                .inNamespace(namespace)
                .withNodeSelector(POOL)
                .whoseMachine("hang")
                .start();
        Migration migration = directed
                ? directed(vm, "m", names("NotIn", "nowhere"))
                : vm.migration("m").create();
        migration.waitUntil("Running");

        KubernetesClientException refusal = refusalOf(() -> controlPlane
                .admin()
                .resource(migration.get())
                .patch(PatchContext.of(PatchType.JSON_MERGE), patch.formatted(ANNOTATION)));

        assertThat(refusal.getCode()).as(what).isEqualTo(422);
        assertThat(refusal.getMessage()).contains(ANNOTATION_PATH, "delete this migration and create another one");
        migration.cancel();
        migration.waitUntilGone();
    }

    @Test
    void otherAnnotationsOfADirectedMigrationMayChange() {
        VirtualMachine vm = vmOn("directed-1");
        Migration migration = directed(vm, "m", names("In", "directed-2"));

        GenericKubernetesResource patched = controlPlane
                .admin()
                .resource(migration.get())
                .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"metadata\":{\"annotations\":{\"a\":\"b\"}}}");

        assertThat(patched.getMetadata().getAnnotations())
                .containsKey(ANNOTATION)
                .containsEntry("a", "b");
    }

    private static KubernetesClientException refusalOf(Runnable action) {
        KubernetesClientException refusal = catchThrowableOfType(KubernetesClientException.class, action::run);
        assertThat(refusal).as("a refusal").isNotNull();
        return refusal;
    }

    private static Affinity affinity(String terms) {
        return Serialization.unmarshal(
                "nodeAffinity:\n  requiredDuringSchedulingIgnoredDuringExecution:\n    nodeSelectorTerms:\n"
                        + terms.indent(4),
                Affinity.class);
    }

    private static String specOf(String json) {
        return Serialization.asJson(
                Serialization.unmarshal(json, GenericKubernetesResource.class).get("spec"));
    }
}
