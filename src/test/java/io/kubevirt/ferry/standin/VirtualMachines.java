package io.kubevirt.ferry.standin;

import static io.kubevirt.ferry.testbed.Patience.PATIENCE;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Virtual machines and migrations in the words of a test. */
public final class VirtualMachines {

    /**
     * The annotation of a VM's template, or later of the VMI, that scripts its machine: {@code ok}, {@code fail},
     * {@code hang} or {@code split}, with {@code copy=3s}, {@code boot=1s}, {@code step=50ms}, {@code hold=handover}, {@code unmigratable}, and at
     * the end {@code because} and the words with which it fails.
     */
    public static final String MACHINE = Script.ANNOTATION;

    private final KubernetesClient client;

    /** @param client may create VMs and migrations, and read what becomes of them */
    public VirtualMachines(KubernetesClient client) {
        this.client = client;
    }

    /** A VM to be: one core, 128 MiB, one container disk. */
    public Builder vm(String name) {
        return new Builder(client, name);
    }

    /** What a VM is to be like. */
    public static final class Builder {

        private final KubernetesClient client;
        private final Item vm;

        private Builder(KubernetesClient client, String name) {
            this.client = client;
            vm = Item.of(Kind.VM, "default", name);
            vm.set("Always", "spec", "runStrategy");
            vm.set(1, "spec", "template", "spec", "domain", "cpu", "cores");
            vm.set(0, "spec", "template", "spec", "terminationGracePeriodSeconds");
            withMemory("128Mi");
            vm.set("50m", "spec", "template", "spec", "domain", "resources", "requests", "cpu");
            vm.set(
                    List.of(Map.of("name", "default", "masquerade", Map.of())),
                    "spec",
                    "template",
                    "spec",
                    "domain",
                    "devices",
                    "interfaces");
            vm.set(List.of(Map.of("name", "default", "pod", Map.of())), "spec", "template", "spec", "networks");
        }

        public Builder inNamespace(String namespace) {
            vm.set(namespace, "metadata", "namespace");
            return this;
        }

        public Builder withAffinity(Affinity affinity) {
            vm.set(affinity, "spec", "template", "spec", "affinity");
            return this;
        }

        public Builder withNodeSelector(Map<String, String> labels) {
            vm.set(labels, "spec", "template", "spec", "nodeSelector");
            return this;
        }

        public Builder withToleration(Toleration toleration) {
            vm.append(Item.json(toleration), "spec", "template", "spec", "tolerations");
            return this;
        }

        public Builder withLabel(String key, String value) {
            vm.set(value, "spec", "template", "metadata", "labels", key);
            return this;
        }

        /** A virtio disk on this claim, with the claim's name. */
        public Builder withClaim(String claim) {
            return withClaim(claim, claim);
        }

        /** A virtio disk of this name on this claim. */
        public Builder withClaim(String disk, String claim) {
            vm.append(
                    Item.json(Map.of("name", disk, "disk", Map.of("bus", "virtio"))),
                    "spec",
                    "template",
                    "spec",
                    "domain",
                    "devices",
                    "disks");
            vm.append(
                    Item.json(Map.of("name", disk, "persistentVolumeClaim", Map.of("claimName", claim))),
                    "spec",
                    "template",
                    "spec",
                    "volumes");
            return this;
        }

        public Builder withCpuModel(String model) {
            vm.set(model, "spec", "template", "spec", "domain", "cpu", "model");
            return this;
        }

        /** The guest's memory, all of it requested. */
        public Builder withMemory(String quantity) {
            vm.set(quantity, "spec", "template", "spec", "domain", "memory", "guest");
            vm.set(quantity, "spec", "template", "spec", "domain", "resources", "requests", "memory");
            return this;
        }

        /** Scripts its machine, in the words of {@link #MACHINE}. */
        public Builder whoseMachine(String script) {
            vm.set(script, "spec", "template", "metadata", "annotations", MACHINE);
            return this;
        }

        /** Creates it without waiting for anything. */
        public VirtualMachine create() {
            client.resource(vm.resource()).create();
            return new VirtualMachine(client, vm.namespace(), vm.name());
        }

        /** Creates it and waits until its guest runs. */
        public VirtualMachine start() {
            VirtualMachine created = create();
            created.waitUntilRunning();
            return created;
        }
    }

    /** A VM that was created. */
    public static final class VirtualMachine {

        private final KubernetesClient client;
        private final String namespace;
        private final String name;

        private VirtualMachine(KubernetesClient client, String namespace, String name) {
            this.client = client;
            this.namespace = namespace;
            this.name = name;
        }

        public String name() {
            return name;
        }

        public String namespace() {
            return namespace;
        }

        /** Waits until its guest runs and it says so itself. */
        public void waitUntilRunning() {
            await(
                    resource(Kind.VMI),
                    vmi -> vmi.conditionIs("Ready", "True")
                            && vmi.text("status", "phase").equals("Running"));
        }

        /** The node its guest is on; empty as long as it has none. */
        public String node() {
            return vmi().map(vmi -> vmi.text("status", "nodeName")).orElse("");
        }

        /** The name of the pod its guest is in; empty as long as there is none. */
        public String pod() {
            return vmi().flatMap(vmi -> Pods.current(vmi, launchers(vmi)))
                    .map(Item::name)
                    .orElse("");
        }

        private List<Item> launchers(Item vmi) {
            return client
                    .genericKubernetesResources(Kind.POD.context())
                    .inNamespace(namespace)
                    .withLabel(Names.CREATED_BY, vmi.uid())
                    .list()
                    .getItems()
                    .stream()
                    .map(each -> Item.of(Kind.POD, each))
                    .toList();
        }

        /** Its VMI as JSON, fit to be compared. */
        public String instance() {
            return vmi().map(vmi -> vmi.tree().toPrettyString()).orElse("");
        }

        /** Itself as JSON, fit to be compared. */
        public String machine() {
            return Item.of(Kind.VM, resource(Kind.VM).require()).tree().toPrettyString();
        }

        /** Changes the script of its machine from now on. */
        public void rescript(String script) {
            Item change = Item.of(Kind.VMI, namespace, name).set(script, "metadata", "annotations", MACHINE);
            resource(Kind.VMI)
                    .patch(PatchContext.of(PatchType.JSON_MERGE), change.tree().toString());
        }

        /** A migration of it to be, with a name of its own. */
        public MigrationBuilder migration(String migration) {
            return new MigrationBuilder(client, namespace, migration, name);
        }

        /** A migration of it that exists already. */
        public Migration existingMigration(String migration) {
            return new Migration(client, namespace, migration);
        }

        /** Deletes it and waits until it is gone. */
        public void delete() {
            resource(Kind.VM).delete();
            resource(Kind.VM).waitUntilCondition(each -> each == null, PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }

        private Optional<Item> vmi() {
            return Optional.ofNullable(resource(Kind.VMI).get()).map(each -> Item.of(Kind.VMI, each));
        }

        private Resource<GenericKubernetesResource> resource(Kind kind) {
            return client.genericKubernetesResources(kind.context())
                    .inNamespace(namespace)
                    .withName(name);
        }
    }

    /** What a migration is to be like. */
    public static final class MigrationBuilder {

        private final KubernetesClient client;
        private final Item migration;

        private MigrationBuilder(KubernetesClient client, String namespace, String name, String vmi) {
            this.client = client;
            migration = Item.of(Kind.VMIM, namespace, name);
            migration.set(vmi, "spec", "vmiName");
        }

        public MigrationBuilder withAnnotation(String key, String value) {
            migration.set(value, "metadata", "annotations", key);
            return this;
        }

        public MigrationBuilder withLabel(String key, String value) {
            migration.set(value, "metadata", "labels", key);
            return this;
        }

        public MigrationBuilder withAddedNodeSelector(String key, String value) {
            migration.set(value, "spec", "addedNodeSelector", key);
            return this;
        }

        /** A pod that cannot be scheduled is given up after this many seconds, not five minutes. */
        public MigrationBuilder givingUpAfter(int seconds) {
            return withAnnotation(Names.UNSCHEDULABLE_TIMEOUT, Integer.toString(seconds));
        }

        /** The object, for who wants to create it in a way of their own. */
        public GenericKubernetesResource build() {
            return migration.resource();
        }

        public Migration create() {
            client.resource(migration.resource()).create();
            return new Migration(client, migration.namespace(), migration.name());
        }
    }

    /** A migration that was created. */
    public static final class Migration {

        private final KubernetesClient client;
        private final String namespace;
        private final String name;

        private Migration(KubernetesClient client, String namespace, String name) {
            this.client = client;
            this.namespace = namespace;
            this.name = name;
        }

        public String name() {
            return name;
        }

        /** Waits until it is in this phase. */
        public void waitUntil(String phase) {
            await(resource(), migration -> migration.text("status", "phase").equals(phase));
        }

        /** Waits until it has succeeded or failed, and says which. */
        public String outcome() {
            return await(resource(), Vmis::ended).text("status", "phase");
        }

        public String phase() {
            return Optional.ofNullable(resource().get())
                    .map(each -> Item.of(Kind.VMIM, each).text("status", "phase"))
                    .orElse("");
        }

        /** Cancels it as a person would, by deleting it. */
        public void cancel() {
            resource().delete();
        }

        public void waitUntilGone() {
            resource().waitUntilCondition(each -> each == null, PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }

        /** The object as it is now. */
        public GenericKubernetesResource get() {
            return resource().require();
        }

        private Resource<GenericKubernetesResource> resource() {
            return client.genericKubernetesResources(Kind.VMIM.context())
                    .inNamespace(namespace)
                    .withName(name);
        }
    }

    private static Item await(Resource<GenericKubernetesResource> resource, Predicate<Item> until) {
        GenericKubernetesResource found = resource.waitUntilCondition(
                each -> each != null && until.test(Item.of(Kind.VMI, each)), PATIENCE.toSeconds(), TimeUnit.SECONDS);
        return Item.of(Kind.VMI, found);
    }
}
