package io.kubevirt.ferry.manager;

import static io.kubevirt.ferry.testbed.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.kubevirt.ferry.standin.KubeVirtExtension;
import io.kubevirt.ferry.testbed.ControlPlane;
import io.kubevirt.ferry.testbed.ControlPlaneExtension;
import io.kubevirt.ferry.testbed.Installation;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Leases at which an election would fail. */
@ExtendWith({ControlPlaneExtension.class, KubeVirtExtension.class})
class ElectionIT {
    private ControlPlane controlPlane;
    private KubernetesClient admin;

    @BeforeEach
    void given(ControlPlane controlPlane) {
        this.controlPlane = controlPlane;
        this.admin = controlPlane.admin();
        Installation.apply(admin);
    }

    private void damage() {
        put(new LeaseBuilder().withNewSpec().withHolderIdentity("who").endSpec());
    }

    private void put(LeaseBuilder lease) {
        admin.resource(lease.withNewMetadata()
                        .withName(Election.LEASE)
                        .withNamespace("kubevirt-ferry")
                        .endMetadata()
                        .build())
                .createOr(existing -> existing.update());
    }

    @Test
    void aDamagedLeaseIsMendedAtTheStartAndOneThatIsDamagedLaterEndsItsHolder() {
        damage();
        try (ManagerUnderTest manager = ManagerUnderTest.start(controlPlane.config(ControlPlane.OPERATOR));
                Said said = new Said()) {
            manager.awaitReady().awaitLeading(admin);
            assertThat(said.lines())
                    .contains("Lease kubevirt-ferry/kubevirt-ferry: it is damaged; it is free for whoever takes it");

            damage();

            eventually().until(manager::hasEnded);
            assertThat(said.lines()).contains("Lease kubevirt-ferry/kubevirt-ferry was lost; this replica ends");
        }
    }

    @Test
    void aLeaseThatNobodyRenewsIsTakenFromItsHolderAndWhoStillDoesNotLeadSaysSo() {
        put(new LeaseBuilder()
                .withNewSpec()
                .withHolderIdentity("a machine whose clock was wrong")
                .withLeaseDurationSeconds(15)
                .withRenewTime(ZonedDateTime.now(ZoneOffset.UTC).plusYears(1))
                .endSpec());
        Election withoutElector = new Election(
                LifeIT.settings(), controlPlane.client(ControlPlane.OPERATOR), new SimpleMeterRegistry(), () -> {});

        assertThat(withoutElector.look()).isEmpty();
        assertThat(withoutElector.look()).isEmpty();
        assertThat(ManagerUnderTest.holder(admin)).isEmpty();
        assertThat(withoutElector.look())
                .contains("nobody takes Lease kubevirt-ferry/kubevirt-ferry, and this replica's election has ended");
    }
}
