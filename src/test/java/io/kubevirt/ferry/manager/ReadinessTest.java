package io.kubevirt.ferry.manager;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReadinessTest {
    private final Readiness readiness = new Readiness();

    @Test
    void isReadyWhenEachPartIs() {
        for (Readiness.Part part : Readiness.Part.values()) {
            assertThat(readiness.isReady()).isFalse();
            readiness.ok(part);
        }
        assertThat(readiness.isReady()).isTrue();
    }

    @Test
    void saysWhatAPartWaitsFor() {
        readiness.ok(Readiness.Part.CERTIFICATE);
        readiness.waiting(Readiness.Part.CACHES, "waiting for KubeVirt");

        assertThat(readiness.report()).contains("certificate: ok\n", "caches: waiting for KubeVirt\n");
    }
}
