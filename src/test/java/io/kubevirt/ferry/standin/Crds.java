package io.kubevirt.ferry.standin;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.List;

/**
 * KubeVirt's custom resource definitions, cut down to the fields that the stand-in and the operator know.
 *
 * <p>As KubeVirt's: {@code v1} is stored, {@code v1alpha3} served beside it, VMIs have no status subresource, and
 * migrations no {@code addedNodeSelectorTerm}.
 */
final class Crds {

    private record Definition(Kind kind, boolean status, List<String> shortNames, List<Column> columns) {}

    private record Column(String name, String type, String path) {}

    private static final Column AGE = new Column("Age", "date", ".metadata.creationTimestamp");
    private static final Column PHASE = new Column("Phase", "string", ".status.phase");

    private static final List<Definition> DEFINITIONS = List.of(
            new Definition(
                    Kind.VM,
                    true,
                    List.of("vm", "vms"),
                    List.of(
                            AGE,
                            new Column("Status", "string", ".status.printableStatus"),
                            new Column("Ready", "string", ".status.conditions[?(@.type=='Ready')].status"))),
            new Definition(
                    Kind.VMI,
                    false,
                    List.of("vmi", "vmis"),
                    List.of(
                            AGE,
                            PHASE,
                            new Column("NodeName", "string", ".status.nodeName"),
                            new Column("Ready", "string", ".status.conditions[?(@.type=='Ready')].status"))),
            new Definition(
                    Kind.VMIM,
                    true,
                    List.of("vmim", "vmims"),
                    List.of(PHASE, new Column("VMI", "string", ".spec.vmiName"))),
            new Definition(Kind.KUBEVIRT, true, List.of("kv", "kvs"), List.of(AGE, PHASE)));

    private Crds() {}

    static List<CustomResourceDefinition> all(KubernetesSerialization serialization) {
        return DEFINITIONS.stream()
                .map(definition -> serialization.unmarshal(json(definition).toString(), CustomResourceDefinition.class))
                .toList();
    }

    private static ObjectNode json(Definition definition) {
        Kind kind = definition.kind();
        ObjectNode crd = Item.object().put("apiVersion", "apiextensions.k8s.io/v1");
        crd.put("kind", "CustomResourceDefinition");
        crd.withObject("/metadata").put("name", kind.plural + "." + kind.group);
        ObjectNode spec = crd.withObject("/spec").put("group", kind.group).put("scope", "Namespaced");
        ObjectNode names = spec.withObject("/names").put("kind", kind.kind).put("plural", kind.plural);
        names.put("singular", kind.plural.substring(0, kind.plural.length() - 1));
        names.withArray("/categories").add("all");
        definition.shortNames().forEach(names.withArray("/shortNames")::add);
        version(spec, definition, "v1").put("storage", true);
        version(spec, definition, "v1alpha3").put("storage", false).put("deprecated", true);
        return crd;
    }

    private static ObjectNode version(ObjectNode spec, Definition definition, String name) {
        ObjectNode version = spec.withArray("/versions").addObject().put("name", name);
        version.put("served", true);
        if (definition.status()) {
            version.withObject("/subresources").putObject("status");
        }
        for (Column column : definition.columns()) {
            version.withArray("/additionalPrinterColumns")
                    .addObject()
                    .put("name", column.name())
                    .put("type", column.type())
                    .put("jsonPath", column.path());
        }
        ObjectNode schema = version.putObject("schema").putObject("openAPIV3Schema");
        schema.setAll(Fields.schema(Fields.of(definition.kind().plural)));
        ObjectNode properties = (ObjectNode) schema.get("properties");
        properties.putObject("apiVersion").put("type", "string");
        properties.putObject("kind").put("type", "string");
        properties.putObject("metadata").put("type", "object");
        schema.putArray("required").add("spec");
        return version;
    }
}
