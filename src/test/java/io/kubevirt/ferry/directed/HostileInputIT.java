package io.kubevirt.ferry.directed;

import static io.kubevirt.ferry.admission.DirectedMigration.ANNOTATION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.kubevirt.ferry.admission.Mutants;
import io.kubevirt.ferry.kubevirt.LauncherPod;
import io.kubevirt.ferry.manager.Trust;
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
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith({ControlPlaneExtension.class, KubeVirtExtension.class})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HostileInputIT {
    private static final Map<String, String> POOL = Map.of("pool", "hostile");
    private static final String TERM = "matchFields: [{key: metadata.name, operator: In, values: [hostile-2]}]";
    private static final ObjectMapper JSON = new ObjectMapper();

    private OperatorUnderTest operator;
    private ControlPlane controlPlane;
    private VirtualMachines machines;
    private String namespace;

    @BeforeAll
    void start(ControlPlane controlPlane, Nodes nodes) {
        this.controlPlane = controlPlane;
        Installation.apply(controlPlane.admin());
        nodes.create("hostile-1", POOL);
        nodes.create("hostile-2", POOL);
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

    private VirtualMachine vm(String script) {
        return vm(namespace, script);
    }

    private VirtualMachine vm(String namespace, String script) {
        return machines.vm("db")
                .inNamespace(namespace)
                .withNodeSelector(POOL)
                .whoseMachine(script)
                .start();
    }

    static Stream<String> hostileTerms() {
        return Stream.of(
                "x".repeat(1 << 20),
                "matchExpressions: " + "[".repeat(50_000),
                "{\"matchExpressions\":".repeat(5_000),
                "a: &a [x, x]\nb: &b [*a, *a, *a, *a]\nc: &c [*b, *b, *b, *b]\nmatchExpressions: [*c, *c, *c, *c]",
                "matchExpressions: [{key: a, operator: Exists}]\nmatchExpressions: [{key: b, operator: Exists}]",
                "{\"matchFields\":[],\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"NotIn\",\"values\":[\"x\"]}]}",
                "!!java.net.URL [x]");
    }

    @ParameterizedTest
    @MethodSource("hostileTerms")
    void aHostileTermIsTheUsersErrorAndNeverAFaultOfOurs(String term) {
        KubernetesClientException refusal = catchThrowableOfType(
                KubernetesClientException.class,
                () -> machines.vm("db")
                        .inNamespace(namespace)
                        .create()
                        .migration("m")
                        .withAnnotation(ANNOTATION, term)
                        .create());

        assertThat(refusal.getCode()).isEqualTo(422);
        assertThat(refusal.getMessage()).contains("metadata.annotations").hasSizeLessThan(20_000);
    }

    private Pod launcher(String uid, String migration) {
        return new PodBuilder()
                .withNewMetadata()
                .withGenerateName("forged-")
                .withNamespace(namespace)
                .addToLabels(LauncherPod.LABEL, LauncherPod.LAUNCHER)
                .addToLabels(LauncherPod.MIGRATION_UID_LABEL, uid)
                .addToAnnotations(LauncherPod.MIGRATION_NAME_ANNOTATION, migration)
                .endMetadata()
                .withNewSpec()
                .withNodeSelector(Map.of("pool", "nowhere"))
                .addNewContainer()
                .withName("c")
                .withImage("none")
                .endContainer()
                .endSpec()
                .build();
    }

    private void assertUntouched(Pod pod) {
        Pod created = controlPlane.admin().resource(pod).create();
        assertThat(created.getSpec().getAffinity()).isNull();
        assertThat(created.getSpec().getSchedulingGates()).isNullOrEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"m", "", "..", "../../kube-system/secrets/x", "m?watch=true", "Not A Name", "a\nb"})
    void aPodThatCarriesOurLabelsButBelongsToNoMigrationPassesUntouched(String migration) {
        assertUntouched(launcher("0b6a2c56-0000-4000-8000-000000000000", migration));
    }

    @Test
    void theUidOfAMigrationOfAnotherNamespaceDoesNothingHere(TestNamespace here, ControlPlane plane) {
        VirtualMachine vm = vm("hang");
        Migration migration = vm.migration("m").withAnnotation(ANNOTATION, TERM).create();
        String uid = migration.get().getMetadata().getUid();

        Pod elsewhere = launcher(uid, "m");
        elsewhere.getMetadata().setNamespace("default");
        try {
            assertUntouched(elsewhere);
        } finally {
            plane.admin()
                    .pods()
                    .inNamespace("default")
                    .withLabel(LauncherPod.MIGRATION_UID_LABEL, uid)
                    .delete();
            migration.cancel();
        }
        assertThat(here.name()).isNotEqualTo("default");
    }

    /** Both migrations are called m, and both are directed: the name alone would find one here. */
    @Test
    void theUidOfANamesakeInAnotherNamespaceDoesNothingHere() {
        String other = namespace + "-other";
        controlPlane
                .admin()
                .resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(other)
                        .endMetadata()
                        .build())
                .create();
        try {
            Migration here =
                    vm("hang").migration("m").withAnnotation(ANNOTATION, TERM).create();
            Migration there = vm(other, "hang")
                    .migration("m")
                    .withAnnotation(ANNOTATION, TERM)
                    .create();

            assertUntouched(launcher(there.get().getMetadata().getUid(), "m"));
            assertUntouched(launcher("0b6a2c56-0000-4000-8000-000000000000", "m"));

            here.cancel();
            there.cancel();
        } finally {
            controlPlane.admin().namespaces().withName(other).delete();
        }
    }

    @Test
    void aPodWithTheMarksOfSomebodyElsesMigrationCanOnlyGetNarrower() {
        VirtualMachine vm = vm("hang");
        Migration migration = vm.migration("m").withAnnotation(ANNOTATION, TERM).create();
        Pod forged = new PodBuilder(launcher(migration.get().getMetadata().getUid(), "m"))
                .editSpec()
                .withNewAffinity()
                .withNewNodeAffinity()
                .withNewRequiredDuringSchedulingIgnoredDuringExecution()
                .addNewNodeSelectorTerm()
                .addNewMatchExpression()
                .withKey("rack")
                .withOperator("In")
                .withValues("r1")
                .endMatchExpression()
                .endNodeSelectorTerm()
                .endRequiredDuringSchedulingIgnoredDuringExecution()
                .endNodeAffinity()
                .endAffinity()
                .endSpec()
                .build();

        Pod created = controlPlane.admin().resource(forged).create();

        NodeSelector required =
                created.getSpec().getAffinity().getNodeAffinity().getRequiredDuringSchedulingIgnoredDuringExecution();
        assertThat(required.getNodeSelectorTerms()).singleElement().satisfies(term -> {
            assertThat(term.getMatchExpressions())
                    .singleElement()
                    .satisfies(rack -> assertThat(rack.getKey()).isEqualTo("rack"));
            assertThat(term.getMatchFields())
                    .singleElement()
                    .satisfies(name -> assertThat(name.getValues()).containsExactly("hostile-2"));
        });
        assertThat(created.getSpec().getNodeSelector()).isEqualTo(Map.of("pool", "nowhere"));
        migration.cancel();
    }

    /** The name of a VMI is anybody's text: it must not lead to what the user cannot read, and we can. */
    @Test
    void theNameOfAVmiLeadsToNoOtherObject() {
        vm("ok");
        String path = "../../" + namespace + "/virtualmachineinstances/db";

        KubernetesClientException refusal = catchThrowableOfType(
                KubernetesClientException.class,
                () -> controlPlane.admin().resource(migrationOf(path)).create());

        // Refused by KubeVirt, which knows no such VMI, after we had our say.
        assertThat(refusal.getCode()).isBetween(400, 499);
        assertThat(controlPlane.auditLog().of(ControlPlane.OPERATOR))
                .filteredOn(request -> request.resource().equals("virtualmachineinstances"))
                .filteredOn(request -> request.namespace().equals(namespace))
                .isEmpty();
    }

    private io.fabric8.kubernetes.api.model.GenericKubernetesResource migrationOf(String vmi) {
        var migration = machines.vm("db")
                .inNamespace(namespace)
                .create()
                .migration("m")
                .withAnnotation(ANNOTATION, TERM)
                .build();
        Map<String, Object> spec = migration.get("spec");
        spec.put("vmiName", vmi);
        return migration;
    }

    @Test
    void whateverIsPostedToTheRunningOperatorNothingIsAFaultOfIts() throws Exception {
        try (HttpClient client = HttpClient.newBuilder()
                .sslContext(Trust.in(ca()))
                .version(HttpClient.Version.HTTP_1_1)
                .build()) {
            for (JsonNode review : List.of(migrationReview(), podReview())) {
                for (JsonPointer at : Mutants.pointers(review)) {
                    // One of each type; HostileReviewsTest has more.
                    for (JsonNode value : List.of(
                            JSON.getNodeFactory().nullNode(),
                            JSON.getNodeFactory().textNode("a/../b"),
                            JSON.createArrayNode(),
                            JSON.createObjectNode(),
                            JSON.getNodeFactory().numberNode(7))) {
                        String body = Mutants.with(review, at, value).toString();
                        String path =
                                review.at("/request/object/spec").has("vmiName") ? "/admit/migrations" : "/admit/pods";
                        assertThat(post(client, path, body).statusCode())
                                .as("%s for %s", path, body)
                                .isIn(200, 400);
                    }
                }
            }
        }
        assertThat(operator.manager().isReady()).isTrue();
    }

    private String ca() {
        String bundle = controlPlane
                .admin()
                .admissionRegistration()
                .v1()
                .mutatingWebhookConfigurations()
                .withName("kubevirt-ferry")
                .get()
                .getWebhooks()
                .getFirst()
                .getClientConfig()
                .getCaBundle();
        return new String(Base64.getDecoder().decode(bundle), StandardCharsets.UTF_8);
    }

    private HttpResponse<String> post(HttpClient client, String path, String body) throws Exception {
        URI uri = URI.create("https://127.0.0.1:" + operator.ports().webhooks() + path);
        return client.send(
                HttpRequest.newBuilder(uri)
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofString());
    }

    private ObjectNode review() {
        ObjectNode review = JSON.createObjectNode().put("apiVersion", "admission.k8s.io/v1");
        review.putObject("request").put("uid", "u").put("operation", "CREATE").put("namespace", namespace);
        return review;
    }

    private JsonNode migrationReview() {
        ObjectNode review = review();
        ObjectNode object = ((ObjectNode) review.get("request")).putObject("object");
        object.putObject("metadata").putObject("annotations").put(ANNOTATION, TERM);
        object.putObject("spec").put("vmiName", "db");
        return review;
    }

    private JsonNode podReview() {
        ObjectNode review = review();
        ((ObjectNode) review.get("request")).set("object", JSON.valueToTree(launcher("u-1", "m")));
        return review;
    }
}
