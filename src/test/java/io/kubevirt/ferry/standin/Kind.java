package io.kubevirt.ferry.standin;

import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;

/** The kinds that the stand-in reads or writes. */
enum Kind {
    VM("kubevirt.io", "v1", "VirtualMachine", "virtualmachines", true),
    VMI("kubevirt.io", "v1", "VirtualMachineInstance", "virtualmachineinstances", true),
    VMIM("kubevirt.io", "v1", "VirtualMachineInstanceMigration", "virtualmachineinstancemigrations", true),
    KUBEVIRT("kubevirt.io", "v1", "KubeVirt", "kubevirts", true),
    POD("", "v1", "Pod", "pods", true),
    NODE("", "v1", "Node", "nodes", false),
    CLAIM("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", true),
    EVENT("", "v1", "Event", "events", true),
    REVISION("apps", "v1", "ControllerRevision", "controllerrevisions", true);

    final String group;
    final String version;
    final String kind;
    final String plural;
    final boolean namespaced;

    Kind(String group, String version, String kind, String plural, boolean namespaced) {
        this.group = group;
        this.version = version;
        this.kind = kind;
        this.plural = plural;
        this.namespaced = namespaced;
    }

    String apiVersion() {
        return group.isEmpty() ? version : group + "/" + version;
    }

    ResourceDefinitionContext context() {
        return new ResourceDefinitionContext.Builder()
                .withGroup(group)
                .withVersion(version)
                .withKind(kind)
                .withPlural(plural)
                .withNamespaced(namespaced)
                .build();
    }
}
