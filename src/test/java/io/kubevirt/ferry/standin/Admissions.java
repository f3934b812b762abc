package io.kubevirt.ferry.standin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/** What virt-api changes and refuses, one method per webhook. */
final class Admissions {

    private static final Set<String> OF_KUBEVIRT = Set.of(
            "system:serviceaccount:kubevirt:kubevirt-apiserver",
            "system:serviceaccount:kubevirt:kubevirt-handler",
            "system:serviceaccount:kubevirt:kubevirt-operator",
            Names.CONTROLLER);
    private static final List<String> RESERVED_LABELS = List.of(
            Names.CREATED_BY, Names.MIGRATION_UID, Names.NODE_NAME, Names.MIGRATION_TARGET_NODE, Names.SCHEDULABLE);
    private static final Set<String> MIGRATION_SPEC =
            Set.of("vmiName", "addedNodeSelector", "priority", "sendTo", "receive");

    /** An admission request: the object as it is to be, and as it was (empty on a create). */
    record Request(String user, Item object, Item before) {

        boolean byKubeVirt() {
            return OF_KUBEVIRT.contains(user);
        }

        boolean create() {
            return before.tree().isEmpty();
        }
    }

    private final Cluster cluster;

    Admissions(Cluster cluster) {
        this.cluster = cluster;
    }

    Verdict mutateMigration(Request request) {
        Item migration = request.object();
        return unknownField(migration).orElseGet(() -> {
            Item after = migration.copy();
            after.set(migration.text("spec", "vmiName"), "metadata", "labels", Names.VMI_NAME);
            after.addFinalizer(Names.VMIM_FINALIZER);
            return new Verdict.Changed(migration, after);
        });
    }

    /** virt-api knows the fields of its own schema and no other, whatever the definition in the cluster says. */
    private static Optional<Verdict> unknownField(Item migration) {
        Stream<String> fields = migration.node("spec").propertyStream().map(entry -> entry.getKey());
        return fields.filter(field -> !MIGRATION_SPEC.contains(field))
                .findFirst()
                .map(field ->
                        new Verdict.Invalid("spec." + field, "spec." + field + " in body is a forbidden property"));
    }

    Verdict validateMigrationCreate(Request request) {
        Item migration = request.object();
        Optional<Verdict> unknown = unknownField(migration);
        if (unknown.isPresent()) {
            return unknown.get();
        }
        String name = migration.text("spec", "vmiName");
        if (name.isEmpty()) {
            return new Verdict.Invalid("spec.vmiName", "vmiName is missing");
        }
        if (migration.has("spec", "priority") && !request.user().equals(Names.CONTROLLER)) {
            return new Verdict.Invalid("spec.priority", "priority can only be set by KubeVirt");
        }
        Optional<Item> vmi = cluster.get(Kind.VMI, migration.namespace(), name);
        if (vmi.isEmpty()) {
            return new Verdict.Refused("the VMI \"%s/%s\" does not exist".formatted(migration.namespace(), name));
        }
        if (Vmis.ended(vmi.get())) {
            return new Verdict.Refused("Cannot migrate VMI in finalized state.");
        }
        ObjectNode condition = vmi.get().condition("LiveMigratable").orElseGet(Item::object);
        if (condition.path("status").asText().equals("False") && !movesVolumes(vmi.get(), condition)) {
            return new Verdict.Refused("Cannot migrate VMI, Reason: %s, Message: %s"
                    .formatted(
                            condition.path("reason").asText(),
                            condition.path("message").asText()));
        }
        return inFlight(migration, name)
                .<Verdict>map(other -> new Verdict.Refused(
                        ("in-flight migration detected. Active migration job (%s) is currently already in progress for"
                                        + " VMI %s.")
                                .formatted(other.uid(), name)))
                .orElseGet(Verdict.Passed::new);
    }

    /** A VMI whose volumes change may migrate though its disks are not shared. */
    private static boolean movesVolumes(Item vmi, ObjectNode migratable) {
        return Volumes.changing(vmi) && migratable.path("reason").asText().equals("DisksNotLiveMigratable");
    }

    private Optional<Item> inFlight(Item migration, String vmi) {
        return cluster.get(Kind.VMIM, migration.namespace()).stream()
                .filter(other -> other.label(Names.VMI_NAME).equals(vmi))
                .filter(other -> !List.of("Succeeded", "Failed").contains(other.text("status", "phase")))
                .findFirst();
    }

    Verdict validateMigrationUpdate(Request request) {
        Item migration = request.object();
        Item before = request.before();
        Optional<Verdict> unknown = unknownField(migration);
        if (unknown.isPresent()) {
            return unknown.get();
        }
        for (String field : MIGRATION_SPEC) {
            if (!migration.sameAs(before, "spec", field)) {
                return new Verdict.Invalid("", "update of Migration object's spec is restricted");
            }
        }
        boolean over = List.of("Succeeded", "Failed").contains(migration.text("status", "phase"));
        String label = before.label(Names.VMI_NAME);
        if (over || label.isEmpty() || migration.label(Names.VMI_NAME).equals(label)) {
            return new Verdict.Passed();
        }
        return new Verdict.Invalid(
                "",
                migration.has("metadata", "labels")
                        ? "selector label can't be modified on an in-flight migration"
                        : "selector label can't be removed from an in-flight migration");
    }

    Verdict mutateInstance(Request request) {
        Item vmi = request.object();
        Item after = vmi.copy();
        if (request.create()) {
            after.addFinalizer(Names.VMI_FINALIZER);
            defaults(after);
            firstStatus(after);
        } else if (!request.byKubeVirt()) {
            JsonNode status = request.before().node("status");
            after.set(status.isMissingNode() ? null : status, "status");
        }
        return new Verdict.Changed(vmi, after);
    }

    private static void firstStatus(Item vmi) {
        vmi.enterPhase("Pending");
        String guest = vmi.text("spec", "domain", "memory", "guest");
        if (!guest.isEmpty()) {
            for (String field : new String[] {"guestAtBoot", "guestCurrent", "guestRequested"}) {
                vmi.set(guest, "status", "memory", field);
            }
        }
        if (vmi.has("spec", "domain", "cpu", "cores")) {
            vmi.set(vmi.node("spec", "domain", "cpu", "cores"), "status", "currentCPUTopology", "cores");
        }
        vmi.set(Item.object(), "status", "guestOSInfo").set(107, "status", "runtimeUser");
    }

    private static void defaults(Item vmi) {
        otherwise(vmi, "amd64", "spec", "architecture");
        otherwise(vmi, "q35", "spec", "domain", "machine", "type");
        otherwise(vmi, 1, "spec", "domain", "cpu", "cores");
        otherwise(vmi, Names.HOST_MODEL, "spec", "domain", "cpu", "model");
        String guest = vmi.text("spec", "domain", "memory", "guest");
        if (!guest.isEmpty()) {
            otherwise(vmi, new Quantity(guest).toString(), "spec", "domain", "resources", "requests", "memory");
        }
    }

    private static void otherwise(Item item, Object value, String... path) {
        if (!item.has(path)) {
            item.set(value, path);
        }
    }

    Verdict validateInstanceUpdate(Request request) {
        Item vmi = request.object();
        if (request.byKubeVirt()) {
            return new Verdict.Passed();
        }
        if (!vmi.sameAs(request.before(), "spec")) {
            return new Verdict.Invalid("", "update of VMI object is restricted");
        }
        for (String label : RESERVED_LABELS) {
            if (!vmi.label(label).equals(request.before().label(label))) {
                return new Verdict.Invalid(
                        "", "modification of the following reserved kubevirt.io/ labels on a VMI object is prohibited");
            }
        }
        return new Verdict.Passed();
    }

    Verdict mutateMachine(Request request) {
        Item vm = request.object();
        Item after = vm.copy();
        otherwise(after, "v3", "spec", "template", "metadata", "annotations", "kubevirt.io/pci-topology-version");
        otherwise(after, "amd64", "spec", "template", "spec", "architecture");
        otherwise(after, "q35", "spec", "template", "spec", "domain", "machine", "type");
        otherwise(after, UUID.randomUUID().toString(), "spec", "template", "spec", "domain", "firmware", "serial");
        otherwise(after, UUID.randomUUID().toString(), "spec", "template", "spec", "domain", "firmware", "uuid");
        return new Verdict.Changed(vm, after);
    }

    Verdict validateMachine(Request request) {
        Item vm = request.object();
        if (vm.has("spec", "running") == vm.has("spec", "runStrategy")) {
            return new Verdict.Invalid(
                    "spec.running",
                    vm.has("spec", "running")
                            ? "Running and RunStrategy are mutually exclusive. Note that Running is deprecated, please"
                                    + " use RunStrategy instead"
                            : "One of Running or RunStrategy must be specified");
        }
        return new Verdict.Passed();
    }
}
