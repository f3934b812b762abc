package io.kubevirt.ferry.standin;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * KubeVirt as its recordings show it: custom resources, virt-api, virt-controller, and machines on which guests start
 * and move.
 *
 * <p>One is enough for a whole cluster. It makes VMIs and launcher pods of VMs, leads migrations, and refuses what
 * virt-api refuses; the scheduler is the real one. What a machine does is scripted per VM by the annotation of {@link
 * VirtualMachines#MACHINE}. It knows nothing of any operator beside it.
 */
public final class KubeVirtStandIn implements AutoCloseable {

    /** The user as which it acts, once it is installed. */
    public static final String USER = Names.CONTROLLER;

    /** What the KubeVirt object says is installed. */
    public static final String VERSION = "v1.9.0";

    private static final String ROLE = "kubevirt-controller";

    private final Cluster cluster;
    private final Events events;
    private final VirtApi api;
    private final WorkloadUpdater updater;
    private final List<WorkQueue> queues;

    private KubeVirtStandIn(KubernetesClient client, Duration turn) {
        cluster = new Cluster(client);
        events = new Events(cluster, "virtualmachine-controller");
        api = new VirtApi(cluster);
        List<WorkQueue> controllers = List.of(
                new VmController(cluster, events).queue(),
                new SnapshotStatuses(cluster).queue(),
                new VmiController(cluster, events).queue(),
                new MigrationController(cluster, events).queue());
        updater = new WorkloadUpdater(cluster, events.of("workload-update-controller"), turn);
        Pace pace = new Pace(cluster, controllers);
        Kubelet kubelet = new Kubelet(cluster, pace);
        queues = Stream.concat(
                        controllers.stream(),
                        Stream.of(updater.queue(), kubelet.queue(), new Handler(cluster, kubelet, pace).queue()))
                .toList();
    }

    /**
     * Installs the definitions, the KubeVirt object and what {@link #USER} may do, and returns when they are served.
     *
     * @param admin may do everything
     */
    public static void install(KubernetesClient admin) {
        List<CustomResourceDefinition> definitions = Crds.all(admin.getKubernetesSerialization());
        definitions.forEach(definition -> admin.resource(definition).serverSideApply());
        definitions.forEach(definition ->
                admin.resource(definition).waitUntilCondition(KubeVirtStandIn::served, 30, TimeUnit.SECONDS));
        admin.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(Names.NAMESPACE)
                        .endMetadata()
                        .build())
                .serverSideApply();
        roles(admin);
        Cluster cluster = new Cluster(admin);
        Item kubevirt =
                cluster.get(Kind.KUBEVIRT, Names.NAMESPACE, "kubevirt").orElseGet(() -> cluster.create(kubevirt()));
        kubevirt.set("Deployed", "status", "phase").set(VERSION, "status", "observedKubeVirtVersion");
        cluster.updateStatus(kubevirt);
    }

    private static boolean served(CustomResourceDefinition definition) {
        return definition != null
                && definition.getStatus() != null
                && definition.getStatus().getConditions() != null
                && definition.getStatus().getConditions().stream()
                        .anyMatch(each -> each.getType().equals("Established")
                                && each.getStatus().equals("True"));
    }

    private static Item kubevirt() {
        Item kubevirt = Item.of(Kind.KUBEVIRT, Names.NAMESPACE, "kubevirt");
        kubevirt.set(List.of("LiveMigrate"), "spec", "workloadUpdateStrategy", "workloadUpdateMethods");
        return kubevirt.set("LiveUpdate", "spec", "configuration", "vmRolloutStrategy");
    }

    private static void roles(KubernetesClient admin) {
        admin.resource(new ClusterRoleBuilder()
                        .withNewMetadata()
                        .withName(ROLE)
                        .endMetadata()
                        .withRules(
                                rule("kubevirt.io", "*"),
                                rule("", "pods", "pods/status", "events"),
                                rule("", "nodes", "persistentvolumeclaims", "namespaces"),
                                rule("apps", "controllerrevisions"))
                        .build())
                .serverSideApply();
        admin.resource(new ClusterRoleBindingBuilder()
                        .withNewMetadata()
                        .withName(ROLE)
                        .endMetadata()
                        .withNewRoleRef()
                        .withApiGroup("rbac.authorization.k8s.io")
                        .withKind("ClusterRole")
                        .withName(ROLE)
                        .endRoleRef()
                        .addNewSubject()
                        .withApiGroup("rbac.authorization.k8s.io")
                        .withKind("User")
                        .withName(USER)
                        .endSubject()
                        .build())
                .serverSideApply();
    }

    private static PolicyRule rule(String group, String... resources) {
        return new PolicyRuleBuilder()
                .withApiGroups(group)
                .withResources(resources)
                .withVerbs("*")
                .build();
    }

    /**
     * Starts it, and returns when VMs can be created.
     *
     * @param admin registers the webhooks
     * @param own logged in as {@link #USER}; stays the caller's to close
     */
    public static KubeVirtStandIn start(KubernetesClient admin, KubernetesClient own) {
        return start(admin, own, Duration.ofSeconds(5));
    }

    /**
     * Starts it with less patience, or more, than KubeVirt has.
     *
     * @param turn how long its workload updater, which makes the migrations of changed volumes, waits between two turns
     */
    public static KubeVirtStandIn start(KubernetesClient admin, KubernetesClient own, Duration turn) {
        KubeVirtStandIn standIn = new KubeVirtStandIn(own, turn);
        standIn.api.start();
        standIn.connectApi(admin);
        standIn.cluster.watch(
                Kind.KUBEVIRT, Kind.NODE, Kind.CLAIM, Kind.REVISION, Kind.VM, Kind.VMI, Kind.VMIM, Kind.POD);
        standIn.queues.forEach(WorkQueue::start);
        return standIn;
    }

    /** Registers the webhooks of its API component, as {@link #start} does. */
    public void connectApi(KubernetesClient admin) {
        admin.resource(api.mutating()).serverSideApply();
        admin.resource(api.validating()).serverSideApply();
    }

    /** Takes them away: nothing is refused or completed until they are back. */
    public void disconnectApi(KubernetesClient admin) {
        admin.resource(api.mutating()).delete();
        admin.resource(api.validating()).delete();
    }

    /** From now on no turn of its workload updater falls between what a test does. */
    WorkloadUpdater.Hold holdUpdater() {
        return updater.hold();
    }

    /**
     * Whether nothing moves in a namespace: everything there has been seen, and nobody has anything to do about it now or
     * within half a second. What takes longer, a copy, say, or the turn of the workload updater, is not waited for.
     */
    public boolean isSettled(String namespace) {
        return cluster.hasShownAll(namespace) && queues.stream().allMatch(queue -> queue.rests(namespace));
    }

    /** Stops at once; objects stay as they are. */
    @Override
    public void close() {
        Stream.concat(queues.stream(), Stream.of(cluster, events, api)).forEach(KubeVirtStandIn::close);
    }

    private static void close(AutoCloseable part) {
        try {
            part.close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
