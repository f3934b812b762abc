package io.kubevirt.ferry.controller;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.kubevirt.ferry.kubevirt.LauncherPod;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import org.junit.jupiter.api.Test;

class TrimmedTest {
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
    private static final KubernetesSerialization JSON = new KubernetesSerialization();

    private static final String IDENTITY =
            "name: x, namespace: shop, uid: u-1, resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z'";

    private static <T> T read(Class<T> type, String yaml) {
        try {
            return JSON.unmarshal(YAML.readTree(yaml).toString(), type);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static JsonNode tree(Object object) {
        try {
            return YAML.readTree(JSON.asJson(object));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    @Test
    void ofAPodThatNoMigrationMadeItIsKeptWhereItIs() {
        LauncherPod pod = Trimmed.pod(read(LauncherPod.class, """
                metadata: {%s, labels: {kubevirt.io: virt-launcher}, annotations: {a: b}}
                spec: {nodeName: node-1, nodeSelector: {a: b}, affinity: {nodeAffinity: {}}, tolerations: [{key: a}]}
                status: {phase: Running, conditions: [{type: Ready, status: "True"}]}
                """.formatted(IDENTITY)));

        assertThat(tree(pod)).isEqualTo(tree(read(LauncherPod.class, """
                metadata: {%s}
                spec: {nodeName: node-1, nodeSelector: {}, tolerations: [], schedulingGates: []}
                status: {phase: Running, conditions: []}
                """.formatted(IDENTITY))));
    }

    @Test
    void ofATargetPodAllIsKeptThatSaysWhereItMayGoAndWhoseItIs() {
        String kept = """
                metadata:
                  %s
                  labels: {kubevirt.io: virt-launcher, kubevirt.io/migrationJobUID: m-1}
                  annotations: {kubevirt.io/migrationJobName: m}
                  ownerReferences: [{kind: VirtualMachineInstance, name: db, uid: i-1, controller: true}]
                spec:
                  nodeName: node-1
                  nodeSelector: {a: b}
                  tolerations: [{key: a}]
                  schedulingGates: [{name: g}]
                  affinity:
                    nodeAffinity:
                      requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: []}]}
                status: {phase: Pending, conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: none}]}
                """.formatted(IDENTITY.replace(", ", "\n  "));
        String whole = kept.replace("virt-launcher,", "virt-launcher, app: shop,")
                .replace("migrationJobName: m", "migrationJobName: m, note: long")
                .replace("    nodeAffinity:", "    podAntiAffinity: {}\n    nodeAffinity:");

        assertThat(tree(Trimmed.pod(read(LauncherPod.class, whole)))).isEqualTo(tree(read(LauncherPod.class, kept)));
    }

    @Test
    void ofAMigrationWithATermTheConditionsAreKeptAndOfOthersThePhase() {
        String status = """
                phase: Running, migrationState: {migrationUid: m-1, sourcePod: p},
                conditions: [{type: Other, status: "True", extra: kept}],
                phaseTransitionTimestamps: [{phase: Running}]""";
        String term = "annotations: {migration.kubevirt.io/added-node-selector-term: t}";
        String directed = "{metadata: {%s, %s}, spec: {vmiName: db}, status: {%s}}".formatted(IDENTITY, term, status);
        String ordinary = "{metadata: {%s}, spec: {vmiName: db}, status: {%s}}".formatted(IDENTITY, status);

        assertThat(tree(migration(directed.replace("{mig", "{kubectl: 'the whole object', mig"))))
                .isEqualTo(tree(read(VirtualMachineInstanceMigration.class, directed)));
        assertThat(migration(ordinary).phase()).isEqualTo("Running");
        assertThat(migration(ordinary).status().conditions()).isEmpty();
        assertThat(migration("{metadata: {%s}}".formatted(IDENTITY)).getStatus())
                .isNull();
    }

    @Test
    void ofWhatIsOverItIsKeptHowItCameOut() {
        LauncherPod pod = Trimmed.pod(read(LauncherPod.class, """
                metadata: {%s, labels: {kubevirt.io/migrationJobUID: m-1}}
                spec: {nodeName: node-1, nodeSelector: {a: b}, tolerations: [{key: a}]}
                status: {phase: Succeeded, conditions: [{type: Ready, status: "False"}]}
                """.formatted(IDENTITY)));
        var migration = migration("""
                metadata: {%s, annotations: {migration.kubevirt.io/added-node-selector-term: t}}
                status:
                  phase: Failed
                  migrationState: {migrationUid: m-1}
                  conditions: [{type: Other, status: "True"}, {type: TargetPlacement, status: "False", reason: Bypassed}]
                """.formatted(IDENTITY));

        assertThat(pod.node()).contains("node-1");
        assertThat(pod.spec().nodeSelector()).isEmpty();
        assertThat(pod.status().conditions()).isEmpty();
        assertThat(migration.status().conditions())
                .singleElement()
                .satisfies(own -> assertThat(own.path("reason").asText()).isEqualTo("Bypassed"));
        assertThat(migration.status().migrationState()).isNotNull();
    }

    private static VirtualMachineInstanceMigration migration(String yaml) {
        return Trimmed.migration(read(VirtualMachineInstanceMigration.class, yaml));
    }

    @Test
    void ofANodeTheAnnotationsAreLeftOut() {
        Node node = Trimmed.node(read(Node.class, """
                metadata: {name: node-1, labels: {rack: r1}, annotations: {csi: long}}
                spec: {unschedulable: true, taints: [{key: a, effect: NoSchedule}]}
                status: {conditions: [{type: Ready, status: "True"}]}
                """));

        assertThat(node.getMetadata().getAnnotations()).isEmpty();
        assertThat(node.getMetadata().getLabels()).containsEntry("rack", "r1");
        assertThat(node.getSpec().getTaints()).hasSize(1);
        assertThat(node.getStatus().getConditions()).hasSize(1);
    }
}
