package io.kubevirt.ferry.volumes;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.kubevirt.ferry.kubevirt.Volume;
import io.kubevirt.ferry.standin.KubeVirtStandIn;
import java.util.List;
import java.util.Map;

/** VirtualMachines on an API server, without anybody who runs them. */
final class MachineCrd {
    static final ResourceDefinitionContext KIND = new ResourceDefinitionContext.Builder()
            .withGroup("kubevirt.io")
            .withVersion("v1")
            .withKind("VirtualMachine")
            .withPlural("virtualmachines")
            .withNamespaced(true)
            .build();

    private static final ObjectMapper JSON = new ObjectMapper();

    private MachineCrd() {}

    static void install(KubernetesClient admin) {
        KubeVirtStandIn.install(admin);
        await().ignoreExceptions()
                .until(() ->
                        admin.genericKubernetesResources(KIND).inAnyNamespace().list() != null);
    }

    static GenericKubernetesResource machine(String name, Map<String, String> annotations, Map<String, Object> spec) {
        var vm = new GenericKubernetesResource();
        vm.setApiVersion("kubevirt.io/v1");
        vm.setKind("VirtualMachine");
        vm.setMetadata(new ObjectMetaBuilder()
                .withName(name)
                .withAnnotations(annotations)
                .build());
        vm.setAdditionalProperty("spec", spec);
        return vm;
    }

    static Map<String, Object> spec(List<Volume> volumes) {
        return Map.of(
                "runStrategy",
                "Halted",
                "template",
                Map.of("spec", Map.of("domain", Map.of("devices", Map.of()), "volumes", json(volumes))));
    }

    private static Object json(List<Volume> volumes) {
        return JSON.convertValue(volumes.stream().map(Volume::json).toList(), new TypeReference<List<Object>>() {});
    }
}
