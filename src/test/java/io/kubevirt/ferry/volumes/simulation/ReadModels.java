package io.kubevirt.ferry.volumes.simulation;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimSpec;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimStatus;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimVolumeSource;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.Quantity;
import io.kubevirt.ferry.api.VolumeMigration;
import io.kubevirt.ferry.kubevirt.ClaimSource;
import io.kubevirt.ferry.kubevirt.Condition;
import io.kubevirt.ferry.kubevirt.DataSource;
import io.kubevirt.ferry.kubevirt.KubeVirt;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstance;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The model's objects as the API would show them to the operator. */
final class ReadModels {
    static final String NAMESPACE = "shop";

    private record Made(long version, HasMetadata model) {}

    private final IdentityHashMap<Object, Made> made = new IdentityHashMap<>();
    private final Map<List<Boolean>, KubeVirt> configurations = new HashMap<>();
    private static final Map<Volume, io.kubevirt.ferry.kubevirt.Volume> VOLUMES = new ConcurrentHashMap<>();

    VolumeMigration volumeMigration(Request request) {
        return made(request, request.version, () -> {
            var model = new VolumeMigration();
            model.setMetadata(
                    metadata(request.name, request.uid, request.version, request.deleting, request.finalizers));
            model.getMetadata().setGeneration(1L);
            model.getMetadata().setCreationTimestamp(Times.text(request.created));
            model.setSpec(request.spec);
            model.setStatus(request.status);
            return model;
        });
    }

    VirtualMachine machine(Vm vm) {
        return made(vm, vm.version, () -> {
            var model = new VirtualMachine();
            model.setMetadata(metadata(vm.name, vm.uid, vm.version, vm.deleting, List.of()));
            model.getMetadata().setGeneration(vm.generation);
            model.getMetadata().setAnnotations(new LinkedHashMap<>(vm.annotations));
            model.setSpec(new VirtualMachine.Spec(
                    vm.strategy,
                    vm.templates.isEmpty()
                            ? null
                            : vm.templates.stream().map(ReadModels::template).toList(),
                    new VirtualMachine.Template(
                            new VirtualMachine.TemplateSpec(volumes(vm.volumes), domain(vm.volumes)))));
            model.setStatus(new VirtualMachine.Status(
                    vm.status.desiredGeneration, null, conditions(vm.status), updateState(vm)));
            return model;
        });
    }

    private static VirtualMachine.VolumeUpdateState updateState(Vm vm) {
        return new VirtualMachine.VolumeUpdateState(new VirtualMachine.VolumeMigrationState(
                vm.status.volumeMigrationState.stream()
                        .map(m -> new VirtualMachineInstance.MigratedVolume(
                                m.volume(), info(m.source(), Map.of()), info(m.destination(), Map.of())))
                        .toList()));
    }

    private static VirtualMachine.Domain domain(List<Volume> volumes) {
        return new VirtualMachine.Domain(new VirtualMachine.Devices(
                volumes.stream()
                        .map(v -> new VirtualMachine.Disk(v.name(), null, null))
                        .toList(),
                List.of()));
    }

    private static List<Condition> conditions(VmStatus status) {
        var conditions = new ArrayList<Condition>();
        if (status.restartRequired != null) {
            conditions.add(new Condition(VirtualMachine.RESTART_REQUIRED, "True", null, status.restartRequired));
        }
        if (status.manualRecoveryRequired) {
            conditions.add(new Condition(VirtualMachine.MANUAL_RECOVERY_REQUIRED, "True", null, null));
        }
        conditions.addAll(conditions(status.volumesChange));
        return conditions;
    }

    private static List<Condition> conditions(VolumesChange change) {
        return switch (change) {
            case ABSENT -> List.of();
            case TRUE -> List.of(new Condition(VirtualMachineInstance.VOLUMES_CHANGE, "True", null, "migrate volumes"));
            case MISSING ->
                List.of(new Condition(
                        VirtualMachineInstance.VOLUMES_CHANGE,
                        "False",
                        null,
                        "One of the destination volumes doesn't exist"));
            case CANCELLED ->
                List.of(new Condition(
                        VirtualMachineInstance.VOLUMES_CHANGE, "False", "VolumesChangeCancellation", null));
        };
    }

    VirtualMachineInstance instance(Vmi vmi, Map<String, Claim> claims) {
        return made(vmi, vmi.version, () -> {
            var model = new VirtualMachineInstance();
            model.setMetadata(metadata(vmi.name, vmi.uid, vmi.version, vmi.deleting, vmi.finalizers));
            model.getMetadata().setLabels(new LinkedHashMap<>(vmi.labels));
            model.getMetadata().setOwnerReferences(List.of(owner("VirtualMachine", vmi.name, vmi.vmUid)));
            model.setSpec(new VirtualMachineInstance.Spec(volumes(vmi.volumes)));
            model.setStatus(new VirtualMachineInstance.Status(
                    phase(vmi.phase),
                    vmi.node,
                    conditions(vmi.volumesChange),
                    vmi.migratedVolumes.stream()
                            .map(m -> new VirtualMachineInstance.MigratedVolume(
                                    m.volume(), info(m.source(), claims), info(m.destination(), claims)))
                            .toList(),
                    state(vmi.migration, vmi.node),
                    vmi.volumes.stream()
                            .map(v -> new VirtualMachineInstance.VolumeStatus(v.name(), info(v.claim(), claims)))
                            .toList()));
            return model;
        });
    }

    private static String phase(Vmi.Phase phase) {
        return switch (phase) {
            case PENDING -> "Scheduling";
            case RUNNING -> "Running";
            case SUCCEEDED -> "Succeeded";
            case FAILED -> "Failed";
        };
    }

    private static VirtualMachineInstance.ClaimInfo info(String name, Map<String, Claim> claims) {
        var claim = claims.get(name);
        return new VirtualMachineInstance.ClaimInfo(name, modes(claim != null && claim.readWriteOnce));
    }

    private static List<String> modes(boolean once) {
        return List.of(once ? "ReadWriteOnce" : "ReadWriteMany");
    }

    private static io.kubevirt.ferry.kubevirt.@Nullable MigrationState state(
            @Nullable MigrationState state, @Nullable String node) {
        return state == null
                ? null
                : new io.kubevirt.ferry.kubevirt.MigrationState(
                        state.migrationUid,
                        state.completed,
                        state.failed,
                        state.failureReason,
                        node,
                        state.targetNode,
                        state.sourcePod,
                        state.targetPod,
                        state.targetReady < 0 ? null : Times.text(state.targetReady),
                        null);
    }

    VirtualMachineInstanceMigration migration(Vmim vmim) {
        return made(vmim, vmim.version, () -> {
            var model = new VirtualMachineInstanceMigration();
            model.setMetadata(metadata(vmim.name, vmim.uid, vmim.version, vmim.deleting, List.of()));
            model.getMetadata().setCreationTimestamp(Times.text(vmim.created));
            model.getMetadata().setLabels(new LinkedHashMap<>(vmim.labels));
            model.getMetadata().setAnnotations(new LinkedHashMap<>(vmim.annotations));
            model.setSpec(new VirtualMachineInstanceMigration.Spec(vmim.vmi));
            model.setStatus(new VirtualMachineInstanceMigration.Status(
                    phase(vmim.phase),
                    vmim.failureReason == null && !vmim.targetReady
                            ? null
                            : new io.kubevirt.ferry.kubevirt.MigrationState(
                                    vmim.uid,
                                    true,
                                    vmim.phase == Vmim.Phase.FAILED,
                                    vmim.failureReason,
                                    null,
                                    null,
                                    null,
                                    vmim.targetPod,
                                    vmim.targetReady ? Times.text(vmim.created) : null,
                                    null),
                    vmim.fate == null
                            ? List.of()
                            : List.of(new VirtualMachineInstanceMigration.PhaseTransition("Running", null))));
            return model;
        });
    }

    private static String phase(Vmim.Phase phase) {
        return switch (phase) {
            case UNSET -> "";
            case PENDING -> "Pending";
            case SCHEDULING -> "Scheduling";
            case SCHEDULED -> "Scheduled";
            case PREPARING -> "PreparingTarget";
            case TARGET_READY -> "TargetReady";
            case RUNNING -> "Running";
            case SUCCEEDED -> "Succeeded";
            case FAILED -> "Failed";
        };
    }

    io.fabric8.kubernetes.api.model.Pod pod(Pod pod) {
        return made(pod, pod.version, () -> {
            var model = new io.fabric8.kubernetes.api.model.Pod();
            model.setMetadata(metadata(pod.name, pod.uid, pod.version, pod.deleting, List.of()));
            model.getMetadata().setLabels(labels(pod));
            model.getMetadata().setAnnotations(Map.of("kubevirt.io/domain", "vm"));
            if (pod.owner != null) {
                model.getMetadata().setOwnerReferences(List.of(owner("Pod", "launcher", pod.owner)));
            }
            var spec = new PodSpec();
            spec.setNodeName(pod.node);
            spec.setVolumes(new ArrayList<>());
            pod.claims.forEach((volume, claim) -> spec.getVolumes().add(mount(volume, claim)));
            model.setSpec(spec);
            var status = new PodStatus();
            status.setPhase(phase(pod.phase));
            model.setStatus(status);
            return model;
        });
    }

    private static Map<String, String> labels(Pod pod) {
        var labels = new LinkedHashMap<>(pod.labels);
        switch (pod.kind) {
            case LAUNCHER -> {
                labels.put("kubevirt.io", "virt-launcher");
                labels.put("kubevirt.io/created-by", pod.createdBy);
                labels.put("vm.kubevirt.io/name", "vm");
                if (!pod.migrationUid.isEmpty()) {
                    labels.put("kubevirt.io/migrationJobUID", pod.migrationUid);
                }
            }
            case ATTACHMENT -> labels.put("kubevirt.io", "hotplug-disk");
            case OTHER -> labels.put("app", "backup");
        }
        return labels;
    }

    private static io.fabric8.kubernetes.api.model.Volume mount(String volume, String claim) {
        var mount = new io.fabric8.kubernetes.api.model.Volume();
        mount.setName(volume);
        mount.setPersistentVolumeClaim(new PersistentVolumeClaimVolumeSource(claim, false));
        return mount;
    }

    private static String phase(Pod.Phase phase) {
        return switch (phase) {
            case PENDING -> "Pending";
            case RUNNING -> "Running";
            case SUCCEEDED -> "Succeeded";
            case FAILED -> "Failed";
        };
    }

    PersistentVolumeClaim claim(Claim claim) {
        return made(claim, claim.version, () -> {
            var model = new PersistentVolumeClaim();
            model.setMetadata(metadata(claim.name, claim.uid, claim.version, claim.deleting, List.of()));
            model.getMetadata().setAnnotations(new LinkedHashMap<>(claim.annotations));
            if (claim.owner != null) {
                var owner = owner("DataVolume", claim.owner.name, claim.owner.uid);
                owner.setApiVersion("cdi.kubevirt.io/v1beta1");
                model.getMetadata().setOwnerReferences(List.of(owner));
            }
            var spec = new PersistentVolumeClaimSpec();
            spec.setAccessModes(modes(claim.readWriteOnce));
            model.setSpec(spec);
            var status = new PersistentVolumeClaimStatus();
            status.setPhase("Bound");
            status.setCapacity(Map.of("storage", new Quantity("1Gi")));
            model.setStatus(status);
            return model;
        });
    }

    io.kubevirt.ferry.kubevirt.DataVolume dataVolume(DataVolume dataVolume) {
        return made(dataVolume, dataVolume.version, () -> {
            var model = new io.kubevirt.ferry.kubevirt.DataVolume();
            model.setMetadata(
                    metadata(dataVolume.name, dataVolume.uid, dataVolume.version, dataVolume.deleting, List.of()));
            model.getMetadata().setAnnotations(new LinkedHashMap<>(dataVolume.annotations));
            if (dataVolume.source != null) {
                model.setSpec(new io.kubevirt.ferry.kubevirt.DataVolume.Spec(pointingAt(dataVolume.source)));
            }
            model.setStatus(new io.kubevirt.ferry.kubevirt.DataVolume.Status("Succeeded"));
            return model;
        });
    }

    DataSource dataSource(String name, String claim) {
        var model = new DataSource();
        model.setMetadata(metadata(name, name, 1, false, List.of()));
        model.setSpec(new DataSource.Spec(pointingAt(claim)));
        return model;
    }

    private static ClaimSource pointingAt(String claim) {
        return new ClaimSource(new ClaimSource.Claim(null, claim));
    }

    KubeVirt kubeVirt(Cluster cluster) {
        return configurations.computeIfAbsent(
                List.of(cluster.liveMigrate, cluster.evict), key -> made(cluster.liveMigrate, cluster.evict));
    }

    private static KubeVirt made(boolean liveMigrate, boolean evict) {
        var methods = new ArrayList<String>();
        if (liveMigrate) {
            methods.add("LiveMigrate");
        }
        if (evict) {
            methods.add("Evict");
        }
        var model = new KubeVirt();
        model.setSpec(new KubeVirt.Spec(
                new KubeVirt.Configuration("LiveUpdate"), new KubeVirt.WorkloadUpdateStrategy(methods)));
        model.setStatus(new KubeVirt.Status("v1.7.0"));
        return model;
    }

    static io.kubevirt.ferry.kubevirt.Volume volume(Volume volume) {
        return VOLUMES.computeIfAbsent(volume, v -> new io.kubevirt.ferry.kubevirt.Volume(json(v)));
    }

    private static List<io.kubevirt.ferry.kubevirt.Volume> volumes(List<Volume> volumes) {
        return volumes.stream().map(ReadModels::volume).toList();
    }

    private static ObjectNode json(Volume volume) {
        var json = JsonNodeFactory.instance.objectNode();
        json.put("name", volume.name());
        var source = json.putObject(volume.dataVolume() ? "dataVolume" : "persistentVolumeClaim");
        source.put(volume.dataVolume() ? "name" : "claimName", volume.claim());
        if (volume.hotpluggable()) {
            source.put("hotpluggable", true);
        }
        return json;
    }

    static Volume volume(ObjectNode json) {
        var dataVolume = json.has("dataVolume");
        var source = json.path(dataVolume ? "dataVolume" : "persistentVolumeClaim");
        return new Volume(
                json.path("name").asText(),
                source.path(dataVolume ? "name" : "claimName").asText(),
                dataVolume,
                source.path("hotpluggable").asBoolean());
    }

    static ObjectNode template(Vm.Template template) {
        var json = JsonNodeFactory.instance.objectNode();
        json.putObject("metadata").put("name", template.name());
        json.putObject("spec").put("text", template.text());
        return json;
    }

    static Vm.Template template(ObjectNode json) {
        return new Vm.Template(
                json.path("metadata").path("name").asText(),
                json.path("spec").path("text").asText());
    }

    private static OwnerReference owner(String kind, String name, String uid) {
        var owner = new OwnerReference();
        owner.setApiVersion("kubevirt.io/v1");
        owner.setKind(kind);
        owner.setName(name);
        owner.setUid(uid);
        owner.setController(true);
        return owner;
    }

    private static ObjectMeta metadata(
            String name, String uid, long version, boolean deleting, Collection<String> finalizers) {
        var metadata = new ObjectMeta();
        metadata.setName(name);
        metadata.setNamespace(NAMESPACE);
        metadata.setUid(uid);
        metadata.setResourceVersion(Long.toString(version));
        metadata.setFinalizers(new ArrayList<>(finalizers));
        if (deleting) {
            metadata.setDeletionTimestamp("2030-01-01T00:00:00Z");
        }
        return metadata;
    }

    @SuppressWarnings("unchecked")
    private <T extends HasMetadata> T made(Object object, long version, Supplier<T> maker) {
        var known = made.get(object);
        if (known == null || known.version() != version) {
            known = new Made(version, maker.get());
            made.put(object, known);
        }
        return (T) known.model();
    }
}
