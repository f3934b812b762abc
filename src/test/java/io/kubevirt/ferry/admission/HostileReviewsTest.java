package io.kubevirt.ferry.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.kubevirt.ferry.placement.Demands;
import io.kubevirt.ferry.placement.NodeView;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever is sent, the answer is a verdict or a line that says why there is none; and no verdict widens a pod. */
class HostileReviewsTest {
    private static final String TERM = "matchFields: [{key: metadata.name, operator: In, values: [node-b]}]";

    private static final JsonNode MIGRATION = Reviews.yaml("""
            apiVersion: admission.k8s.io/v1
            kind: AdmissionReview
            request:
              uid: u
              kind: {group: kubevirt.io, version: v1, kind: VirtualMachineInstanceMigration}
              resource: {group: kubevirt.io, version: v1, resource: virtualmachineinstancemigrations}
              requestKind: {group: kubevirt.io, version: v1, kind: VirtualMachineInstanceMigration}
              name: m
              namespace: shop
              operation: UPDATE
              userInfo: {username: eve, uid: e, groups: [g], extra: {k: [v]}}
              object:
                apiVersion: kubevirt.io/v1
                kind: VirtualMachineInstanceMigration
                metadata:
                  name: m
                  namespace: shop
                  annotations: {migration.kubevirt.io/added-node-selector-term: 'matchExpressions: [{key: a, operator: Exists}]'}
                spec:
                  vmiName: db
                  addedNodeSelectorTerm: {matchExpressions: [{key: a, operator: Exists}]}
              oldObject:
                metadata:
                  name: m
                  annotations: {migration.kubevirt.io/added-node-selector-term: 'matchExpressions: [{key: a, operator: Exists}]'}
                spec: {vmiName: db}
              dryRun: false
              options: {apiVersion: meta.k8s.io/v1, kind: UpdateOptions}
            """);

    private static final JsonNode POD = Reviews.yaml("""
            apiVersion: admission.k8s.io/v1
            kind: AdmissionReview
            request:
              uid: u
              kind: {group: '', version: v1, kind: Pod}
              resource: {group: '', version: v1, resource: pods}
              namespace: shop
              operation: CREATE
              userInfo: {username: virt-controller}
              object:
                metadata:
                  generateName: virt-launcher-db-
                  labels: {kubevirt.io: virt-launcher, kubevirt.io/migrationJobUID: u-1}
                  annotations: {kubevirt.io/migrationJobName: m}
                spec:
                  schedulingGates: [{name: theirs}]
                  affinity:
                    nodeAffinity:
                      requiredDuringSchedulingIgnoredDuringExecution:
                        nodeSelectorTerms:
                        - matchExpressions: [{key: zone, operator: In, values: [a]}]
                          matchFields: [{key: metadata.name, operator: NotIn, values: [node-a]}]
              oldObject: null
              options: {}
            """);

    private static final JsonNode DEFINITION = Reviews.yaml("""
            apiVersion: admission.k8s.io/v1
            kind: AdmissionReview
            request:
              uid: u
              operation: UPDATE
              object:
                metadata: {name: virtualmachineinstancemigrations.kubevirt.io}
                spec:
                  versions:
                  - name: v1
                    served: true
                    schema: {openAPIV3Schema: {properties: {spec: {properties: {vmiName: {type: string}}}}}}
              oldObject: {}
            """);

    /** Knows one migration, one VMI and one node, and notes what it is asked for. */
    private static final class SmallCluster implements Surroundings, Migrations {
        private final List<String> asked = new ArrayList<>();

        @Override
        public Found find(String namespace, String name, String uid) {
            asked.add(namespace + "/" + name);
            return uid.equals("u-1") ? new Found.Migration(Optional.of(TERM)) : new Found.None();
        }

        @Override
        public Optional<Demands> demands(String namespace, String vmi, NodeSelectorTerm term) {
            asked.add(namespace + "/" + vmi);
            return Optional.of(new Demands(term, Map.of(), Optional.empty(), List.of(), Optional.of("node-a")));
        }

        @Override
        public List<NodeView> nodes() {
            return List.of(new NodeView("node-b", Map.of("a", "b"), List.of(), false, true));
        }

        @Override
        public boolean fieldIsKubeVirts() {
            return false;
        }
    }

    private final SmallCluster cluster = new SmallCluster();
    private final AdmissionEndpoint migrations =
            new AdmissionEndpoint(new MigrationAdmission(cluster, Permissions.unrestricted()));
    private final AdmissionEndpoint pods = new AdmissionEndpoint(new TargetPodAdmission(cluster));
    private final AdmissionEndpoint definitions = new AdmissionEndpoint(new DefinitionAdmission(() -> true));
    private final AdmissionEndpoint volumeUpdates = new AdmissionEndpoint(
            new VolumeUpdateAdmission((namespace, vmi) -> new VolumeMigrations.Found.Term("{\"matchFields\": []}")));

    private static byte[] bytes(JsonNode review) {
        return review.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static JsonNode answer(AdmissionEndpoint endpoint, byte[] review) {
        try {
            return Reviews.JSON.readTree(endpoint.answer(review).body()).path("response");
        } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
            throw new AssertionError("an answer that is no JSON", e);
        }
    }

    private static JsonNode answer(AdmissionEndpoint endpoint, JsonNode review) {
        return answer(endpoint, bytes(review));
    }

    /** An answer or the one exception that stands for status 400: every other escapes, and fails the test. */
    private static Optional<JsonNode> answerIfAny(AdmissionEndpoint endpoint, JsonNode review) {
        try {
            return Optional.of(answer(endpoint, review));
        } catch (MalformedReviewException e) {
            assertThat(e.getMessage()).isNotBlank().hasSizeLessThan(400).doesNotContain("\n", "\r");
            return Optional.empty();
        }
    }

    static Stream<JsonNode> reviews() {
        return Stream.of(
                MIGRATION,
                Mutants.with(MIGRATION, JsonPointer.compile("/request/operation"), TextNode.valueOf("CREATE")),
                forVolumes(),
                POD,
                DEFINITION);
    }

    private static JsonNode forVolumes() {
        ObjectNode review = Mutants.with(
                        MIGRATION, JsonPointer.compile("/request/operation"), TextNode.valueOf("CREATE"))
                .deepCopy();
        ObjectNode metadata = (ObjectNode) review.at("/request/object/metadata");
        metadata.remove("annotations");
        metadata.putObject("labels").put("kubevirt.io/volume-update-migration", "db");
        return review;
    }

    @ParameterizedTest
    @MethodSource("reviews")
    void whateverTypeANodeOfAReviewHasThereIsAnAnswer(JsonNode review) {
        for (AdmissionEndpoint endpoint : List.of(migrations, pods, definitions, volumeUpdates)) {
            for (JsonPointer at : Mutants.pointers(review)) {
                for (JsonNode value : Mutants.VALUES) {
                    assertNarrows(endpoint, Mutants.with(review, at, value));
                }
                if (!at.matches()) {
                    assertNarrows(endpoint, Mutants.without(review, at));
                }
            }
        }
    }

    /** If there is an answer at all, it is a verdict, and lets no pod go where it might not go before. */
    private void assertNarrows(AdmissionEndpoint endpoint, JsonNode review) {
        answerIfAny(endpoint, review).ifPresent(answer -> {
            assertThat(answer.path("allowed").isBoolean()).as("for %s", review).isTrue();
            if (endpoint == pods && answer.has("patch")) {
                assertThat(Widening.of(review.at("/request/object"), answer, NODES))
                        .as("for %s", review)
                        .isEmpty();
            }
        });
    }

    /** What the affinity of our pod allows, what the term allows, both and neither. */
    private static final List<NodeView> NODES = Stream.of("node-a", "node-b")
            .flatMap(name ->
                    Stream.of("a", "b").map(zone -> new NodeView(name, Map.of("zone", zone), List.of(), false, true)))
            .toList();

    @Test
    void ourReviewsAreRightUnmutated() {
        assertThat(answer(migrations, MIGRATION).path("patchType").asText()).isEqualTo("JSONPatch");
        assertThat(answer(pods, POD).path("patchType").asText()).isEqualTo("JSONPatch");
        assertThat(answer(definitions, DEFINITION).path("patchType").asText()).isEqualTo("JSONPatch");
    }

    private JsonNode answerToAnnotation(String text) {
        JsonNode created =
                Mutants.with(MIGRATION, JsonPointer.compile("/request/operation"), TextNode.valueOf("CREATE"));
        JsonNode annotated = Mutants.with(
                created,
                JsonPointer.compile(
                        "/request/object/metadata/annotations/migration.kubevirt.io~1added-node-selector-term"),
                TextNode.valueOf(text));
        return answer(migrations, annotated);
    }

    @ParameterizedTest
    @MethodSource("io.kubevirt.ferry.admission.Bombs#texts")
    void aHostileTermIsRefusedInAFewWords(String text) {
        JsonNode answer = answerToAnnotation(text);

        assertThat(answer.path("allowed").asBoolean(true)).isFalse();
        assertThat(answer.at("/status/code").asInt()).isEqualTo(422);
        assertThat(answer.toString()).hasSizeLessThan(32_000);
    }

    @ParameterizedTest
    @ValueSource(ints = {999, 1_001, 100_000})
    void howeverDeepAReviewIsTheStackHolds(int depth) {
        String object = "{\"metadata\":".repeat(depth) + "{}" + "}".repeat(depth);
        String review = POD.toString().replace("\"oldObject\":null", "\"oldObject\":" + object);

        assertThatThrownBy(() -> pods.answer(review.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(MalformedReviewException.class)
                .hasMessageContaining("depth");
    }

    @Test
    void aReviewOfMoreFieldsThanEtcdWouldTakeIsRefusedUnread() {
        String review =
                POD.toString().replace("\"oldObject\":null", "\"oldObject\":{\"a\":[" + "[],".repeat(700_000) + "0]}");

        assertThatThrownBy(() -> pods.answer(review.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(MalformedReviewException.class)
                .hasMessageContaining("Token count");
    }

    @Test
    void whatIsRefusedUnreadIsNamedOnOneShortLine() {
        JsonNode review = Mutants.with(
                POD,
                JsonPointer.compile("/request/operation"),
                TextNode.valueOf("x\n2026-01-01T00:00:00Z ERROR forged\u2028\u0007" + "y".repeat(100_000)));

        assertThatThrownBy(() -> pods.answer(bytes(review)))
                .isInstanceOf(MalformedReviewException.class)
                .satisfies(e -> assertThat(e.getMessage())
                        .hasSizeLessThan(400)
                        .contains("forged")
                        .doesNotContain("\n", "\u2028", "\u0007"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../../elsewhere/virtualmachineinstances/db",
                "..",
                "db/../../secrets",
                "db?watch=true",
                "db#",
                "db%2f..",
                "db\nx",
                "Db",
                "",
                " ",
                "-db"
            })
    void whatCannotBeANameIsLookedUpNowhere(String name) {
        JsonNode migration = Mutants.with(
                Mutants.with(MIGRATION, JsonPointer.compile("/request/operation"), TextNode.valueOf("CREATE")),
                JsonPointer.compile("/request/object/spec/vmiName"),
                TextNode.valueOf(name));
        assertThat(answer(migrations, migration).path("allowed").asBoolean()).isTrue();

        JsonNode pod = Mutants.with(
                POD,
                JsonPointer.compile("/request/object/metadata/annotations/kubevirt.io~1migrationJobName"),
                TextNode.valueOf(name));
        assertThat(answer(pods, pod)).isEqualTo(Reviews.yaml("{uid: u, allowed: true}"));

        JsonNode elsewhere = Mutants.with(POD, JsonPointer.compile("/request/namespace"), TextNode.valueOf(name));
        assertThat(answer(pods, elsewhere)).isEqualTo(Reviews.yaml("{uid: u, allowed: true}"));
        assertThat(cluster.asked).isEmpty();
    }

    @Test
    void ofRepeatedKeysTheLastOneCountsForLabelsAndAffinityAlike() {
        String twice = POD.toString()
                .replace(
                        "\"kubevirt.io/migrationJobUID\":\"u-1\"",
                        "\"kubevirt.io/migrationJobUID\":\"u-1\",\"kubevirt.io/migrationJobUID\":\"other\"");

        assertThat(answer(pods, twice.getBytes(StandardCharsets.UTF_8)).has("patch"))
                .isFalse();
    }

    /** The tables that a parser keeps of names, say, would show. */
    @Test
    void memoryIsFlatHoweverManyHostileReviewsCome() {
        List<String> bombs = Bombs.texts().toList();
        flood(bombs, 0);
        long before = used();

        for (int round = 1; round <= 6; round++) {
            flood(bombs, round);
        }

        assertThat(used() - before).isLessThan(8L << 20);
    }

    private void flood(List<String> bombs, int round) {
        bombs.forEach(this::answerToAnnotation);
        for (int i = 0; i < 500; i++) {
            String name = "n" + round + "-" + i;
            JsonNode review = Mutants.with(
                    POD,
                    JsonPointer.compile("/request/oldObject"),
                    Reviews.JSON.createObjectNode().put(name, name.repeat(200)));
            answerIfAny(pods, review);
            answerIfAny(pods, Mutants.with(review, JsonPointer.compile("/request/uid"), Mutants.VALUES.get(i % 16)));
        }
    }

    /** In the heap after a collection, which the smallest of a few readings stands for. */
    private static long used() {
        Runtime runtime = Runtime.getRuntime();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            System.gc();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }
}
