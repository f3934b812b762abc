package io.kubevirt.ferry.directed;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.kubevirt.ferry.admission.TypedField;
import io.kubevirt.ferry.testbed.ControlPlane;
import java.util.List;
import java.util.Map;

/** KubeVirt's definition of migrations on a control plane, with whoever writes it. */
record KubeVirtsDefinition(ControlPlane controlPlane) {
    private static final ObjectMapper JSON = new ObjectMapper();

    CustomResourceDefinition get() {
        return controlPlane
                .admin()
                .apiextensions()
                .v1()
                .customResourceDefinitions()
                .withName(TypedField.DEFINITION)
                .get();
    }

    /** Whose the typed field in it is. */
    TypedField.Presence presence() {
        return TypedField.in(JSON.valueToTree(get()));
    }

    /** The typed field, once for each version that has it. */
    static List<JSONSchemaProps> fields(CustomResourceDefinition definition) {
        return definition.getSpec().getVersions().stream()
                .map(version -> properties(version.getSchema().getOpenAPIV3Schema()))
                .filter(properties -> properties.containsKey("addedNodeSelectorTerm"))
                .map(properties -> properties.get("addedNodeSelectorTerm"))
                .toList();
    }

    private static Map<String, JSONSchemaProps> properties(JSONSchemaProps schema) {
        return schema.getProperties().get("spec").getProperties();
    }

    /** Puts KubeVirt's own text back, as virt-operator does when the definition changed; gives what came of it. */
    CustomResourceDefinition putBack() {
        CustomResourceDefinition stock = get();
        stock.getSpec()
                .getVersions()
                .forEach(version ->
                        properties(version.getSchema().getOpenAPIV3Schema()).remove("addedNodeSelectorTerm"));
        stock.getMetadata().setResourceVersion(null);
        return controlPlane.admin().resource(stock).update();
    }

    /** How often it has been written, by anybody. */
    long writes() {
        return controlPlane.auditLog().requests().stream()
                .filter(request -> request.resource().equals("customresourcedefinitions"))
                .filter(request -> request.name().equals(TypedField.DEFINITION))
                .filter(request -> List.of("update", "patch").contains(request.verb()))
                .filter(request -> request.status() < 300)
                .count();
    }
}
