package io.kubevirt.ferry.api;

import static io.kubevirt.ferry.testbed.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.kubevirt.ferry.testbed.ControlPlane;
import io.kubevirt.ferry.testbed.ControlPlaneExtension;
import io.kubevirt.ferry.testbed.Kubectl;
import io.kubevirt.ferry.testbed.TestNamespace;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What the API server itself makes of VolumeMigrations, with the CRD that is shipped. */
@ExtendWith(ControlPlaneExtension.class)
class VolumeMigrationIT {
    private static final ResourceDefinitionContext KIND = new ResourceDefinitionContext.Builder()
            .withGroup(VolumeMigration.GROUP)
            .withVersion("v1alpha1")
            .withKind("VolumeMigration")
            .withPlural("volumemigrations")
            .withNamespaced(true)
            .build();
    private static final String NAMES_OF_ANY_LENGTH = "a".repeat(240);

    private KubernetesClient admin;
    private TestNamespace namespace;

    @BeforeAll
    static void install(ControlPlane controlPlane) {
        var admin = controlPlane.admin();
        admin.resource(Crds.volumeMigration()).serverSideApply();
        eventually()
                .ignoreExceptions()
                .until(() ->
                        admin.genericKubernetesResources(KIND).inAnyNamespace().list() != null);
    }

    @BeforeEach
    void use(ControlPlane controlPlane, TestNamespace own) {
        admin = controlPlane.admin();
        namespace = own;
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                arguments("nothing to move", "migratedVolume: []", "spec.migratedVolume"),
                arguments("no volumes at all", "backoffLimit: 1", "spec.migratedVolume: Required value"),
                arguments("no destination", "migratedVolume: [{sourcePvc: a}]", "destinationPvc: Required value"),
                arguments("not the name of a claim", volumes("a>B_"), "spec.migratedVolume[0].destinationPvc"),
                arguments("source and destination the same", volumes("a>a"), "cannot be both source and destination"),
                arguments(
                        "a source that is another's destination", volumes("a>b", "b>c"), "both source and destination"),
                arguments("two volumes for one destination", volumes("a>c", "b>c"), "destination of one volume only"),
                arguments("a source named twice", volumes("a>b", "a>c"), "spec.migratedVolume[1]: Duplicate value"),
                arguments("sixty-five volumes", many(65, ""), "must have at most 64 items"),
                arguments("more attempts than twenty-one", volumes("a>b") + ", backoffLimit: 21", "spec.backoffLimit"),
                arguments("less than no further attempt", volumes("a>b") + ", backoffLimit: -1", "spec.backoffLimit"),
                arguments(
                        "a time to live before the end",
                        volumes("a>b") + ", ttlSecondsAfterFinished: -1",
                        "spec.ttlSecondsAfterFinished"),
                arguments(
                        "a policy that there is not",
                        volumes("a>b") + ", virtualMachineUpdatePolicy: Perhaps",
                        "spec.virtualMachineUpdatePolicy: Unsupported value"),
                arguments(
                        "a reclaim policy that there is not",
                        "migratedVolume: [{sourcePvc: a, destinationPvc: b, reclaimPolicySourcePvc: Recycle}]",
                        "reclaimPolicySourcePvc: Unsupported value"),
                arguments(
                        "a term without operator",
                        volumes("a>b") + ", addedNodeSelectorTerm: {matchExpressions: [{key: rack}]}",
                        "addedNodeSelectorTerm.matchExpressions[0].operator: Required value"),
                arguments("an empty term", volumes("a>b") + ", addedNodeSelectorTerm: {}", "matches no node"),
                arguments(
                        "a term of empty lists",
                        volumes("a>b") + ", addedNodeSelectorTerm: {matchExpressions: [], matchFields: []}",
                        "matches no node"),
                arguments(
                        "In without values",
                        volumes("a>b") + ", addedNodeSelectorTerm: {matchExpressions: [{key: rack, operator: In}]}",
                        "addedNodeSelectorTerm.matchExpressions[0]: Invalid value: needs values: at least one for In"),
                arguments(
                        "Exists with values",
                        volumes("a>b")
                                + ", addedNodeSelectorTerm: {matchExpressions: [{key: rack, operator: Exists, values: [a]}]}",
                        "none for Exists and DoesNotExist"),
                arguments(
                        "Gt with what is no number",
                        volumes("a>b")
                                + ", addedNodeSelectorTerm: {matchExpressions: [{key: rack, operator: Gt, values: [a]}]}",
                        "one integer for Gt and Lt"),
                arguments(
                        "two nodes",
                        volumes("a>b")
                                + ", addedNodeSelectorTerm: {matchFields: [{key: metadata.name, operator: In, values: [a, b]}]}",
                        "needs values: the name of one node"),
                arguments(
                        "a term on a field that nodes have not",
                        volumes("a>b")
                                + ", addedNodeSelectorTerm: {matchFields: [{key: spec.x, operator: In, values: [a]}]}",
                        "addedNodeSelectorTerm.matchFields[0].key"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refused")
    void theApiServerRefuses(String what, String spec, String words) {
        assertThatThrownBy(() -> create("refused", spec))
                .as(what)
                .isInstanceOf(KubernetesClientException.class)
                .hasMessageContaining(words);
    }

    static Stream<Arguments> terms() {
        return Stream.of(
                        "matchExpressions: [{key: rack, operator: In, values: [r7, r8]}]",
                        "matchExpressions: [{key: rack, operator: Exists}, {key: rack, operator: DoesNotExist, values: []}]",
                        "matchExpressions: [{key: example.com/cores, operator: Gt, values: [\"8\"]}]",
                        "matchExpressions: [{key: rack, operator: NotIn, values: [\"\"]}]",
                        "matchFields: [{key: metadata.name, operator: NotIn, values: [node-1]}]")
                .map(Arguments::of);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("terms")
    void theApiServerTakesWhatNodeAffinityTakes(String term) {
        create(
                "term-" + Integer.toHexString(term.hashCode()),
                volumes("a>b") + ", addedNodeSelectorTerm: {" + term + "}");
    }

    @Test
    void whatIsLeftOutHasItsDefault() {
        var made = create("defaults", volumes("a>b"));
        assertThat(made.<Object>get("spec", "virtualMachineUpdatePolicy")).isEqualTo("Automatic");
        assertThat(made.<Object>get("spec", "volumesLeftOut")).isEqualTo("Reject");
        assertThat(made.<Object>get("spec", "backoffLimit")).isEqualTo(3);
        assertThat(made.<Object>get("spec", "migratedVolume", 0, "reclaimPolicySourcePvc"))
                .isEqualTo("Delete");
    }

    @Test
    void sixtyFourVolumesWithLongNamesCanBeCreatedAndUpdated() {
        var spec = many(64, NAMES_OF_ANY_LENGTH)
                + ", addedNodeSelectorTerm: {matchExpressions: [{key: rack, operator: In," + " values: ["
                + IntStream.range(0, 500).mapToObj(i -> "r" + i).collect(Collectors.joining(", ")) + "]}]}";
        create("many", spec);
        var updated = patch("many", "{\"spec\": {\"ttlSecondsAfterFinished\": 1}}");
        assertThat(updated.<Object>get("spec", "ttlSecondsAfterFinished")).isEqualTo(1);
    }

    static Stream<Arguments> changes() {
        return Stream.of(
                arguments("{\"spec\": {\"migratedVolume\": [{\"sourcePvc\": \"a\", \"destinationPvc\": \"x\"}]}}"),
                arguments("{\"spec\": {\"addedNodeSelectorTerm\": null}}"),
                arguments("{\"spec\": {\"addedNodeSelectorTerm\": {\"matchExpressions\": null}}}"),
                arguments("{\"spec\": {\"virtualMachineUpdatePolicy\": \"Manual\"}}"),
                arguments("{\"spec\": {\"volumesLeftOut\": \"Accept\"}}"),
                arguments("{\"spec\": {\"backoffLimit\": 4}}"));
    }

    @ParameterizedTest
    @MethodSource("changes")
    void theSpecCannotBeChanged(String change) {
        create(
                "fixed",
                volumes("a>b") + ", addedNodeSelectorTerm: {matchExpressions: [{key: rack, operator: Exists}]}");
        assertThatThrownBy(() -> patch("fixed", change))
                .isInstanceOf(KubernetesClientException.class)
                .hasMessageContaining("is immutable: make another VolumeMigration");
    }

    @Test
    void aTermCannotBeAddedLater() {
        create("termless", volumes("a>b"));
        assertThatThrownBy(() -> patch(
                        "termless",
                        "{\"spec\": {\"addedNodeSelectorTerm\": {\"matchExpressions\": [{\"key\": \"rack\","
                                + " \"operator\": \"Exists\"}]}}}"))
                .isInstanceOf(KubernetesClientException.class)
                .hasMessageContaining("addedNodeSelectorTerm is immutable");
    }

    @Test
    void theTimeToLiveCanBeChangedAndTakenAway() {
        create("ttl", volumes("a>b") + ", ttlSecondsAfterFinished: 60");
        assertThat(patch("ttl", "{\"spec\": {\"ttlSecondsAfterFinished\": 0}}")
                        .<Object>get("spec", "ttlSecondsAfterFinished"))
                .isEqualTo(0);
        assertThat(patch("ttl", "{\"spec\": {\"ttlSecondsAfterFinished\": null}}")
                        .<Object>get("spec", "ttlSecondsAfterFinished"))
                .isNull();
    }

    @Test
    void theSameManifestAppliedAgainAndByAnotherChangesNothing() {
        var made = apply("argocd", "applied", volumes("a>b", "c>d"));
        var again = apply("argocd", "applied", volumes("a>b", "c>d"));
        var other = apply("kubectl", "applied", volumes("c>d"));
        assertThat(again.getMetadata().getResourceVersion())
                .isEqualTo(made.getMetadata().getResourceVersion());
        assertThat(other.<Object>get("spec")).isEqualTo(made.<Object>get("spec"));
        assertThat(other.getMetadata().getGeneration()).isEqualTo(1);
    }

    static Stream<Arguments> appliedLater() {
        return Stream.of(
                arguments("one volume more", volumes("a>b", "e>f")),
                arguments("one volume less", volumes("a>b")),
                arguments("another destination", volumes("a>x", "c>d")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("appliedLater")
    void anApplyCannotChangeIt(String what, String spec) {
        apply("argocd", "later", volumes("a>b", "c>d"));
        assertThatThrownBy(() -> apply("argocd", "later", spec))
                .as(what)
                .isInstanceOf(KubernetesClientException.class)
                .hasMessageContaining("is immutable: make another VolumeMigration");
    }

    private GenericKubernetesResource apply(String manager, String name, String spec) {
        return admin.genericKubernetesResources(KIND)
                .inNamespace(namespace.name())
                .load(stream(manifest(name, spec)))
                .fieldManager(manager)
                .forceConflicts()
                .serverSideApply();
    }

    /** Two writers of the status have each their own conditions. */
    @Test
    void aConditionOfSomebodyElseStaysBesideOurs() {
        create("conditions", volumes("a>b"));
        applyCondition("ours", "Ready");
        applyCondition("theirs", "Audited");
        var read = admin.resources(VolumeMigration.class)
                .inNamespace(namespace.name())
                .withName("conditions")
                .get();
        assertThat(read.status().conditions())
                .extracting(VolumeMigrationCondition::type)
                .containsExactlyInAnyOrder("Ready", "Audited");
    }

    private void applyCondition(String manager, String type) {
        admin.genericKubernetesResources(KIND)
                .inNamespace(namespace.name())
                .withName("conditions")
                .subresource("status")
                .patch(
                        new PatchContext.Builder()
                                .withPatchType(PatchType.SERVER_SIDE_APPLY)
                                .withFieldManager(manager)
                                .withForce(true)
                                .build(),
                        """
                        {"apiVersion": "storage.kubevirt.io/v1alpha1", "kind": "VolumeMigration", "metadata": {"name": "conditions"},
                         "status": {"conditions": [{"type": "%s", "status": "True", "reason": "Valid", "message": "",
                           "lastTransitionTime": "2026-05-01T12:00:00Z"}]}}
                        """.formatted(type));
    }

    /** The columns that a person reads, in their order, and the one that only a wide screen has room for. */
    @Test
    void kubectlShowsHowItGoes(ControlPlane controlPlane) {
        create("shown", volumes("a>b"));
        var read = admin.resources(VolumeMigration.class)
                .inNamespace(namespace.name())
                .withName("shown")
                .get();
        read.setStatus(Samples.status());
        admin.resource(read).updateStatus();
        var kubectl = new Kubectl(controlPlane);
        var words = Samples.status().condition("Ready").orElseThrow();
        assertThat(kubectl.run("get", "volmig", "shown", "-n", namespace.name())
                        .printed()
                        .lines()
                        .toList())
                .satisfiesExactly(
                        titles -> assertThat(titles.trim().split(" +"))
                                .containsExactly("NAME", "VM", "STATUS", "ATTEMPTS", "FROM", "TO", "AGE"),
                        row -> assertThat(row).contains(words.reason()).doesNotContain(words.message()));
        assertThat(kubectl.run("get", "volmig", "shown", "-n", namespace.name(), "-o", "wide")
                        .printed()
                        .lines()
                        .toList())
                .satisfiesExactly(
                        titles -> assertThat(titles.trim()).endsWith("AGE   MESSAGE"),
                        row -> assertThat(row).contains(words.reason()).contains(words.message()));
        assertThat(kubectl.run("get", "all", "-n", namespace.name()).printed()).contains("No resources found");
        assertThat(kubectl.run("explain", "volmig.spec.volumesLeftOut").printed())
                .contains("Reject (the default)");
    }

    @Test
    void theStatusKeepsWholeForeignObjectsAndEmptyTexts() {
        create("status", volumes("a>b"));
        var volume = "{\"name\": \"root\", \"persistentVolumeClaim\": {\"claimName\": \"a\", \"new\": {\"x\": 1}}}";
        var status = """
                {"status": {"volumeMigrationStates": [], "conditions": [], "original": {
                  "virtualMachineUid": "1", "virtualMachineInstanceUid": "2", "run": 1,
                  "before": {"volumes": [%s], "claims": [], "updateVolumesStrategy": "",
                    "dataVolumeTemplates": [{"index": 0, "template": {"metadata": {"name": "a"}, "new": [1, 2]}}]},
                  "progress": {"open": true, "step": "Recorded", "verdict": "Run", "reason": "", "message": "",
                    "keepSources": false, "handOverUnseen": false},
                  "attempts": {"lastBefore": "", "before": [], "current": "", "failed": [], "handedOver": ""}}}}
                """.formatted(volume);
        admin.genericKubernetesResources(KIND)
                .inNamespace(namespace.name())
                .withName("status")
                .subresource("status")
                .patch(PatchContext.of(PatchType.JSON_MERGE), status);

        var read = admin.resources(VolumeMigration.class)
                .inNamespace(namespace.name())
                .withName("status")
                .get();
        var before = read.status().run().orElseThrow().before();
        assertThat(before.volumes().getFirst()).hasToString(volume.replace(" ", ""));
        assertThat(before.dataVolumeTemplates().getFirst().template())
                .hasToString("{\"metadata\":{\"name\":\"a\"},\"new\":[1,2]}");
        assertThat(before.updateVolumesStrategy()).isEmpty();
        assertThat(read.status().run().orElseThrow().attempts()).isEqualTo(Attempts.NONE);
    }

    @Test
    void aStatusThatIsWrittenIsReadBackEqual() {
        create("round-trip", volumes("a>b"));
        var read = admin.resources(VolumeMigration.class)
                .inNamespace(namespace.name())
                .withName("round-trip")
                .get();
        read.setStatus(Samples.status());
        var written = admin.resource(read).updateStatus();
        assertThat(written.status()).isEqualTo(Samples.status());
    }

    private GenericKubernetesResource create(String name, String spec) {
        return admin.genericKubernetesResources(KIND)
                .inNamespace(namespace.name())
                .load(stream(manifest(name, spec)))
                .create();
    }

    private static String manifest(String name, String spec) {
        return """
                apiVersion: storage.kubevirt.io/v1alpha1
                kind: VolumeMigration
                metadata: {name: %s}
                spec: {%s}
                """.formatted(name, spec);
    }

    private GenericKubernetesResource patch(String name, String merge) {
        return admin.genericKubernetesResources(KIND)
                .inNamespace(namespace.name())
                .withName(name)
                .patch(PatchContext.of(PatchType.JSON_MERGE), merge);
    }

    private static java.io.InputStream stream(String text) {
        return new java.io.ByteArrayInputStream(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    /** Volumes, each written as {@code source>destination}. */
    private static String volumes(String... moves) {
        return Arrays.stream(moves)
                .map(move -> move.split(">", -1))
                .map(move -> "{sourcePvc: " + move[0] + ", destinationPvc: " + move[1] + "}")
                .collect(Collectors.joining(", ", "migratedVolume: [", "]"));
    }

    private static String many(int count, String prefix) {
        return volumes(IntStream.range(0, count)
                .mapToObj(i -> prefix + "s" + i + ">" + prefix + "d" + i)
                .toArray(String[]::new));
    }
}
