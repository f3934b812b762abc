package io.kubevirt.ferry.standin;

import static io.kubevirt.ferry.testbed.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.kubevirt.ferry.standin.VirtualMachines.VirtualMachine;
import io.kubevirt.ferry.testbed.ControlPlane;
import io.kubevirt.ferry.testbed.ControlPlaneExtension;
import io.kubevirt.ferry.testbed.TestNamespace;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What KubeVirt's API component lets others write. */
@ExtendWith({ControlPlaneExtension.class, KubeVirtExtension.class})
class VirtApiIT {

    private static final String[] NODES = {"virt-api-1", "virt-api-2"};

    private Scene scene;
    private KubeVirtStandIn standIn;

    @BeforeAll
    static void nodes(Nodes nodes) {
        nodes.create(NODES);
    }

    @AfterAll
    static void noNodes(Nodes nodes) {
        nodes.delete(NODES);
    }

    @BeforeEach
    void given(ControlPlane plane, TestNamespace test, KubeVirtStandIn running) {
        standIn = running;
        scene = new Scene(plane.admin(), standIn, test.name());
    }

    @Test
    void aStatusOfAVmiWrittenByOthersIsPutBackWithoutAWord() {
        scene.vm().start();
        Item before = scene.read(Kind.VMI, "vm");

        scene.patch(Kind.VMI, "vm", """
                [{"op": "replace", "path": "/status/nodeName", "value": "elsewhere"}]""");

        assertThat(scene.read(Kind.VMI, "vm").sameAs(before, "status")).isTrue();
    }

    @Test
    void othersMayLabelAVmiAndHoldIt() {
        scene.vm().start();

        scene.patch(Kind.VMI, "vm", """
                [{"op": "add", "path": "/metadata/labels/mine", "value": "yes"},
                 {"op": "add", "path": "/metadata/finalizers/-", "value": "example.com/hold"}]""");

        Item vmi = scene.read(Kind.VMI, "vm");
        assertThat(vmi.label("mine")).isEqualTo("yes");
        assertThat(vmi.finalizers()).endsWith("example.com/hold");
        scene.patch(Kind.VMI, "vm", """
                [{"op": "remove", "path": "/metadata/finalizers/2"}]""");
    }

    @Test
    void othersMayChangeNeitherTheSpecOfAVmiNorKubeVirtsLabels() {
        scene.vm().start();

        assertThatThrownBy(() -> scene.patch(Kind.VMI, "vm", """
                        [{"op": "add", "path": "/spec/hostname", "value": "x"}]"""))
                .hasMessageContaining("update of VMI object is restricted");
        assertThatThrownBy(() -> scene.patch(Kind.VMI, "vm", """
                        [{"op": "replace", "path": "/metadata/labels/kubevirt.io~1nodeName", "value": "x"}]""")).hasMessageContaining("reserved kubevirt.io/ labels");
    }

    @Test
    void aMigrationNeverChangesWhatItAsksFor() {
        scene.vm().whoseMachine("hang").start().migration("m").create();

        assertThatThrownBy(() -> scene.patch(Kind.VMIM, "m", """
                        [{"op": "add", "path": "/spec/addedNodeSelector", "value": {"a": "b"}}]"""))
                .hasMessageContaining("update of Migration object's spec is restricted");
        assertThatThrownBy(() -> scene.patch(Kind.VMIM, "m", """
                        [{"op": "replace", "path": "/metadata/labels/kubevirt.io~1vmi-name", "value": "b"}]"""))
                .hasMessageContaining("selector label can't be modified on an in-flight migration");
    }

    @Test
    void thePriorityOfAMigrationIsKubeVirtsToSet() {
        scene.vm().start();
        Item urgent = migration("urgent").set("user-triggered", "spec", "priority");

        assertThatThrownBy(() -> scene.client().resource(urgent.resource()).create())
                .isInstanceOfSatisfying(
                        KubernetesClientException.class,
                        refused -> assertThat(refused.getCode()).isEqualTo(422));
    }

    @Test
    void aVmiThatCannotMigrateGetsNoMigration() {
        VirtualMachine vm = scene.vm().whoseMachine("unmigratable").start();

        assertThatThrownBy(() -> vm.migration("m").create())
                .hasMessageContaining("Cannot migrate VMI, Reason: HostDeviceNotLiveMigratable");
    }

    @Test
    void aVmNeedsARunStrategy() {
        Item vm = Item.of(Kind.VM, scene.namespace(), "vm");
        vm.set(1, "spec", "template", "spec", "domain", "cpu", "cores");

        assertThatThrownBy(() -> scene.client().resource(vm.resource()).create())
                .hasMessageContaining("RunStrategy must be specified");
    }

    /** Whoever puts the field into the definition still has virt-api against it. */
    @Test
    void anAddedNodeSelectorTermIsForbiddenThoughTheDefinitionHasIt() {
        scene.vm().start();
        Item typed = migration("typed").set(Map.of("matchExpressions", new int[0]), "spec", "addedNodeSelectorTerm");
        definition("add");
        try {
            eventually()
                    .untilAsserted(() -> assertThatThrownBy(() -> scene.client()
                                    .resource(typed.resource())
                                    .dryRun()
                                    .create())
                            .hasMessageContaining("spec.addedNodeSelectorTerm in body is a forbidden property"));
        } finally {
            definition("remove");
            awaitStock(typed);
        }
    }

    /** virt-controller writes a new migration through a type without the field: it is gone before there is a target pod. */
    @Test
    void withoutVirtApiTheFirstWriteDropsTheField() {
        scene.vm().start();
        Item typed = migration("typed").set(Map.of("matchExpressions", new int[0]), "spec", "addedNodeSelectorTerm");
        definition("add");
        standIn.disconnectApi(scene.client());
        try {
            eventually()
                    .until(() -> Item.of(
                                    Kind.VMIM,
                                    scene.client()
                                            .resource(typed.resource())
                                            .dryRun()
                                            .create())
                            .has("spec", "addedNodeSelectorTerm"));
            scene.client().resource(typed.resource()).create();
            eventually().until(() -> Names.observed(scene.read(Kind.VMIM, "typed")));
            assertThat(scene.read(Kind.VMIM, "typed").has("spec", "addedNodeSelectorTerm"))
                    .isFalse();
        } finally {
            definition("remove");
            awaitStock(typed);
            standIn.connectApi(scene.client());
        }
    }

    /** Waits until the definition is served without the field: whoever comes next begins to watch. */
    private void awaitStock(Item typed) {
        Item probe = Item.of(Kind.VMIM, typed.tree()).set("probe", "metadata", "name");
        eventually().ignoreExceptions().until(() -> {
            Item stored = Item.of(
                    Kind.VMIM,
                    scene.client().resource(probe.resource()).dryRun().create());
            return !stored.has("spec", "addedNodeSelectorTerm") && scene.all(Kind.VMIM) != null;
        });
    }

    private Item migration(String name) {
        return Item.of(Kind.VMIM, scene.namespace(), name).set("vm", "spec", "vmiName");
    }

    /** Adds the field that stock KubeVirt does not have to its definition, or takes it out. */
    private void definition(String operation) {
        KubernetesClient client = scene.client();
        ObjectNode field = Item.object().put("type", "object").put("x-kubernetes-preserve-unknown-fields", true);
        String operations = Stream.of(0, 1)
                .map(version -> {
                    ObjectNode each = Item.object().put("op", operation);
                    each.put(
                            "path",
                            "/spec/versions/%d/schema/openAPIV3Schema/properties/spec/properties/addedNodeSelectorTerm"
                                    .formatted(version));
                    return operation.equals("add") ? each.<ObjectNode>set("value", field) : each;
                })
                .map(ObjectNode::toString)
                .collect(Collectors.joining(",", "[", "]"));
        client.apiextensions()
                .v1()
                .customResourceDefinitions()
                .withName(Kind.VMIM.plural + "." + Kind.VMIM.group)
                .patch(PatchContext.of(PatchType.JSON), operations);
    }
}
