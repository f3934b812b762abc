package io.kubevirt.ferry.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.zjsonpatch.JsonPatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TypedFieldTest {
    private static final String STOCK = """
            metadata: {name: virtualmachineinstancemigrations.kubevirt.io}
            spec:
              versions:
              - {name: v1, served: true, schema: {openAPIV3Schema: {properties: {spec: {properties: {vmiName: {type: string}}}}}}}
              - {name: v1alpha3, served: true, schema: {openAPIV3Schema: {properties: {spec: {properties: {vmiName: {type: string}}}}}}}
              - {name: v0, served: false, schema: {openAPIV3Schema: {properties: {spec: {properties: {vmiName: {type: string}}}}}}}
            """;

    private static JsonNode stock() {
        return Reviews.yaml(STOCK);
    }

    private static JsonNode added() {
        return JsonPatch.apply(TypedField.addition(stock()).build(), stock());
    }

    @Test
    void eachServedVersionGetsTheField() {
        assertThat(TypedField.in(stock())).isEqualTo(TypedField.Presence.MISSING);
        assertThat(TypedField.in(added())).isEqualTo(TypedField.Presence.OURS);
        assertThat(added().at(
                                "/spec/versions/1/schema/openAPIV3Schema/properties/spec/properties/addedNodeSelectorTerm/type")
                        .asText())
                .isEqualTo("object");
        assertThat(added().at("/spec/versions/2")).isEqualTo(stock().at("/spec/versions/2"));
    }

    @Test
    void addingTwiceChangesNothing() {
        assertThat(TypedField.addition(added()).build()).isEmpty();
    }

    @Test
    void removingLeavesTheDefinitionAsItWas() {
        assertThat(JsonPatch.apply(TypedField.removal(added()).build(), added()))
                .isEqualTo(stock());
    }

    @Test
    void aFieldOfKubeVirtsOwnIsLeftAlone() {
        JsonNode own = Reviews.yaml(
                STOCK.replace(
                        "vmiName: {type: string}",
                        "vmiName: {type: string}, addedNodeSelectorTerm: {type: object, description: KubeVirt can do that now}"));

        assertThat(TypedField.in(own)).isEqualTo(TypedField.Presence.KUBEVIRTS);
        assertThat(TypedField.addition(own).build()).isEmpty();
        assertThat(TypedField.removal(own).build()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{spec: {}}", "{spec: {versions: [{name: v1, served: true}]}}"})
    void aDefinitionWithoutASchemaIsLeftAlone(String definition) {
        assertThat(TypedField.addition(Reviews.yaml(definition)).build()).isEmpty();
    }

    @Test
    void theWebhookAddsItToThatOneDefinitionAndNoOther() {
        DefinitionAdmission admission = new DefinitionAdmission(() -> true);

        assertThat(admission.judge(Reviews.create(STOCK))).isInstanceOf(Verdict.Patched.class);
        assertThat(admission.judge(Reviews.create(STOCK.replace("instancemigrations.", "machines."))))
                .isEqualTo(Verdict.Allowed.silently());
        assertThat(new DefinitionAdmission(() -> false).judge(Reviews.create(STOCK)))
                .isEqualTo(Verdict.Allowed.silently());
    }
}
