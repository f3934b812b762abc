package io.kubevirt.ferry.volumes;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.kubevirt.ferry.api.Attempts;
import io.kubevirt.ferry.api.Before;
import io.kubevirt.ferry.api.LeftOutPolicy;
import io.kubevirt.ferry.api.MachineUpdatePolicy;
import io.kubevirt.ferry.api.MigratedVolume;
import io.kubevirt.ferry.api.Names;
import io.kubevirt.ferry.api.Original;
import io.kubevirt.ferry.api.Progress;
import io.kubevirt.ferry.api.Progress.Step;
import io.kubevirt.ferry.api.ReclaimPolicy;
import io.kubevirt.ferry.api.Verdict;
import io.kubevirt.ferry.api.VolumeMigration;
import io.kubevirt.ferry.api.VolumeMigrationSpec;
import io.kubevirt.ferry.api.VolumeMigrationStatus;
import io.kubevirt.ferry.kubevirt.Condition;
import io.kubevirt.ferry.kubevirt.DataSource;
import io.kubevirt.ferry.kubevirt.DataVolume;
import io.kubevirt.ferry.kubevirt.KubeVirt;
import io.kubevirt.ferry.kubevirt.MigrationState;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstance;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import io.kubevirt.ferry.kubevirt.Volume;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What a decision looks at, to be changed at will: VM {@code db} with volumes {@code root} and {@code data} on {@code old-root}
 * and {@code old-data}, to be moved to {@code new-root} and {@code new-data}. At first the VM runs and nothing has begun.
 */
final class Scene {
    static final Instant NOW = Instant.parse("2026-05-01T12:00:00Z");
    static final List<String> OLD = List.of("old-root", "old-data");
    static final List<String> NEW = List.of("new-root", "new-data");
    static final String LOCK = "volmig-uid/1/";
    static final String MARK = "volmig-uid.1";

    private static final List<String> VOLUMES = List.of("root", "data");
    private static final String NAMESPACE = "shop";

    Instant now = NOW;
    MachineUpdatePolicy policy = MachineUpdatePolicy.Automatic;
    ReclaimPolicy reclaim = ReclaimPolicy.Delete;

    @Nullable LeftOutPolicy leftOut;

    @Nullable NodeSelectorTerm term;

    @Nullable Integer ttl;

    List<String> finalizers = new ArrayList<>();
    boolean deleted;

    @Nullable VolumeMigrationStatus status;

    @Nullable Original run;

    boolean machineThere = true;
    boolean machineDeleting;
    boolean namespaceTerminating;
    List<Volume> machineVolumes = volumes(OLD);

    @Nullable String strategy;

    List<ObjectNode> templates = List.of();
    Map<String, String> machineAnnotations = new LinkedHashMap<>();
    List<Condition> machineConditions = new ArrayList<>();

    VirtualMachine.@Nullable VolumeUpdateState updateState;

    VirtualMachine.Devices devices = new VirtualMachine.Devices(List.of(), List.of());
    long generation = 1;
    long seenGeneration = 1;

    boolean instanceThere = true;
    boolean instanceDeleting;
    String instanceUid = "vmi-uid";
    String phase = "Running";
    String node = "node-1";
    List<Volume> instanceVolumes = volumes(OLD);
    List<String> instanceFinalizers = new ArrayList<>(List.of("kubevirt.io/virtualMachineControllerFinalize"));
    Map<String, String> instanceLabels = new LinkedHashMap<>(Map.of("kubevirt.io/nodeName", "node-1"));
    List<Condition> instanceConditions = new ArrayList<>();
    boolean underWay;
    /** What KubeVirt moves while volumes are under way. */
    List<VirtualMachineInstance.MigratedVolume> moving =
            List.of(migrated("root", "old-root", "new-root"), migrated("data", "old-data", "new-data"));

    @Nullable MigrationState migrationState;

    List<VirtualMachineInstance.VolumeStatus> volumeStatus = List.of();

    final List<VirtualMachineInstanceMigration> migrations = new ArrayList<>();
    final List<Pod> pods = new ArrayList<>(List.of(launcher("source", "node-1", "Running", OLD)));
    final List<PersistentVolumeClaim> claims = new ArrayList<>();
    final List<DataVolume> dataVolumes = new ArrayList<>();
    Optional<KubeVirt> kubeVirt = Optional.of(kubeVirt("v1.7.0", null));

    boolean usage = true;
    final List<VirtualMachine> otherMachines = new ArrayList<>();
    final List<VirtualMachineInstance> otherInstances = new ArrayList<>();
    final List<Pod> otherPods = new ArrayList<>();
    final List<DataSource> dataSources = new ArrayList<>();
    final List<VolumeMigration> others = new ArrayList<>();

    Scene() {
        for (String name : List.of("old-root", "old-data", "new-root", "new-data")) {
            claims.add(claim(name));
        }
    }

    // Where a run may be

    /** A run that has come that far, with nothing changed yet. */
    static Scene at(Step step) {
        var scene = new Scene();
        scene.finalizers.add(Names.VOLUME_MIGRATION);
        scene.run = new Original(
                "vm-uid",
                "vmi-uid",
                1,
                new Before(
                        volumes(OLD).stream().map(Volume::json).toList(),
                        List.of(),
                        OLD.stream()
                                .map(name -> new Before.Claim(name, name + "-uid"))
                                .toList(),
                        ""),
                Progress.start().with(step),
                Attempts.NONE);
        if (step != Step.Recorded) {
            scene.hold();
        }
        if (step == Step.Locked || step == Step.Changed) {
            scene.machineAnnotations.put(Names.VOLUME_MIGRATION, LOCK);
        }
        return scene;
    }

    /** A run whose VM was changed just now. */
    static Scene changed() {
        var scene = at(Step.Changed);
        scene.machineVolumes = volumes(NEW);
        scene.strategy = VirtualMachine.MIGRATION;
        scene.generation = 2;
        return scene;
    }

    /** A run that KubeVirt has taken up. */
    static Scene takenUp() {
        return changed().takeUp();
    }

    /** A run whose guest has moved, with KubeVirt done. */
    static Scene moved() {
        var scene = takenUp().handOver("vmim-1");
        scene.instanceConditions.clear();
        scene.underWay = false;
        return scene;
    }

    Scene takeUp() {
        seenGeneration = generation;
        instanceVolumes = volumes(NEW);
        underWay = true;
        instanceConditions.add(new Condition(VirtualMachineInstance.VOLUMES_CHANGE, "True", null, "migrate volumes"));
        return this;
    }

    /** The guest runs on the target. */
    Scene handOver(String migration) {
        migrationState = state(migration, true, false, NOW.toString());
        migrations.add(vmim(migration, "Succeeded"));
        node = "node-2";
        pods.clear();
        pods.add(launcher("source", "node-1", "Succeeded", OLD));
        pods.add(target("target", migration, "node-2", "Running", NEW));
        return this;
    }

    Scene hold() {
        instanceFinalizers.add(Names.VOLUME_MIGRATION);
        instanceLabels.put(Names.VOLUME_MIGRATION, MARK);
        return this;
    }

    Scene verdict(Verdict verdict, Reason reason) {
        run = run().with(run().progress().with(verdict, reason.name(), "why"));
        return this;
    }

    Scene progress(UnaryOperator<Progress> change) {
        run = run().with(change.apply(run().progress()));
        return this;
    }

    Scene attempts(UnaryOperator<Attempts> change) {
        run = run().with(change.apply(run().attempts()));
        return this;
    }

    /** The VMI told of that migration when the run began. */
    Scene lastBefore(String migration) {
        machineAnnotations.replace(Names.VOLUME_MIGRATION, LOCK + migration);
        return attempts(a -> new Attempts(migration, List.of(migration), "", List.of(), ""));
    }

    /** The VM names the sources again. */
    Scene putBack() {
        machineVolumes = volumes(OLD);
        generation++;
        return this;
    }

    /** KubeVirt has written on the VM what it migrates. */
    Scene recordedByKubeVirt() {
        updateState = new VirtualMachine.VolumeUpdateState(new VirtualMachine.VolumeMigrationState(
                List.of(migrated("root", "old-root", "new-root"), migrated("data", "old-data", "new-data"))));
        return this;
    }

    static VirtualMachineInstance.MigratedVolume migrated(String volume, String from, String to) {
        return new VirtualMachineInstance.MigratedVolume(
                volume,
                new VirtualMachineInstance.ClaimInfo(from, List.of()),
                new VirtualMachineInstance.ClaimInfo(to, List.of()));
    }

    /** KubeVirt has cancelled. */
    Scene cancelled() {
        seenGeneration = generation;
        instanceVolumes = volumes(OLD);
        underWay = false;
        instanceConditions.clear();
        instanceConditions.add(new Condition(
                VirtualMachineInstance.VOLUMES_CHANGE, "False", "VolumesChangeCancellation", "cancelled"));
        return this;
    }

    Scene ended() {
        phase = "Failed";
        instanceDeleting = true;
        return this;
    }

    Scene with(Consumer<Scene> change) {
        change.accept(this);
        return this;
    }

    Original run() {
        return Optional.ofNullable(run).orElseThrow();
    }

    // What comes of it

    Decision decide() {
        return Decider.PROTOCOL.decide(observation(), Settings.DEFAULT, now);
    }

    View view() {
        return View.of(observation(), run(), Settings.DEFAULT, now);
    }

    Subject subject() {
        return new Subject(observation(), usage());
    }

    Observation observation() {
        return new Observation(
                migration(),
                namespaceTerminating,
                kubeVirt,
                claims,
                dataVolumes,
                migrations,
                pods,
                instanceThere ? Optional.of(instance()) : Optional.empty(),
                usage ? Optional.of(usage()) : Optional.empty(),
                machineThere ? Optional.of(machine()) : Optional.empty());
    }

    private Usage usage() {
        return new Usage(
                plus(otherMachines, machineThere ? List.of(machine()) : List.of()),
                plus(otherInstances, instanceThere ? List.of(instance()) : List.of()),
                plus(otherPods, pods),
                dataVolumes,
                dataSources,
                plus(others, List.of(migration())));
    }

    private static <T> List<T> plus(List<T> some, List<T> more) {
        var all = new ArrayList<>(some);
        all.addAll(more);
        return all;
    }

    VolumeMigration migration() {
        var migration = named(new VolumeMigration(), "to-ceph", "volmig-uid");
        migration.getMetadata().setFinalizers(finalizers);
        migration.getMetadata().setGeneration(1L);
        migration.getMetadata().setCreationTimestamp("2026-05-01T11:00:00Z");
        if (deleted) {
            migration.getMetadata().setDeletionTimestamp(NOW.toString());
        }
        migration.setSpec(new VolumeMigrationSpec(
                List.of(
                        new MigratedVolume("old-root", "new-root", reclaim),
                        new MigratedVolume("old-data", "new-data", reclaim)),
                term,
                policy,
                leftOut,
                1,
                ttl));
        migration.setStatus(
                status != null
                        ? status
                        : new VolumeMigrationStatus(
                                null, "db", "db", null, null, null, null, null, null, List.of(), run, List.of()));
        return migration;
    }

    VirtualMachine machine() {
        var vm = named(new VirtualMachine(), "db", "vm-uid");
        vm.getMetadata().setGeneration(generation);
        vm.getMetadata().setAnnotations(machineAnnotations);
        if (machineDeleting) {
            vm.getMetadata().setDeletionTimestamp(NOW.toString());
        }
        vm.setSpec(new VirtualMachine.Spec(
                strategy,
                templates.isEmpty() ? null : templates,
                new VirtualMachine.Template(
                        new VirtualMachine.TemplateSpec(machineVolumes, new VirtualMachine.Domain(devices)))));
        vm.setStatus(new VirtualMachine.Status(seenGeneration, "Running", machineConditions, updateState));
        return vm;
    }

    VirtualMachineInstance instance() {
        var vmi = named(new VirtualMachineInstance(), "db", instanceUid);
        vmi.getMetadata().setFinalizers(instanceFinalizers);
        vmi.getMetadata().setLabels(instanceLabels);
        vmi.getMetadata()
                .setOwnerReferences(List.of(new OwnerReferenceBuilder()
                        .withKind("VirtualMachine")
                        .withName("db")
                        .withUid("vm-uid")
                        .build()));
        if (instanceDeleting) {
            vmi.getMetadata().setDeletionTimestamp(NOW.toString());
        }
        vmi.setSpec(new VirtualMachineInstance.Spec(instanceVolumes));
        vmi.setStatus(new VirtualMachineInstance.Status(
                phase, node, instanceConditions, underWay ? moving : List.of(), migrationState, volumeStatus));
        return vmi;
    }

    // Parts

    static List<Volume> volumes(List<String> claims) {
        return List.of(volume(VOLUMES.get(0), claims.get(0)), volume(VOLUMES.get(1), claims.get(1)));
    }

    static Volume volume(String name, String claim) {
        var json = JsonNodeFactory.instance.objectNode().put("name", name);
        json.putObject("persistentVolumeClaim").put("claimName", claim);
        return new Volume(json);
    }

    static Volume dataVolume(String name, String claim) {
        var json = JsonNodeFactory.instance.objectNode().put("name", name);
        json.putObject("dataVolume").put("name", claim);
        return new Volume(json);
    }

    static ObjectNode template(String name) {
        var json = JsonNodeFactory.instance.objectNode();
        json.putObject("metadata").put("name", name);
        json.putObject("spec").put("size", "1Gi");
        return json;
    }

    static KubeVirt kubeVirt(String version, @Nullable String rolloutStrategy, String... methods) {
        var kubeVirt = new KubeVirt();
        kubeVirt.setSpec(new KubeVirt.Spec(
                new KubeVirt.Configuration(rolloutStrategy), new KubeVirt.WorkloadUpdateStrategy(List.of(methods))));
        kubeVirt.setStatus(new KubeVirt.Status(version));
        return kubeVirt;
    }

    static PersistentVolumeClaim claim(String name) {
        return new PersistentVolumeClaimBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(NAMESPACE)
                .withUid(name + "-uid")
                .withResourceVersion("7")
                .endMetadata()
                .withNewSpec()
                .endSpec()
                .withNewStatus()
                .withPhase("Bound")
                .withCapacity(Map.of("storage", new Quantity("10Gi")))
                .endStatus()
                .build();
    }

    /** The claim of that name, changed. */
    Scene claim(String name, Consumer<PersistentVolumeClaim> change) {
        claims.stream()
                .filter(claim -> claim.getMetadata().getName().equals(name))
                .forEach(change);
        return this;
    }

    static DataVolume dataVolumeObject(String name, String phase) {
        var dataVolume = named(new DataVolume(), name, name + "-dv-uid");
        dataVolume.getMetadata().setResourceVersion("9");
        dataVolume.setStatus(new DataVolume.Status(phase));
        return dataVolume;
    }

    static VirtualMachineInstanceMigration vmim(String name, String phase) {
        var vmim = named(new VirtualMachineInstanceMigration(), name, name);
        vmim.setStatus(new VirtualMachineInstanceMigration.Status(
                phase, null, List.of(new VirtualMachineInstanceMigration.PhaseTransition(phase, null))));
        return vmim;
    }

    static VirtualMachineInstanceMigration kubeVirts(VirtualMachineInstanceMigration vmim) {
        vmim.getMetadata().setLabels(Map.of(VirtualMachineInstanceMigration.VOLUME_UPDATE_LABEL, "db"));
        return vmim;
    }

    static MigrationState state(String uid, boolean completed, boolean failed, @Nullable String handedOver) {
        return new MigrationState(
                uid, completed, failed, null, "node-1", "node-2", "source", "target", handedOver, null);
    }

    static Pod launcher(String name, String node, String phase, List<String> claims) {
        return pod(
                name, node, phase, Map.of("kubevirt.io", "virt-launcher", "kubevirt.io/created-by", "vmi-uid"), claims);
    }

    static Pod target(String name, String migration, String node, String phase, List<String> claims) {
        return pod(
                name,
                node,
                phase,
                Map.of(
                        "kubevirt.io",
                        "virt-launcher",
                        "kubevirt.io/created-by",
                        "vmi-uid",
                        "kubevirt.io/migrationJobUID",
                        migration,
                        Names.VOLUME_MIGRATION,
                        MARK),
                claims);
    }

    static Pod pod(String name, String node, String phase, Map<String, String> labels, List<String> claims) {
        return new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withUid(name + "-uid")
                .withNamespace(NAMESPACE)
                .withLabels(labels)
                .endMetadata()
                .withNewSpec()
                .withNodeName(node)
                .withVolumes(claims.stream()
                        .map(claim -> new VolumeBuilder()
                                .withName(claim)
                                .withNewPersistentVolumeClaim(claim, false)
                                .build())
                        .toList())
                .endSpec()
                .withNewStatus()
                .withPhase(phase)
                .endStatus()
                .build();
    }

    static VirtualMachine otherMachine(String name, Volume... volumes) {
        var vm = named(new VirtualMachine(), name, name + "-uid");
        vm.setSpec(new VirtualMachine.Spec(
                null,
                null,
                new VirtualMachine.Template(new VirtualMachine.TemplateSpec(
                        List.of(volumes),
                        new VirtualMachine.Domain(new VirtualMachine.Devices(List.of(), List.of()))))));
        return vm;
    }

    static VirtualMachineInstance otherInstance(String name, Volume... volumes) {
        var vmi = named(new VirtualMachineInstance(), name, name + "-uid");
        vmi.setSpec(new VirtualMachineInstance.Spec(List.of(volumes)));
        return vmi;
    }

    static VolumeMigration otherMigration(String name, String created, String source, String destination) {
        var other = named(new VolumeMigration(), name, name + "-uid");
        other.getMetadata().setCreationTimestamp(created);
        other.setSpec(new VolumeMigrationSpec(
                List.of(new MigratedVolume(source, destination, null)), null, null, null, null, null));
        return other;
    }

    static <T extends HasMetadata> T named(T object, String name, String uid) {
        object.setMetadata(new ObjectMetaBuilder()
                .withName(name)
                .withUid(uid)
                .withNamespace(NAMESPACE)
                .withResourceVersion("5")
                .build());
        return object;
    }
}
