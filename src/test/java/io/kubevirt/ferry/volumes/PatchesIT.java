package io.kubevirt.ferry.volumes;

import static io.kubevirt.ferry.testbed.Patience.eventually;
import static io.kubevirt.ferry.volumes.Scene.dataVolume;
import static io.kubevirt.ferry.volumes.Scene.template;
import static io.kubevirt.ferry.volumes.Scene.volume;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.kubevirt.ferry.api.Crds;
import io.kubevirt.ferry.api.Names;
import io.kubevirt.ferry.api.Progress.Step;
import io.kubevirt.ferry.api.VolumeMigration;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.kubevirt.Volume;
import io.kubevirt.ferry.testbed.ControlPlane;
import io.kubevirt.ferry.testbed.ControlPlaneExtension;
import io.kubevirt.ferry.testbed.TestNamespace;
import io.kubevirt.ferry.volumes.Action.Change;
import io.kubevirt.ferry.volumes.Action.Placed;
import io.kubevirt.ferry.volumes.Action.StrategyChange;
import io.kubevirt.ferry.volumes.Action.TemplateChange;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The patches on real objects: done when all is as it was read, refused as a whole when anything is not. */
@ExtendWith(ControlPlaneExtension.class)
class PatchesIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Optional<String> MIGRATION = Optional.of(VirtualMachine.MIGRATION);
    private static final String LOCK = "volmig-uid/1/";

    private static final Volume ROOT = dataVolume("root", "old-root");
    private static final Volume DATA = volume("data", "old-data");
    private static final List<ObjectNode> TEMPLATES = List.of(template("kept"), template("old-root"));

    private KubernetesClient client;
    private String namespace;
    /** The templates as the API server keeps them. */
    private ObjectNode kept = TEMPLATES.getFirst();

    private ObjectNode dropped = TEMPLATES.getLast();

    @BeforeAll
    static void install(ControlPlane controlPlane) {
        MachineCrd.install(controlPlane.admin());
        controlPlane.admin().resource(Crds.volumeMigration()).serverSideApply();
        eventually()
                .ignoreExceptions()
                .until(() -> controlPlane
                                .admin()
                                .resources(VolumeMigration.class)
                                .inAnyNamespace()
                                .list()
                        != null);
    }

    @BeforeEach
    void use(ControlPlane controlPlane, TestNamespace own) {
        // The policy for locked VMs, if it is installed here, lets the operator alone change them.
        client = controlPlane.as(ControlPlane.OPERATOR, "system:masters");
        namespace = own.name();
    }

    @Test
    void aVmGoesToTheDestinationsAndComesBackAsItWas() {
        var untouched = create(Map.of(), "Replacement");
        assertThat(done(lock())).isTrue();
        assertThat(done(lock())).as("a second lock").isFalse();

        var change = change();
        assertThat(done(change)).isTrue();
        assertThat(model().volumes()).containsExactly(volume("root", "new-root"), volume("data", "new-data"));
        assertThat(model().getSpec().templates()).containsExactly(kept);
        assertThat(model().strategy()).isEqualTo(MIGRATION);
        assertThat(done(change)).as("a late change").isFalse();

        assertThat(done(putBack(Optional.empty()))).isTrue();
        assertThat(model().strategy()).isEqualTo(MIGRATION);
        assertThat(done(change)).as("a change after it was put back").isFalse();

        assertThat(done(new Action.ChangeStrategy(
                        ref(), LOCK, placed(), new StrategyChange(MIGRATION, Optional.of("Replacement")))))
                .isTrue();
        assertThat(done(new Action.Unlock(ref(), LOCK, placed(), Optional.empty())))
                .isTrue();
        assertThat(machine().get().<Object>get("spec")).isEqualTo(untouched.get("spec"));
        assertThat(annotations()).doesNotContainKey(Names.VOLUME_MIGRATION);
    }

    @Test
    void withoutTheLockNothingIsChanged() {
        create(Map.of(Names.VOLUME_MIGRATION, "other-uid/1/", "team", "shop"), null);
        assertThat(done(lock())).as("another's lock").isFalse();
        assertThat(done(change())).isFalse();
        assertThat(done(putBack(Optional.empty()))).isFalse();
        assertThat(done(new Action.Unlock(ref(), LOCK, placed(), Optional.empty())))
                .isFalse();
    }

    @Test
    void aLockGoesBesideTheAnnotationsOfOthers() {
        create(Map.of("team", "shop"), null);
        assertThat(done(lock())).isTrue();
        assertThat(annotations()).containsEntry("team", "shop").containsEntry(Names.VOLUME_MIGRATION, LOCK);
    }

    @Test
    void aVolumeThatWasChangedSinceRefusesAll() {
        create(Map.of(Names.VOLUME_MIGRATION, LOCK), null);
        var change = change();
        var unlock = new Action.Unlock(ref(), LOCK, placed(), Optional.empty());
        var vm = machine().get();
        vm.setAdditionalProperty("spec", spec(List.of(ROOT, volume("data", "third")), TEMPLATES, null));
        client.resource(vm).inNamespace(namespace).update();
        assertThat(done(change)).isFalse();
        assertThat(done(unlock)).isFalse();
        assertThat(annotations()).containsEntry(Names.VOLUME_MIGRATION, LOCK);
    }

    @Test
    void aStrategyThatWasNotThereIsTakenOutAgain() {
        create(Map.of(Names.VOLUME_MIGRATION, LOCK), null);
        assertThat(done(change())).isTrue();
        assertThat(done(putBack(Optional.of(new StrategyChange(MIGRATION, Optional.empty())))))
                .isTrue();
        assertThat(model().strategy()).isEmpty();
        assertThat(model().getSpec().templates()).containsExactly(kept, dropped);
        assertThat(model().volumes()).containsExactly(ROOT, DATA);
    }

    @Test
    void theRestoreAnnotationComesWithTheEndOfTheLockAndGoesWithTheStrategy() {
        create(Map.of(Names.VOLUME_MIGRATION, LOCK), VirtualMachine.MIGRATION);
        assertThat(done(new Action.Unlock(ref(), LOCK, placed(), Optional.of("vmi-uid/"))))
                .isTrue();
        assertThat(annotations()).isEqualTo(Map.of(Names.RESTORE_STRATEGY, "vmi-uid/"));
        var settle = new Action.SettleStrategy(
                ref(), "vmi-uid/", Optional.of(new StrategyChange(MIGRATION, Optional.empty())));
        assertThat(done(settle)).isTrue();
        assertThat(model().strategy()).isEmpty();
        assertThat(annotations()).doesNotContainKey(Names.RESTORE_STRATEGY);
        assertThat(done(settle)).as("again").isFalse();
    }

    @Test
    void holdAndFenceGoOnTogetherAndOffTogether() {
        var vmi = GenericInstance.create(client, namespace, List.of("kubevirt.io/other"), Map.of("team", "shop"));
        var hold = new Action.Hold(vmi.ref(), List.of("kubevirt.io/other"), true, "volmig-uid.1");
        assertThat(done(vmi.resource(), hold)).isTrue();
        assertThat(vmi.finalizers()).containsExactly("kubevirt.io/other", Names.VOLUME_MIGRATION);
        assertThat(vmi.labels()).containsEntry("team", "shop").containsEntry(Names.VOLUME_MIGRATION, "volmig-uid.1");
        assertThat(done(vmi.resource(), hold)).as("again").isFalse();

        var late = new Action.Release(vmi.ref(), vmi.finalizers(), Optional.of("volmig-uid.2"));
        assertThat(done(vmi.resource(), late)).as("of another run").isFalse();
        var release = new Action.Release(vmi.ref(), vmi.finalizers(), Optional.of("volmig-uid.1"));
        assertThat(done(vmi.resource(), release)).isTrue();
        assertThat(vmi.finalizers()).containsExactly("kubevirt.io/other");
        assertThat(vmi.labels()).isEqualTo(Map.of("team", "shop"));
        vmi.free();
    }

    @Test
    void holdAndFenceGoOnAVmiThatHasNeitherFinalizersNorLabels() {
        var vmi = GenericInstance.create(client, namespace, List.of(), Map.of());
        assertThat(done(vmi.resource(), new Action.Hold(vmi.ref(), List.of(), false, "volmig-uid.1")))
                .isTrue();
        assertThat(vmi.finalizers()).containsExactly(Names.VOLUME_MIGRATION);
        assertThat(done(vmi.resource(), new Action.Hold(vmi.ref(), List.of(), false, "volmig-uid.2")))
                .as("another's")
                .isFalse();
        vmi.free();
    }

    @Test
    void aSourceIsMarkedAsItWasReadAndUnmarked() {
        var claim = client.resource(new PersistentVolumeClaimBuilder()
                        .withNewMetadata()
                        .withName("old-root")
                        .withNamespace(namespace)
                        .endMetadata()
                        .withNewSpec()
                        .withAccessModes("ReadWriteOnce")
                        .withNewResources()
                        .withRequests(Map.of("storage", new Quantity("1Gi")))
                        .endResources()
                        .endSpec()
                        .build())
                .create();
        var read = source(claim.getMetadata().getUid(), claim.getMetadata().getResourceVersion());
        var resource = client.persistentVolumeClaims().inNamespace(namespace).withName("old-root");
        assertThat(done(resource, new Action.MarkSource(read, false, "volmig-uid.1")))
                .isTrue();
        assertThat(done(resource, new Action.MarkSource(read, false, "volmig-uid.1")))
                .as("on what was read before")
                .isFalse();
        var marked = resource.get().getMetadata();
        assertThat(marked.getAnnotations()).containsEntry(Names.VOLUME_MIGRATION, "volmig-uid.1");
        assertThat(done(
                        resource,
                        new Action.UnmarkSource(source(marked.getUid(), marked.getResourceVersion()), "volmig-uid.1")))
                .isTrue();
    }

    @Test
    void theFinalizerStaysWhereAnotherRunHasBegun() {
        var scene = Scene.at(Step.Recorded);
        var made = scene.migration();
        made.setMetadata(new ObjectMetaBuilder()
                .withName("to-ceph")
                .withNamespace(namespace)
                .withFinalizers(Names.VOLUME_MIGRATION)
                .build());
        var resource = client.resource(made);
        var created = resource.create();
        var ref = new Action.Ref("to-ceph", created.getMetadata().getUid());
        var finalizers = List.of(Names.VOLUME_MIGRATION);
        var neverTold = new Action.RemoveFinalizer(ref, finalizers, false, Optional.empty());
        var neverRan = new Action.RemoveFinalizer(ref, finalizers, true, Optional.empty());
        var ran = new Action.RemoveFinalizer(ref, finalizers, true, Optional.of(1));
        assertThat(done(resource, ran)).as("no status yet").isFalse();

        created.setStatus(made.getStatus());
        client.resource(created).updateStatus();
        assertThat(done(resource, neverTold)).as("there is a status since").isFalse();
        assertThat(done(resource, neverRan)).as("there is a run since").isFalse();
        assertThat(done(resource, new Action.RemoveFinalizer(ref, finalizers, true, Optional.of(2))))
                .as("of another run")
                .isFalse();
        assertThat(done(resource, ran)).isTrue();
        assertThat(resource.get().getMetadata().getFinalizers()).isEmpty();

        assertThat(done(resource, new Action.AddFinalizer(ref, List.of()))).isTrue();
        assertThat(done(resource, new Action.AddFinalizer(ref, List.of())))
                .as("again")
                .isFalse();
        assertThat(done(resource, ran)).isTrue();
    }

    @Test
    void theFinalizerGoesFromOneThatHasNoStatus() {
        var made = Scene.at(Step.Recorded).migration();
        made.setMetadata(new ObjectMetaBuilder()
                .withName("untold")
                .withNamespace(namespace)
                .withFinalizers(Names.VOLUME_MIGRATION)
                .build());
        var resource = client.resource(made);
        var ref = new Action.Ref("untold", resource.create().getMetadata().getUid());
        assertThat(done(
                        resource,
                        new Action.RemoveFinalizer(ref, List.of(Names.VOLUME_MIGRATION), false, Optional.empty())))
                .isTrue();
    }

    private static Action.Source source(String uid, String version) {
        return new Action.Source(Action.Source.Kind.PersistentVolumeClaim, new Action.Ref("old-root", uid), version);
    }

    // The VM

    private GenericKubernetesResource create(Map<String, String> annotations, String strategy) {
        var vm = MachineCrd.machine(
                "db", annotations.isEmpty() ? null : annotations, spec(List.of(ROOT, DATA), TEMPLATES, strategy));
        var created = client.resource(vm).inNamespace(namespace).create();
        kept = model().getSpec().templates().getFirst();
        dropped = model().getSpec().templates().getLast();
        return created;
    }

    private static Map<String, Object> spec(List<Volume> volumes, List<ObjectNode> templates, String strategy) {
        var spec = new HashMap<>(MachineCrd.spec(volumes));
        spec.put("dataVolumeTemplates", JSON.convertValue(templates, new TypeReference<List<Object>>() {}));
        if (strategy != null) {
            spec.put("updateVolumesStrategy", strategy);
        }
        return spec;
    }

    private Resource<GenericKubernetesResource> machine() {
        return client.genericKubernetesResources(MachineCrd.KIND)
                .inNamespace(namespace)
                .withName("db");
    }

    private VirtualMachine model() {
        return client.resources(VirtualMachine.class)
                .inNamespace(namespace)
                .withName("db")
                .get();
    }

    private Map<String, String> annotations() {
        return machine().get().getMetadata().getAnnotations();
    }

    private Action.Machine ref() {
        var meta = machine().get().getMetadata();
        return new Action.Machine("db", meta.getUid(), meta.getGeneration());
    }

    private Action.Patch lock() {
        var annotations = annotations();
        return new Action.Lock(ref(), annotations != null && !annotations.isEmpty(), LOCK, placed());
    }

    private List<Placed<Volume>> placed() {
        return List.of(
                new Placed<>(0, model().volumes().get(0)),
                new Placed<>(1, model().volumes().get(1)));
    }

    private Action.Patch change() {
        return new Action.ChangeVolumes(
                ref(),
                LOCK,
                List.of(
                        new Change<>(0, ROOT, volume("root", "new-root")),
                        new Change<>(1, DATA, volume("data", "new-data"))),
                new TemplateChange(Optional.of(List.of(kept, dropped)), Optional.of(List.of(kept))),
                new StrategyChange(model().strategy(), MIGRATION));
    }

    private Action.Patch putBack(Optional<StrategyChange> strategy) {
        return new Action.PutBack(
                ref(),
                LOCK,
                List.of(
                        new Change<>(0, volume("root", "new-root"), ROOT),
                        new Change<>(1, volume("data", "new-data"), DATA)),
                new TemplateChange(Optional.of(List.of(kept)), Optional.of(List.of(kept, dropped))),
                strategy);
    }

    private boolean done(Action.Patch action) {
        return done(machine(), action);
    }

    private static boolean done(Resource<?> resource, Action.Patch action) {
        try {
            resource.patch(PatchContext.of(PatchType.JSON), Patches.of(action).toString());
            return true;
        } catch (KubernetesClientException e) {
            assertThat(e.getCode()).as(e.getMessage()).isEqualTo(422);
            return false;
        }
    }

    /** A VMI that nobody runs. */
    private record GenericInstance(Resource<GenericKubernetesResource> resource) {
        private static final ResourceDefinitionContext KIND = new ResourceDefinitionContext.Builder()
                .withGroup("kubevirt.io")
                .withVersion("v1")
                .withKind("VirtualMachineInstance")
                .withPlural("virtualmachineinstances")
                .withNamespaced(true)
                .build();

        static GenericInstance create(
                KubernetesClient client, String namespace, List<String> finalizers, Map<String, String> labels) {
            var vmi = MachineCrd.machine("db", null, Map.of("domain", Map.of("devices", Map.of())));
            vmi.setKind("VirtualMachineInstance");
            vmi.getMetadata().setFinalizers(finalizers);
            vmi.getMetadata().setLabels(labels.isEmpty() ? null : labels);
            client.resource(vmi).inNamespace(namespace).create();
            return new GenericInstance(client.genericKubernetesResources(KIND)
                    .inNamespace(namespace)
                    .withName("db"));
        }

        Action.Ref ref() {
            return new Action.Ref("db", resource.get().getMetadata().getUid());
        }

        List<String> finalizers() {
            return resource.get().getMetadata().getFinalizers();
        }

        Map<String, String> labels() {
            return resource.get().getMetadata().getLabels();
        }

        /** So that the namespace can go. */
        void free() {
            resource.patch(PatchContext.of(PatchType.JSON_MERGE), "{\"metadata\": {\"finalizers\": null}}");
        }
    }
}
