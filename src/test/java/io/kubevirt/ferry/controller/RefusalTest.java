package io.kubevirt.ferry.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.net.ConnectException;
import org.junit.jupiter.api.Test;

class RefusalTest {
    @Test
    void whatIsForbiddenIsToldInTheApiServersWordsWithWhatToDo() {
        KubernetesClientException forbidden = new KubernetesClientException(
                "Failure executing: GET at: https://10.0.0.1/api. Message: …",
                403,
                new StatusBuilder()
                        .withMessage("pods is forbidden: User \"ferry\" cannot list")
                        .build());

        assertThat(Refusal.words(forbidden))
                .startsWith("pods is forbidden: User \"ferry\" cannot list: ")
                .contains("kubectl apply -k deploy")
                .doesNotContain("https://");
    }

    @Test
    void anApiServerThatIsNotReachedIsToldByWhatBrokeAndNotByWhatItWasAsked() {
        KubernetesClientException unreached = new KubernetesClientException(
                "Operation: [get]  for kind: [Secret]  failed.",
                new IOException("no answer", new ConnectException("Connection refused: 10.0.0.1:443")));

        assertThat(Refusal.words(unreached)).isEqualTo("java.net.ConnectException: Connection refused: 10.0.0.1:443");
    }

    @Test
    void anythingElseIsToldAsItIs() {
        assertThat(Refusal.words(new KubernetesClientException("connection refused")))
                .isEqualTo("connection refused");
    }
}
