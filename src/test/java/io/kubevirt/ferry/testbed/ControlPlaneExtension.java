package io.kubevirt.ferry.testbed;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests a {@link ControlPlane}, one for the whole run, and a fresh {@link TestNamespace} each.
 *
 * <p>Ask for either as a parameter of a test or of a method that runs before it.
 */
public final class ControlPlaneExtension implements ParameterResolver {
    private static final Namespace STORE = Namespace.create(ControlPlaneExtension.class);

    /** The control plane of this run, started now if nobody asked before. */
    public static ControlPlane controlPlane(ExtensionContext context) {
        return context.getRoot()
                .getStore(STORE)
                .getOrComputeIfAbsent(ControlPlane.class, key -> ControlPlane.start(null), ControlPlane.class);
    }

    /** A namespace that is deleted, and not waited for, at the end of the test. */
    private record Made(KubernetesClient admin, TestNamespace namespace) implements AutoCloseable {
        static Made in(KubernetesClient admin) {
            String name = "test-" + UUID.randomUUID().toString().substring(0, 8);
            admin.resource(new NamespaceBuilder()
                            .withNewMetadata()
                            .withName(name)
                            .withLabels(Map.of("ferry-test", "true"))
                            .endMetadata()
                            .build())
                    .create();
            return new Made(admin, new TestNamespace(name));
        }

        @Override
        public void close() {
            admin.namespaces().withName(namespace.name()).delete();
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == ControlPlane.class || type == TestNamespace.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        ControlPlane controlPlane = controlPlane(context);
        if (parameter.getParameter().getType() == ControlPlane.class) {
            return controlPlane;
        }
        return context.getStore(STORE)
                .getOrComputeIfAbsent(Made.class, key -> Made.in(controlPlane.admin()), Made.class)
                .namespace();
    }
}
