package io.kubevirt.ferry.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaPropsBuilder;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The OpenAPI schema of a Kubernetes NodeSelectorTerm, as strict as a schema can be without knowing label syntax better. */
public final class NodeSelectorTermSchema {
    /** A label key: a DNS subdomain and a slash, or not, and a name. */
    private static final String KEY =
            "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$";

    private static final long LONGEST_KEY = 253 + 1 + 63;
    private static final long MOST_REQUIREMENTS = 64;
    private static final long MOST_VALUES = 512;

    private NodeSelectorTermSchema() {}

    /** The schema, with that description for the term as a whole. */
    public static JSONSchemaProps describedAs(String description) {
        return new JSONSchemaPropsBuilder()
                .withType("object")
                .withDescription(description)
                .withProperties(new TreeMap<>(Map.of(
                        "matchExpressions",
                        requirements(
                                "What the labels of a node must be: all of these.",
                                requirement(
                                        "The label.",
                                        KEY,
                                        "In, NotIn, Exists, DoesNotExist, Gt or Lt.",
                                        List.of("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"),
                                        "With In and NotIn at least one; none with Exists and DoesNotExist; one integer with"
                                                + " Gt and Lt.")),
                        "matchFields",
                        requirements(
                                "What the fields of a node must be: all of these.",
                                requirement(
                                        "The field: metadata.name, the name of the node.",
                                        "^metadata\\.name$",
                                        "In or NotIn.",
                                        List.of("In", "NotIn"),
                                        "One name of a node.")))))
                .build();
    }

    private static JSONSchemaProps requirements(String description, JSONSchemaProps requirement) {
        return new JSONSchemaPropsBuilder()
                .withType("array")
                .withDescription(description)
                .withMaxItems(MOST_REQUIREMENTS)
                .withXKubernetesListType("atomic")
                .withNewItems()
                .withSchema(requirement)
                .endItems()
                .build();
    }

    private static JSONSchemaProps requirement(
            String key, String pattern, String operator, List<String> operators, String values) {
        return new JSONSchemaPropsBuilder()
                .withType("object")
                .withRequired("key", "operator")
                .withProperties(new TreeMap<>(Map.of(
                        "key",
                                text(key)
                                        .withMinLength(1L)
                                        .withMaxLength(LONGEST_KEY)
                                        .withPattern(pattern)
                                        .build(),
                        "operator", text(operator).withEnum(nodes(operators)).build(),
                        "values",
                                new JSONSchemaPropsBuilder()
                                        .withType("array")
                                        .withDescription(values)
                                        .withMaxItems(MOST_VALUES)
                                        .withXKubernetesListType("atomic")
                                        .withNewItems()
                                        .withNewSchema()
                                        .withType("string")
                                        .withMaxLength((long) Syntax.LONGEST_NAME)
                                        .endSchema()
                                        .endItems()
                                        .build())))
                .build();
    }

    private static List<JsonNode> nodes(List<String> texts) {
        return texts.stream().<JsonNode>map(TextNode::valueOf).toList();
    }

    private static JSONSchemaPropsBuilder text(String description) {
        return new JSONSchemaPropsBuilder().withType("string").withDescription(description);
    }
}
