package io.kubevirt.ferry.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class FailureTest {
    @Test
    void theApiServerIsQuotedWithoutTheRequest() {
        KubernetesClientException refused = new KubernetesClientException(
                "Failure executing: DELETE at: https://…",
                403,
                new StatusBuilder().withMessage("x is forbidden").build());

        assertThat(Failure.words(refused)).isEqualTo("x is forbidden");
    }

    @Test
    void causesAreToldOnceEachInOneLine() {
        KubernetesClientException failure = new KubernetesClientException(
                "An error\n has occurred.", new IOException("Connection refused", new IOException("refused")));

        assertThat(Failure.words(failure)).isEqualTo("An error has occurred: Connection refused");
    }
}
