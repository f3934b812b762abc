package io.kubevirt.ferry.standin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kubevirt.ferry.standin.VirtualMachines.Migration;
import io.kubevirt.ferry.standin.VirtualMachines.VirtualMachine;
import io.kubevirt.ferry.testbed.ControlPlane;
import io.kubevirt.ferry.testbed.ControlPlaneExtension;
import io.kubevirt.ferry.testbed.TestNamespace;
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

    private VirtualMachines machines;
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

    @BeforeEach
    void record(ControlPlane plane, TestNamespace test, VirtualMachines virtualMachines, Claims claims) {
        namespace = test.name();
        machines = virtualMachines;
        claims.create(namespace, "vm-src-0", "1Gi", "bench");
        claims.create(namespace, "vm-src-1", "1Gi", "bench");
        recorder = new Recorder(plane.admin(), namespace);
    }

    @AfterEach
    void stop() {
        recorder.close();
    }

    private VirtualMachine start(String script) {
        return machines.vm("vm")
                .inNamespace(namespace)
                .withClaim("d0", "vm-src-0")
                .withClaim("d1", "vm-src-1")
                .whoseMachine(script)
                .start();
    }

    private void assertAsRecorded(String name) {
        await().untilAsserted(() -> assertThat(recorder.writes()).isEqualTo(RecordingDigests.of(name)));
    }

    @Test
    void aMigrationSucceeds() {
        Migration migration = start("ok").migration("m").create();

        assertThat(migration.outcome()).isEqualTo("Succeeded");
        assertAsRecorded("ordinary-ok");
    }
}
