package io.kubevirt.ferry.standin;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicy;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBinding;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBindingBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;

/** An admission policy that lets no target pod into one namespace, until it is closed. */
record Refusal(
        KubernetesClient client,
        String namespace,
        ValidatingAdmissionPolicy policy,
        ValidatingAdmissionPolicyBinding binding)
        implements AutoCloseable {

    private static final String WORDS = "no target pod here";

    static Refusal of(KubernetesClient client, String namespace) {
        Refusal refusal = new Refusal(client, namespace, policy(namespace), binding(namespace));
        client.resource(refusal.policy).create();
        client.resource(refusal.binding).create();
        return refusal;
    }

    private static ValidatingAdmissionPolicy policy(String namespace) {
        return new ValidatingAdmissionPolicyBuilder()
                .withNewMetadata()
                .withName("refuse-" + namespace)
                .endMetadata()
                .withNewSpec()
                .withFailurePolicy("Fail")
                .withNewMatchConstraints()
                .addNewResourceRule()
                .withApiGroups("")
                .withApiVersions("v1")
                .withOperations("CREATE")
                .withResources("pods")
                .endResourceRule()
                .endMatchConstraints()
                .addNewValidation()
                .withExpression("!(has(object.metadata.labels) && '%s' in object.metadata.labels)"
                        .formatted(Names.MIGRATION_UID))
                .withMessage(WORDS)
                .endValidation()
                .endSpec()
                .build();
    }

    private static ValidatingAdmissionPolicyBinding binding(String namespace) {
        return new ValidatingAdmissionPolicyBindingBuilder()
                .withNewMetadata()
                .withName("refuse-" + namespace)
                .endMetadata()
                .withNewSpec()
                .withPolicyName("refuse-" + namespace)
                .withValidationActions("Deny")
                .withNewMatchResources()
                .withNewNamespaceSelector()
                .addToMatchLabels("kubernetes.io/metadata.name", namespace)
                .endNamespaceSelector()
                .endMatchResources()
                .endSpec()
                .build();
    }

    /** Whether the API server acts by it already. */
    boolean inForce() {
        Pod probe = new PodBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName("probe")
                .addToLabels(Names.MIGRATION_UID, "probe")
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("probe")
                .withImage("probe")
                .endContainer()
                .endSpec()
                .build();
        try {
            client.resource(probe).dryRun().create();
            return false;
        } catch (KubernetesClientException e) {
            return String.valueOf(e.getMessage()).contains(WORDS);
        }
    }

    @Override
    public void close() {
        client.resource(binding).delete();
        client.resource(policy).delete();
    }
}
