package io.kubevirt.ferry.testbed;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.kubevirt.ferry.manager.Clients;
import io.kubevirt.ferry.manager.Manager;
import io.kubevirt.ferry.manager.Settings;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/** A manager in this JVM, under its own service account with the RBAC that is shipped. */
public final class OperatorUnderTest implements AutoCloseable {
    private final Manager manager;
    private final Manager.Ports ports;

    private OperatorUnderTest(Manager manager, Manager.Ports ports) {
        this.manager = manager;
        this.ports = ports;
    }

    /** Starts a manager and waits until it is ready. {@link Installation#apply} comes first. */
    public static OperatorUnderTest start(ControlPlane controlPlane) {
        return start(controlPlane.config(ControlPlane.OPERATOR), true, false);
    }

    /** Starts a manager that reaches the API server over a cable. */
    public static OperatorUnderTest start(ControlPlane controlPlane, Cable cable) {
        return start(controlPlane, cable, false);
    }

    /** Starts a manager that reaches the API server over a cable, and may restrict who directs migrations. */
    public static OperatorUnderTest start(ControlPlane controlPlane, Cable cable, boolean restricted) {
        Config config = new ConfigBuilder(controlPlane.config(ControlPlane.OPERATOR))
                .withMasterUrl("https://127.0.0.1:" + cable.port())
                .build();
        return start(config, true, restricted);
    }

    /** Starts a manager with settings that are off, or on, by default. */
    public static OperatorUnderTest start(ControlPlane controlPlane, boolean typedField, boolean restricted) {
        return start(controlPlane.config(ControlPlane.OPERATOR), typedField, restricted);
    }

    private static OperatorUnderTest start(Config config, boolean typedField, boolean restricted) {
        Manager manager = new Manager(settings(typedField, restricted), Clients.of(config));
        try {
            OperatorUnderTest operator = new OperatorUnderTest(manager, manager.start());
            await("operator ready")
                    .atMost(Duration.ofSeconds(60))
                    .conditionEvaluationListener(condition -> {})
                    .until(manager::isReady);
            return operator;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static Settings settings(boolean typedField, boolean restricted) {
        return new Settings(
                "kubevirt-ferry",
                0,
                0,
                "127.0.0.1",
                "kubevirt-ferry-webhook",
                Optional.of(URI.create("https://127.0.0.1")),
                Duration.ofSeconds(5),
                Duration.ofSeconds(2),
                typedField,
                restricted,
                "test-" + UUID.randomUUID());
    }

    public Manager.Ports ports() {
        return ports;
    }

    public Manager manager() {
        return manager;
    }

    @Override
    public void close() {
        manager.close();
    }
}
