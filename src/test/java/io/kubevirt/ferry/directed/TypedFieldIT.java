package io.kubevirt.ferry.directed;

import static io.kubevirt.ferry.admission.DirectedMigration.ANNOTATION;
import static io.kubevirt.ferry.directed.KubeVirtsDefinition.fields;
import static io.kubevirt.ferry.testbed.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.kubevirt.ferry.standin.KubeVirtExtension;
import io.kubevirt.ferry.standin.Nodes;
import io.kubevirt.ferry.standin.VirtualMachines;
import io.kubevirt.ferry.standin.VirtualMachines.VirtualMachine;
import io.kubevirt.ferry.testbed.ControlPlane;
import io.kubevirt.ferry.testbed.ControlPlaneExtension;
import io.kubevirt.ferry.testbed.Installation;
import io.kubevirt.ferry.testbed.Kubectl;
import io.kubevirt.ferry.testbed.OperatorUnderTest;
import io.kubevirt.ferry.testbed.TestNamespace;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code spec.addedNodeSelectorTerm} on KubeVirt's own definition, which lacks it. */
@ExtendWith({ControlPlaneExtension.class, KubeVirtExtension.class})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TypedFieldIT {
    private static final Map<String, String> POOL = Map.of("pool", "typed");

    private ControlPlane controlPlane;
    private KubeVirtsDefinition definition;
    private OperatorUnderTest operator;
    private String namespace;
    private VirtualMachine vm;
    private String there;

    @BeforeAll
    void start(ControlPlane controlPlane, Nodes nodes) {
        this.controlPlane = controlPlane;
        definition = new KubeVirtsDefinition(controlPlane);
        nodes.create("typed-1", POOL);
        nodes.create("typed-2", POOL);
        nodes.create("typed-3", POOL);
        Installation.apply(controlPlane.admin());
        operator = OperatorUnderTest.start(controlPlane);
        awaitField(true);
    }

    @AfterAll
    void stop() {
        operator.close();
    }

    @BeforeEach
    void given(TestNamespace namespace, VirtualMachines machines) {
        this.namespace = namespace.name();
        vm = machines.vm("db")
                .inNamespace(this.namespace)
                .withNodeSelector(POOL)
                .start();
        there = vm.node().equals("typed-1") ? "typed-2" : "typed-1";
    }

    private void awaitField(boolean present) {
        eventually().untilAsserted(() -> assertThat(fields(definition.get())).hasSize(present ? 2 : 0));
    }

    private String manifest(String version, String node) {
        return """
                {"apiVersion": "kubevirt.io/%s", "kind": "VirtualMachineInstanceMigration",
                 "metadata": {"name": "m", "namespace": "%s"},
                 "spec": {"vmiName": "db", "addedNodeSelectorTerm":
                   {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["%s"]}]}}}
                """.formatted(version, namespace, node);
    }

    /** The definition is served a moment after it was changed. */
    private HttpResponse<String> send(String method, String version, String name, String parameters, String body)
            throws Exception {
        String type = method.equals("PATCH") ? "application/apply-patch+yaml" : "application/json";
        HttpRequest request = HttpRequest.newBuilder(URI.create(controlPlane.server() + "/apis/kubevirt.io/" + version
                        + "/namespaces/" + namespace + "/virtualmachineinstancemigrations" + name + "?" + parameters))
                .header(
                        "Authorization",
                        "Bearer " + controlPlane.config("admin").getOauthToken())
                .header("Content-Type", type)
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        try (HttpClient client = controlPlane.http()) {
            return client.send(request, HttpResponse.BodyHandlers.ofString());
        }
    }

    @Test
    void aFieldThatIsNullMovesTheVmNowhere() throws Exception {
        String manifest = manifest("v1", there)
                .replaceFirst("(?s)\"addedNodeSelectorTerm\":.*", "\"addedNodeSelectorTerm\": null}}");

        HttpResponse<String> answer = send("POST", "v1", "", "fieldValidation=Strict", manifest);

        assertThat(answer.statusCode()).isEqualTo(422);
        assertThat(answer.body()).contains("spec.addedNodeSelectorTerm: is null");
    }

    private void assertMovedTo(String node) {
        VirtualMachines.Migration migration = vm.existingMigration("m");
        assertThat(migration.outcome()).isEqualTo("Succeeded");
        assertThat(vm.node()).isEqualTo(node);
        GenericKubernetesResource object = migration.get();
        assertThat(object.<Object>get("spec", "addedNodeSelectorTerm")).isNull();
        assertThat(object.getMetadata().getAnnotations()).containsKey(ANNOTATION);
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1", "v1alpha3"})
    void aStrictCreateWithTheFieldMovesTheVmThere(String version) throws Exception {
        HttpResponse<String> response = send("POST", version, "", "fieldValidation=Strict", manifest(version, there));

        assertThat(response.statusCode()).as(response.body()).isEqualTo(201);
        assertMovedTo(there);
    }

    @Test
    void aLenientCreateWithTheFieldMovesTheVmThere() throws Exception {
        HttpResponse<String> response = send("POST", "v1", "", "fieldValidation=Ignore", manifest("v1", there));

        assertThat(response.statusCode()).as(response.body()).isEqualTo(201);
        assertMovedTo(there);
    }

    @Test
    void serverSideApplyTwiceChangesNothingTheSecondTime() throws Exception {
        String how = "fieldManager=admin&fieldValidation=Strict";
        assertThat(send("PATCH", "v1", "/m", how, manifest("v1", there)).statusCode())
                .isEqualTo(201);
        assertMovedTo(there);

        HttpResponse<String> second = send("PATCH", "v1", "/m", how, manifest("v1", there));

        assertThat(second.statusCode()).as(second.body()).isEqualTo(200);
    }

    @Test
    void clientSideApplyTwicePasses() throws Exception {
        assertThat(send("POST", "v1", "", "fieldManager=kubectl-client-side-apply", manifest("v1", there))
                        .statusCode())
                .isEqualTo(201);
        assertMovedTo(there);

        // What kubectl finds to be missing in the live object it merges in.
        GenericKubernetesResource again = controlPlane
                .admin()
                .resource(vm.existingMigration("m").get())
                .patch(
                        io.fabric8.kubernetes.client.dsl.base.PatchContext.of(
                                io.fabric8.kubernetes.client.dsl.base.PatchType.JSON_MERGE),
                        "{\"spec\":"
                                + new ObjectMapper()
                                        .readTree(manifest("v1", there))
                                        .get("spec") + "}");

        assertThat(again.<Object>get("spec", "addedNodeSelectorTerm")).isNull();
    }

    @Test
    void anotherTermOnAMigrationThatExistsIsRefused() throws Exception {
        String how = "fieldManager=admin&fieldValidation=Strict";
        send("PATCH", "v1", "/m", how, manifest("v1", there));

        HttpResponse<String> second = send("PATCH", "v1", "/m", how, manifest("v1", "typed-3"));

        assertThat(second.statusCode()).isEqualTo(422);
        assertThat(second.body()).contains("spec.addedNodeSelectorTerm", "delete this migration");
        assertMovedTo(there);
    }

    @Test
    void fieldAndAnnotationMayBeEqualAndNotDifferent() throws Exception {
        ObjectMapper json = new ObjectMapper();
        var equal = (com.fasterxml.jackson.databind.node.ObjectNode) json.readTree(manifest("v1", there));
        equal.withObject("/metadata/annotations")
                .put(ANNOTATION, "matchFields: [{key: metadata.name, operator: In, values: [" + there + "]}]");
        var different = equal.deepCopy();
        different.withObject("/metadata/annotations").put(ANNOTATION, "matchExpressions: [{key: a, operator: Exists}]");

        assertThat(send("POST", "v1", "", "fieldValidation=Strict", different.toString())
                        .statusCode())
                .isEqualTo(422);
        assertThat(send("POST", "v1", "", "fieldValidation=Strict", equal.toString())
                        .statusCode())
                .isEqualTo(201);
        assertMovedTo(there);
    }

    @Test
    void aWrongTypeIsRefusedByTheSchemaAndABadValueByUs() throws Exception {
        HttpResponse<String> type = send(
                "POST",
                "v1",
                "",
                "fieldValidation=Strict",
                manifest("v1", there).replace("[\"" + there + "\"]", "5"));
        HttpResponse<String> unknown = send(
                "POST",
                "v1",
                "",
                "fieldValidation=Strict",
                manifest("v1", there).replace("matchFields", "matchNames"));
        HttpResponse<String> value = send(
                "POST",
                "v1",
                "",
                "fieldValidation=Strict",
                manifest("v1", there).replace("\"In\"", "\"Near\""));

        assertThat(type.statusCode()).isGreaterThanOrEqualTo(400);
        assertThat(type.body()).contains("addedNodeSelectorTerm");
        assertThat(unknown.statusCode()).isEqualTo(400);
        assertThat(unknown.body()).contains("unknown field \\\"spec.addedNodeSelectorTerm.matchNames\\\"");
        assertThat(value.statusCode()).isEqualTo(422);
        assertThat(value.body()).contains("spec.addedNodeSelectorTerm.matchFields[0].operator");
    }

    @Test
    void eachFieldIsDescribed() {
        for (JSONSchemaProps field : fields(definition.get())) {
            assertThat(field.getDescription()).contains("ANDed", "only ever narrows");
            assertThat(field.getProperties()
                            .get("matchExpressions")
                            .getItems()
                            .getSchema()
                            .getProperties())
                    .allSatisfy((name, property) ->
                            assertThat(property.getDescription()).isNotBlank());
        }
    }

    @Test
    void kubectlExplainsTheField() {
        Kubectl kubectl = new Kubectl(controlPlane);

        eventually()
                .untilAsserted(() -> assertThat(kubectl.run("explain", "vmim.spec.addedNodeSelectorTerm.matchFields")
                                .printed())
                        .contains("FIELD: matchFields", "Requirements on the node's name", "In (this node) or NotIn"));
    }

    @Test
    void aWriterWhoPutsTheDefinitionBackGetsTheFieldInHisAnswer() {
        assertThat(fields(definition.putBack())).hasSize(2);
    }

    @Test
    void theFieldGoesWhenTheWebhooksAreRemovedAndComesBackWithThem() {
        Installation.removeWebhooks(controlPlane.admin());
        awaitField(false);

        Installation.apply(controlPlane.admin());
        awaitField(true);
    }
}
