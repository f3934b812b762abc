package io.kubevirt.ferry.standin;

import static io.kubevirt.ferry.testbed.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.FieldValidateable.Validation;
import io.kubevirt.ferry.manager.Uninstallation;
import io.kubevirt.ferry.standin.VirtualMachines.VirtualMachine;
import io.kubevirt.ferry.testbed.ControlPlane;
import io.kubevirt.ferry.testbed.ControlPlaneExtension;
import io.kubevirt.ferry.testbed.Patience;
import io.kubevirt.ferry.testbed.TestNamespace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The stand-in writes what KubeVirt's own controllers wrote in the recordings, object by object. */
@ExtendWith({ControlPlaneExtension.class, KubeVirtExtension.class})
class StandInIT {

    private static final String[] NODES = {"standin-1", "standin-2", "standin-3"};

    private final List<String> answers = new ArrayList<>();
    private KubernetesClient client;
    private Scene scene;
    private Recorder recorder;
    private String namespace;

    @BeforeAll
    static void nodes(Nodes nodes) {
        nodes.create(NODES);
    }

    @AfterAll
    static void noNodes(Nodes nodes) {
        nodes.delete(NODES);
    }

    /** Whoever had the operator installed before has left its field in KubeVirt's definition, and its webhooks. */
    @BeforeAll
    static void stock(ControlPlane plane) throws InterruptedException {
        assertThat(new Uninstallation(plane.admin(), told -> {}).run(Patience.PATIENCE))
                .isTrue();
    }

    @BeforeEach
    void record(ControlPlane plane, KubeVirtStandIn standIn, TestNamespace test, Claims claims) {
        client = plane.admin();
        namespace = test.name();
        scene = new Scene(client, standIn, namespace);
        claims.createShared(namespace, "1Gi", "bench", "vm-src-0", "vm-src-1");
        recorder = new Recorder(client, namespace);
    }

    @AfterEach
    void stop() {
        recorder.close();
    }

    @Test
    void aMigrationSucceeds() {
        start("ok");

        migrate();

        awaitPhase("Succeeded");
        assertAsRecorded("ordinary-ok");
    }

    @Test
    void aMigrationFailsOnTheMachine() {
        start("fail because simulated: migration stalled");

        migrate();

        awaitPhase("Failed");
        assertAsRecorded("ordinary-fail");
    }

    @Test
    void aMigrationIsCancelledUnderWay() {
        start("hang");
        migrate();
        awaitPhase("Running");
        scene.settle();

        client.resource(migration("m").resource()).delete();

        assertAsRecorded("ordinary-cancel");
    }

    @Test
    void aMigrationLosesItsTargetPod() {
        start("hang");
        migrate();
        awaitPhase("Running");
        scene.settle();

        client.pods().inNamespace(namespace).withLabel(Names.MIGRATION_UID).delete();

        awaitPhase("Failed");
        assertAsRecorded("ordinary-pod-deleted");
    }

    /** With less patience than in the recording, where it is 20 s. */
    @Test
    void aMigrationFindsNoNode() {
        start("ok");
        Item migration = migration("m");
        migration.set("such", "spec", "addedNodeSelector", "no");
        migration.set("5", "metadata", "annotations", Names.UNSCHEDULABLE_TIMEOUT);

        create(migration, Validation.WARN);

        awaitPhase("Failed");
        assertAsRecorded("unschedulable");
    }

    /** Lenient, the unknown field is pruned and the VM migrates anywhere; strict, it is refused. */
    @Test
    void migrationsAreRefused() {
        VirtualMachine vm = start("ok");
        Map<String, Object> term = Map.of("matchExpressions", List.of());

        create(migration("typed").set(term, "spec", "addedNodeSelectorTerm"), Validation.WARN);
        create(migration("typed-strict").set(term, "spec", "addedNodeSelectorTerm"), Validation.STRICT);
        eventually().until(() -> phase("typed").equals("Succeeded"));
        // What "typed" leads to is over by then, and "a" is not when "b" comes.
        scene.settle();
        vm.rescript("hang");
        create(migration("none").set("no-such-vmi", "spec", "vmiName"), Validation.WARN);
        create(migration("a"), Validation.WARN);
        create(migration("b"), Validation.WARN);

        assertAsRecorded("refusals");
    }

    private VirtualMachine start(String script) {
        VirtualMachine vm = scene.vm()
                .withClaim("d0", "vm-src-0")
                .withClaim("d1", "vm-src-1")
                .whoseMachine(script)
                .start();
        scene.settle();
        return vm;
    }

    private Item migration(String name) {
        return Item.of(Kind.VMIM, namespace, name).set("vm", "spec", "vmiName");
    }

    private void migrate() {
        create(migration("m"), Validation.WARN);
    }

    private void create(Item migration, Validation validation) {
        try {
            client.resource(migration.resource()).fieldValidation(validation).create();
            answers.add(RecordingDigests.answer(migration.name(), "201"));
        } catch (KubernetesClientException e) {
            String said = e.getCode() + " " + e.getStatus().getMessage();
            answers.add(RecordingDigests.answer(migration.name(), said));
        }
    }

    private String phase(String migration) {
        return scene.find(Kind.VMIM, migration)
                .map(each -> each.text("status", "phase"))
                .orElse("");
    }

    private void awaitPhase(String phase) {
        eventually().until(() -> phase("m").equals(phase));
    }

    private void assertAsRecorded(String recording) {
        recorder.assertAsRecorded(recording, List.copyOf(answers));
    }
}
