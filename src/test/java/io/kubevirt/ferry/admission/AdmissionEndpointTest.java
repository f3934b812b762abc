package io.kubevirt.ferry.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AdmissionEndpointTest {
    private final AdmissionEndpoint endpoint =
            new AdmissionEndpoint(new MigrationAdmission(new EmptyCluster(), Permissions.unrestricted()));

    private JsonNode answer(String object) {
        try {
            return Reviews.JSON.readTree(endpoint.answer(Reviews.review(object)).body());
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void anAnswerCarriesTheUidOfTheRequest() {
        JsonNode answer = answer("{spec: {vmiName: db}}");

        assertThat(answer).isEqualTo(Reviews.yaml("""
                        apiVersion: admission.k8s.io/v1
                        kind: AdmissionReview
                        response: {uid: u1, allowed: true}
                        """));
    }

    @Test
    void aRefusalNamesEachField() {
        JsonNode answer = answer("{spec: {addedNodeSelectorTerm: {matchExpressions: [{key: a, operator: In}]}}}");

        assertThat(answer.at("/response/allowed").asBoolean(true)).isFalse();
        assertThat(answer.at("/response/status/code").asInt()).isEqualTo(422);
        assertThat(answer.at("/response/status/reason").asText()).isEqualTo("Invalid");
        assertThat(answer.at("/response/status/message").asText())
                .startsWith("spec.addedNodeSelectorTerm.matchExpressions[0].values: ");
        assertThat(answer.at("/response/status/details/causes/0/field").asText())
                .isEqualTo("spec.addedNodeSelectorTerm.matchExpressions[0].values");
    }

    @Test
    void aPatchIsAJsonPatchInBase64() {
        JsonNode answer = answer(
                "{metadata: {annotations: {}}, spec: {addedNodeSelectorTerm: {matchExpressions: [{key: a, operator: Exists}]}}}");

        assertThat(answer.at("/response/patchType").asText()).isEqualTo("JSONPatch");
        assertThat(Reviews.patchOf(answer))
                .extracting(operation -> operation.get("op").asText())
                .containsExactly("add", "remove");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "5",
                "[]",
                "{}",
                "{\"apiVersion\": \"admission.k8s.io/v1\"}",
                "{\"apiVersion\": \"admission.k8s.io/v1\", \"request\": null}",
                "{\"apiVersion\": \"admission.k8s.io/v1\", \"request\": 7}",
                "{\"apiVersion\": \"admission.k8s.io/v1\", \"request\": {\"uid\": \"u\"}}",
                "{\"apiVersion\": \"admission.k8s.io/v1\", \"request\": {\"uid\": \"u\", \"operation\": \"CREATE\"}}",
                "{\"apiVersion\": \"admission.k8s.io/v1\", \"request\": {\"uid\": \"u\", \"operation\": \"CREATE\", \"object\": 7}}",
                "{\"apiVersion\": \"admission.k8s.io/v1\", \"request\": {\"operation\": \"CREATE\", \"object\": {}}}",
                "{\"apiVersion\": \"admission.k8s.io/v1\", \"request\": {\"uid\": {}, \"operation\": \"CREATE\", \"object\": {}}}",
                "{\"apiVersion\": \"admission.k8s.io/v1beta1\", \"request\": {\"uid\": \"u\", \"operation\": \"CREATE\", \"object\": {}}}",
                "{\"apiVersion\": \"admission.k8s.io/v1\", \"request\": {\"uid\": \"u\", \"operation\": \"DELETE\"}}"
            })
    void whatIsNoReviewIsRefusedUnread(String body) {
        assertThatThrownBy(() -> endpoint.answer(body.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(MalformedReviewException.class)
                .hasMessageNotContaining("\n");
    }
}
