package io.kubevirt.ferry.volumes;

import static io.kubevirt.ferry.volumes.Scene.dataVolume;
import static io.kubevirt.ferry.volumes.Scene.volume;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.kubevirt.ferry.api.Names;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.kubevirt.Volume;
import io.kubevirt.ferry.testbed.ControlPlane;
import io.kubevirt.ferry.testbed.ControlPlaneExtension;
import io.kubevirt.ferry.testbed.TestNamespace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The shipped policy on VMs under a run, by the API server itself, held to {@link VolumesPolicy}. */
@ExtendWith(ControlPlaneExtension.class)
class VolumesPolicyIT {
    private static final Map<String, String> LOCKED = Map.of(Names.VOLUME_MIGRATION, "volmig-uid/1/");
    private static final Map<String, String> SETTLING = Map.of(Names.RESTORE_STRATEGY, "vmi-uid/");
    private static final Map<String, String> FREE = Map.of("team", "shop");
    private static final Map<String, String> BOTH =
            Map.of(Names.VOLUME_MIGRATION, "volmig-uid/1/", Names.RESTORE_STRATEGY, "vmi-uid/");

    private static final List<Volume> VOLUMES =
            List.of(volume("root", "a"), dataVolume("data", "b"), plain("cloud-init"));
    private static final List<Volume> OTHER_CLAIM =
            List.of(volume("root", "x"), dataVolume("data", "b"), plain("cloud-init"));
    private static final List<Volume> ONE_MORE =
            List.of(volume("root", "a"), dataVolume("data", "b"), plain("cloud-init"), volume("more", "c"));
    private static final List<Volume> ONE_LESS = List.of(volume("root", "a"), plain("cloud-init"));
    private static final List<Volume> IN_OTHER_WORDS =
            List.of(plain("cloud-init"), volume("root", "a"), volume("data", "b"));

    private static final List<Volume> OTHER_DATA_VOLUME =
            List.of(volume("root", "a"), dataVolume("data", "x"), plain("cloud-init"));
    private static final List<Volume> RENAMED =
            List.of(volume("system", "a"), dataVolume("data", "b"), plain("cloud-init"));
    private static final List<Volume> CHANGED_OVER =
            List.of(volume("root", "b"), volume("data", "a"), plain("cloud-init"));
    private static final List<Volume> EPHEMERAL =
            List.of(ephemeral("root", "a"), dataVolume("data", "b"), plain("cloud-init"));
    private static final Map<String, String> OTHER_LOCK = Map.of(Names.VOLUME_MIGRATION, "mine");

    private KubernetesClient user;
    private KubernetesClient operator;
    private String namespace;

    @BeforeAll
    static void install(ControlPlane controlPlane) throws IOException {
        var admin = controlPlane.admin();
        MachineCrd.install(admin);
        admin.load(Files.newInputStream(Path.of("deploy/policy-volumes.yaml"))).serverSideApply();
    }

    @BeforeEach
    void use(ControlPlane controlPlane, TestNamespace own) {
        user = controlPlane.admin();
        operator = controlPlane.as(ControlPlane.OPERATOR, "system:masters");
        namespace = own.name();
        // a policy takes a moment to be in force
        await().ignoreExceptions()
                .until(() -> refused(machine("probe-" + namespace, LOCKED, VOLUMES), LOCKED, OTHER_CLAIM));
    }

    static Stream<Arguments> changes() {
        return Stream.of(
                arguments("another claim, free", FREE, FREE, OTHER_CLAIM),
                arguments("nothing, locked", LOCKED, LOCKED, VOLUMES),
                arguments("another claim, locked", LOCKED, LOCKED, OTHER_CLAIM),
                arguments("one claim more, locked", LOCKED, LOCKED, ONE_MORE),
                arguments("one claim less, locked", LOCKED, LOCKED, ONE_LESS),
                arguments("the same claims in other words, locked", LOCKED, LOCKED, IN_OTHER_WORDS),
                arguments("another DataVolume, locked", LOCKED, LOCKED, OTHER_DATA_VOLUME),
                arguments("another name of a volume, locked", LOCKED, LOCKED, RENAMED),
                arguments("two volumes changed over, locked", LOCKED, LOCKED, CHANGED_OVER),
                arguments("a claim as the base of an ephemeral disk, locked", LOCKED, LOCKED, EPHEMERAL),
                arguments("no volumes at all, locked", LOCKED, LOCKED, List.of()),
                arguments("another claim, with another lock", LOCKED, OTHER_LOCK, OTHER_CLAIM),
                arguments("another claim, and the lock off", LOCKED, FREE, OTHER_CLAIM),
                arguments("another claim, and no annotation left", LOCKED, Map.of(), OTHER_CLAIM),
                arguments("the lock off", LOCKED, FREE, VOLUMES),
                arguments("another claim, to be settled", SETTLING, SETTLING, OTHER_CLAIM),
                arguments("one claim more, to be settled", SETTLING, SETTLING, ONE_MORE),
                arguments("one claim less, to be settled", SETTLING, SETTLING, ONE_LESS),
                arguments("another DataVolume, to be settled", SETTLING, SETTLING, OTHER_DATA_VOLUME),
                arguments("another name of a volume, to be settled", SETTLING, SETTLING, RENAMED),
                arguments("two volumes changed over, to be settled", SETTLING, SETTLING, CHANGED_OVER),
                arguments("a claim as the base of an ephemeral disk, to be settled", SETTLING, SETTLING, EPHEMERAL),
                arguments("the same claims in other words, to be settled", SETTLING, SETTLING, IN_OTHER_WORDS),
                arguments("no volumes at all, to be settled", SETTLING, SETTLING, List.of()),
                arguments("another claim, and not to be settled any more", SETTLING, FREE, OTHER_CLAIM),
                arguments("another claim, both", BOTH, BOTH, OTHER_CLAIM),
                arguments("another claim, and only the lock off", BOTH, SETTLING, OTHER_CLAIM),
                arguments("another claim, and only settled", BOTH, LOCKED, OTHER_CLAIM),
                arguments("another claim, and both off", BOTH, FREE, OTHER_CLAIM));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("changes")
    void thePolicySaysWhatItShould(
            String what, Map<String, String> before, Map<String, String> after, List<Volume> volumes) {
        boolean allowed = VolumesPolicy.allows(model(before, VOLUMES), model(after, volumes));
        assertThat(refused(machine("vm", before, VOLUMES), after, volumes))
                .as(what)
                .isEqualTo(!allowed);
    }

    @Test
    void theOperatorMayChangeALockedVm() {
        machine("ours", LOCKED, VOLUMES);
        var vm = resource(operator, "ours").get();
        vm.setAdditionalProperty("spec", spec(OTHER_CLAIM));
        assertThat(operator.resource(vm).inNamespace(namespace).update()).isNotNull();
    }

    static Stream<Arguments> patches() {
        return Stream.of(
                arguments(
                        PatchType.JSON,
                        "[{'op': 'replace', 'path': '/spec/template/spec/volumes/0/persistentVolumeClaim/claimName',"
                                + " 'value': 'x'}]"),
                arguments(PatchType.JSON, "[{'op': 'remove', 'path': '/spec/template/spec/volumes/1'}]"),
                arguments(
                        PatchType.JSON_MERGE,
                        "{'spec': {'template': {'spec': {'volumes': [{'name': 'root', 'persistentVolumeClaim':"
                                + " {'claimName': 'x'}}]}}}}"),
                arguments(PatchType.JSON_MERGE, "{'spec': {'template': {'spec': {'volumes': null}}}}"),
                arguments(
                        PatchType.SERVER_SIDE_APPLY,
                        "{'apiVersion': 'kubevirt.io/v1', 'kind': 'VirtualMachine', 'metadata': {'name': 'patched'},"
                                + " 'spec': {'template': {'spec': {'volumes': [{'name': 'root', 'persistentVolumeClaim':"
                                + " {'claimName': 'x'}}]}}}}"));
    }

    @ParameterizedTest
    @MethodSource("patches")
    void noKindOfPatchGetsPast(PatchType type, String patch) {
        machine("patched", LOCKED, VOLUMES);
        assertThatThrownBy(() -> patch(user, "patched", type, patch))
                .isInstanceOf(KubernetesClientException.class)
                .hasMessageContaining("kubevirt-ferry-locked-volumes");
    }

    @Test
    void theLockMayGoInTheSamePatchAsTheClaims() {
        machine("taken-over", LOCKED, VOLUMES);
        var patched = patch(
                user,
                "taken-over",
                PatchType.JSON,
                "[{'op': 'remove', 'path': '/metadata/annotations/storage.kubevirt.io~1volume-migration'}, {'op': 'replace',"
                        + " 'path': '/spec/template/spec/volumes/0/persistentVolumeClaim/claimName', 'value': 'x'}]");
        assertThat(patched.getMetadata().getAnnotations()).isNullOrEmpty();
    }

    @Test
    void kubeVirtMayWriteEverythingButTheClaims(ControlPlane controlPlane) {
        var kubeVirt = controlPlane.as(ControlPlane.KUBEVIRT_CONTROLLER, "system:masters");
        machine("its", LOCKED, VOLUMES);
        patch(kubeVirt, "its", PatchType.JSON_MERGE, "{'metadata': {'finalizers': ['kubevirt.io/controller']}}");
        patch(kubeVirt, "its", PatchType.JSON_MERGE, "{'spec': {'runStrategy': 'Always'}}");
        resource(kubeVirt, "its")
                .subresource("status")
                .patch(PatchContext.of(PatchType.JSON_MERGE), quoted("{'status': {'printableStatus': 'Running'}}"));
        assertThatThrownBy(() -> patch(
                        kubeVirt, "its", PatchType.JSON, "[{'op': 'remove', 'path': '/spec/template/spec/volumes/0'}]"))
                .isInstanceOf(KubernetesClientException.class)
                .hasMessageContaining("kubevirt-ferry-locked-volumes");
        patch(kubeVirt, "its", PatchType.JSON_MERGE, "{'metadata': {'finalizers': null}}");
        assertThat(resource(kubeVirt, "its").delete()).isNotEmpty();
    }

    private GenericKubernetesResource patch(KubernetesClient client, String name, PatchType type, String patch) {
        var context = new PatchContext.Builder().withPatchType(type);
        if (type == PatchType.SERVER_SIDE_APPLY) {
            context.withFieldManager("gitops").withForce(true);
        }
        return resource(client, name).patch(context.build(), quoted(patch));
    }

    private static String quoted(String json) {
        return json.replace('\'', '"');
    }

    @Test
    void theRefusalSaysTheWayOut() {
        machine("told", LOCKED, VOLUMES);
        assertThatThrownBy(() -> update("told", LOCKED, OTHER_CLAIM))
                .isInstanceOf(KubernetesClientException.class)
                .hasMessageContaining("remove the annotation storage.kubevirt.io/volume-migration in the same update");
        machine("settling", SETTLING, VOLUMES);
        assertThatThrownBy(() -> update("settling", SETTLING, OTHER_CLAIM))
                .isInstanceOf(KubernetesClientException.class)
                .hasMessageContaining("KubeVirt would overwrite the new claim");
    }

    private boolean refused(String name, Map<String, String> annotations, List<Volume> volumes) {
        try {
            update(name, annotations, volumes);
            return false;
        } catch (KubernetesClientException e) {
            assertThat(e.getMessage()).contains("kubevirt-ferry-locked-volumes");
            return true;
        }
    }

    private void update(String name, Map<String, String> annotations, List<Volume> volumes) {
        var vm = resource(user, name).get();
        vm.getMetadata().setAnnotations(annotations);
        vm.setAdditionalProperty("spec", spec(volumes));
        user.resource(vm).inNamespace(namespace).update();
    }

    private String machine(String name, Map<String, String> annotations, List<Volume> volumes) {
        resource(user, name).delete();
        var vm = MachineCrd.machine(name, annotations, spec(volumes));
        user.resource(vm).inNamespace(namespace).create();
        return name;
    }

    private Resource<GenericKubernetesResource> resource(KubernetesClient client, String name) {
        return client.genericKubernetesResources(MachineCrd.KIND)
                .inNamespace(namespace)
                .withName(name);
    }

    private static Map<String, Object> spec(List<Volume> volumes) {
        return MachineCrd.spec(volumes);
    }

    private static VirtualMachine model(Map<String, String> annotations, List<Volume> volumes) {
        var json = Serialization.asJson(MachineCrd.machine("vm", annotations, spec(volumes)));
        return Serialization.unmarshal(json, VirtualMachine.class);
    }

    private static Volume ephemeral(String name, String claim) {
        var json = volume(name, claim).json().deepCopy();
        var source = json.remove("persistentVolumeClaim");
        json.putObject("ephemeral").set("persistentVolumeClaim", source);
        return new Volume(json);
    }

    private static Volume plain(String name) {
        var json = volume(name, "x").json().deepCopy();
        json.remove("persistentVolumeClaim");
        json.putObject("cloudInitNoCloud").put("userData", "#cloud-config");
        return new Volume(json);
    }
}
