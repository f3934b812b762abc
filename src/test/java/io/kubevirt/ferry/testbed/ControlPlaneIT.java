package io.kubevirt.ferry.testbed;

import static io.kubevirt.ferry.testbed.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(ControlPlaneExtension.class)
class ControlPlaneIT {
    @Test
    void aTestHasANamespaceOfItsOwn(ControlPlane controlPlane, TestNamespace namespace) {
        assertThat(controlPlane.admin().namespaces().withName(namespace.name()).get())
                .isNotNull();
    }

    @Test
    void theAuditLogCountsRequestsByUser(ControlPlane controlPlane, TestNamespace namespace) {
        String user = "counted-" + namespace;
        controlPlane
                .as(user, "system:masters")
                .resource(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withName("counted")
                        .withNamespace(namespace.name())
                        .endMetadata()
                        .build())
                .create();

        eventually()
                .untilAsserted(() -> assertThat(controlPlane.auditLog().requests())
                        .filteredOn(request -> request.namespace().equals(namespace.name()))
                        .filteredOn(request -> request.resource().equals("configmaps"))
                        .extracting(AuditLog.Request::verb, AuditLog.Request::status)
                        .containsExactly(org.assertj.core.groups.Tuple.tuple("create", 201)));
    }

    /** The pipe closes when the JVM is gone, by SIGKILL too: here its end is closed by hand. */
    @Test
    void noProcessIsLeftWhenStandardInputCloses() throws Exception {
        ControlPlane own = ControlPlane.start(null);
        ProcessHandle program = ProcessHandle.of(own.pid()).orElseThrow();
        List<ProcessHandle> parts = program.children().toList();
        assertThat(parts).hasSize(4);

        own.close();

        assertGone(parts);
    }

    @Test
    void noProcessIsLeftWhenTheProgramItselfIsKilled() throws Exception {
        ControlPlane own = ControlPlane.start(null);
        ProcessHandle program = ProcessHandle.of(own.pid()).orElseThrow();
        List<ProcessHandle> parts = program.children().toList();

        program.destroyForcibly();
        program.onExit().get(30, TimeUnit.SECONDS);

        assertGone(parts);
    }

    private static void assertGone(List<ProcessHandle> parts) {
        eventually().untilAsserted(() -> assertThat(parts).noneMatch(ProcessHandle::isAlive));
    }
}
