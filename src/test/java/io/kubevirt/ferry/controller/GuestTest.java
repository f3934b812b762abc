package io.kubevirt.ferry.controller;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.kubevirt.ferry.kubevirt.LauncherPod;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The window of a hand-over: a target pod may be deleted before it and never from its beginning on. */
class GuestTest {
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

    private static VirtualMachineInstanceMigration migration() {
        VirtualMachineInstanceMigration migration = new VirtualMachineInstanceMigration();
        migration.setMetadata(
                new ObjectMetaBuilder().withName("m").withUid("ours").build());
        return migration;
    }

    private static LauncherPod pod() {
        LauncherPod pod = new LauncherPod();
        pod.setMetadata(new ObjectMetaBuilder()
                .withName("target")
                .addNewOwnerReference()
                .withUid("vmi-uid")
                .withController(true)
                .endOwnerReference()
                .build());
        pod.setSpec(new LauncherPod.Spec("node-2", null, Map.of(), List.of(), List.of()));
        return pod;
    }

    private static Guest guest(String status) {
        try {
            return new Guest(YAML.readTree("{metadata: {uid: vmi-uid}, status: " + status + "}"), migration());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            nothing has begun                   | {nodeName: node-1}                                                                                                  | false
            the last one is over                | {nodeName: node-1, migrationState: {migrationUid: earlier, completed: true}}                                        | false
            the last one ended                  | {nodeName: node-1, migrationState: {migrationUid: earlier, endTimestamp: x}}                                        | false
            the target is being prepared        | {nodeName: node-1, migrationState: {migrationUid: ours, targetPod: target}}                                         | false
            the copy runs                       | {nodeName: node-1, migrationState: {migrationUid: ours, targetPod: target, startTimestamp: x}}                      | false
            the domain is seen on the target    | {nodeName: node-1, migrationState: {migrationUid: ours, targetPod: target, targetNodeDomainDetected: true}}         | true
            the guest runs on the target        | {nodeName: node-1, migrationState: {migrationUid: ours, targetPod: target, targetNodeDomainReadyTimestamp: x}}      | true
            it is over, the node not written yet| {nodeName: node-1, migrationState: {migrationUid: ours, targetPod: target, completed: true}}                        | true
            it ended, the node not written yet  | {nodeName: node-1, migrationState: {migrationUid: ours, targetPod: target, endTimestamp: x}}                        | true
            the VMI is on the pod's node        | {nodeName: node-2}                                                                                                  | true
            another one is under way            | {nodeName: node-1, migrationState: {migrationUid: another}}                                                         | true
            """)
    void theGuestMayBeInThePodFromTheFirstSignOn(String when, String status, boolean mayBeIn) {
        assertThat(guest(status).mayBeIn(pod())).as(when).isEqualTo(mayBeIn);
    }

    @Test
    void virtControllersWordOnThePodIsASignToo() {
        LauncherPod pod = pod();
        pod.getMetadata().setAnnotations(Map.of(LauncherPod.GUEST_RUNS_ANNOTATION, "2026-06-01T12:00:00Z"));

        assertThat(guest("{nodeName: node-1}").mayBeIn(pod)).isTrue();
    }

    @Test
    void thePodIsTheTargetAsLongAsTheVmiNamesNoOther() {
        assertThat(guest("{}").mayMoveInto(pod())).isTrue();
        assertThat(guest("{migrationState: {migrationUid: ours, targetPod: target}}")
                        .mayMoveInto(pod()))
                .isTrue();
        assertThat(guest("{migrationState: {migrationUid: ours, targetPod: other}}")
                        .mayMoveInto(pod()))
                .isFalse();
        assertThat(guest("{migrationState: {migrationUid: earlier, targetPod: other}}")
                        .mayMoveInto(pod()))
                .isTrue();
    }

    @Test
    void aPodOfAVmiThatIsGoneOrAnotherIsNoTarget() {
        JsonNode another =
                YAML.createObjectNode().set("metadata", YAML.createObjectNode().put("uid", "later"));

        assertThat(new Guest(MissingNode.getInstance(), migration()).mayMoveInto(pod()))
                .isFalse();
        assertThat(new Guest(another, migration()).mayMoveInto(pod())).isFalse();
    }
}
