package io.kubevirt.ferry.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaPropsBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.ValidationRule;
import io.fabric8.kubernetes.api.model.apiextensions.v1.ValidationRuleBuilder;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The OpenAPI schema of a Kubernetes NodeSelectorTerm, as strict as a schema can be without knowing label syntax better.
 *
 * <p>The field of the same name in KubeVirt's migrations has the same words and a lax schema: there a webhook reads the term
 * and names all mistakes at once, before the API server looks at the schema. No webhook reads a VolumeMigration.
 */
public final class NodeSelectorTermSchema {
    /** A label key: a DNS subdomain and a slash, or not, and a name. */
    private static final String KEY =
            "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$";

    private static final long LONGEST_KEY = 253 + 1 + 63;
    private static final long MOST_REQUIREMENTS = 64;
    private static final long MOST_VALUES = 512;

    private static final ValidationRule VALUES = rule(
            "self.operator in ['In', 'NotIn'] ? has(self.values) && self.values.size() > 0"
                    + " : self.operator in ['Exists', 'DoesNotExist'] ? !has(self.values) || self.values.size() == 0"
                    + " : has(self.values) && self.values.size() == 1 && self.values[0].matches('^[-+]?[0-9]{1,19}$')",
            "needs values: at least one for In and NotIn, none for Exists and DoesNotExist, one integer for Gt and Lt");
    private static final ValidationRule ONE_VALUE =
            rule("has(self.values) && self.values.size() == 1", "needs values: the name of one node");

    private NodeSelectorTermSchema() {}

    /** The schema, with that description for the term as a whole. */
    public static JSONSchemaProps describedAs(String description) {
        return new JSONSchemaPropsBuilder()
                .withType("object")
                .withDescription(description)
                .withProperties(new TreeMap<>(Map.of(
                        "matchExpressions",
                        requirements(
                                "Requirements on labels of the node.",
                                requirement(
                                        "A requirement on one label.",
                                        "The label's key.",
                                        KEY,
                                        "In, NotIn, Exists, DoesNotExist, Gt or Lt. NotIn and DoesNotExist hold for a node that"
                                                + " lacks the label; Gt and Lt compare integers.",
                                        List.of("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"),
                                        "At least one for In and NotIn, none for Exists and DoesNotExist, exactly one integer,"
                                                + " as a string, for Gt and Lt.",
                                        VALUES)),
                        "matchFields",
                        requirements(
                                "Requirements on the node's name.",
                                requirement(
                                        "A requirement on the node's name.",
                                        "metadata.name",
                                        "^metadata\\.name$",
                                        "In (this node) or NotIn (anywhere but there).",
                                        List.of("In", "NotIn"),
                                        "The name of one node.",
                                        ONE_VALUE)))))
                .withXKubernetesValidations(rule(
                        "(has(self.matchExpressions) && self.matchExpressions.size() > 0)"
                                + " || (has(self.matchFields) && self.matchFields.size() > 0)",
                        "matches no node: it needs a requirement, or has to be left out"))
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
            String description,
            String key,
            String pattern,
            String operator,
            List<String> operators,
            String values,
            ValidationRule rule) {
        return new JSONSchemaPropsBuilder()
                .withType("object")
                .withDescription(description)
                .withRequired("key", "operator")
                .withXKubernetesValidations(rule)
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

    private static ValidationRule rule(String rule, String message) {
        return new ValidationRuleBuilder().withRule(rule).withMessage(message).build();
    }

    private static List<JsonNode> nodes(List<String> texts) {
        return texts.stream().<JsonNode>map(TextNode::valueOf).toList();
    }

    private static JSONSchemaPropsBuilder text(String description) {
        return new JSONSchemaPropsBuilder().withType("string").withDescription(description);
    }
}
