package io.kubevirt.ferry.standin;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.kubevirt.ferry.testbed.ControlPlane;
import io.kubevirt.ferry.testbed.ControlPlaneExtension;
import java.time.Duration;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Puts a {@link KubeVirtStandIn} onto the control plane of {@link ControlPlaneExtension}, one for the whole run.
 *
 * <p>Ask for it, for {@link Nodes}, {@link VirtualMachines} or {@link Claims} as a parameter.
 */
public final class KubeVirtExtension implements BeforeAllCallback, ParameterResolver {

    /** KubeVirt's is 5 s. */
    private static final Duration UPDATER_TURN = Duration.ofSeconds(3);

    private static final Namespace STORE = Namespace.create(KubeVirtExtension.class);

    /** The stand-in of this run, installed and started now if nobody asked before. */
    public static KubeVirtStandIn standIn(ExtensionContext context) {
        // Asked for first, so that it is closed last.
        ControlPlane plane = ControlPlaneExtension.controlPlane(context);
        return context.getRoot()
                .getStore(STORE)
                .getOrComputeIfAbsent(
                        KubeVirtStandIn.class,
                        key -> {
                            KubeVirtStandIn.install(plane.admin());
                            return KubeVirtStandIn.start(
                                    plane.admin(), plane.client(KubeVirtStandIn.USER), UPDATER_TURN);
                        },
                        KubeVirtStandIn.class);
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        standIn(context);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == KubeVirtStandIn.class
                || type == Nodes.class
                || type == VirtualMachines.class
                || type == Claims.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        KubernetesClient admin = ControlPlaneExtension.controlPlane(context).admin();
        Class<?> type = parameter.getParameter().getType();
        if (type == Nodes.class) {
            return new Nodes(admin);
        }
        if (type == VirtualMachines.class) {
            return new VirtualMachines(admin);
        }
        return type == Claims.class ? new Claims(admin) : standIn(context);
    }
}
