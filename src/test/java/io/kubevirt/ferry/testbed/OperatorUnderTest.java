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
    private static final URI HERE = URI.create("https://127.0.0.1");

    private final String identity;
    private final Manager manager;
    private final Manager.Ports ports;

    private OperatorUnderTest(String identity, Manager manager, Manager.Ports ports) {
        this.identity = identity;
        this.manager = manager;
        this.ports = ports;
    }

    /** Starts a manager and waits until it is ready. {@link Installation#apply} comes first. */
    public static OperatorUnderTest start(ControlPlane controlPlane) {
        return start(controlPlane.config(ControlPlane.OPERATOR), settings(HERE, true, false));
    }

    /**
     * Starts a manager that the API server reaches in a way of the test's.
     *
     * @param webhookUrl as the setting: without a port it means the manager's own
     */
    public static OperatorUnderTest start(ControlPlane controlPlane, URI webhookUrl) {
        return start(controlPlane.config(ControlPlane.OPERATOR), settings(webhookUrl, true, false));
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
        return start(config, settings(HERE, true, restricted));
    }

    /** Starts a manager with settings that are off, or on, by default. */
    public static OperatorUnderTest start(ControlPlane controlPlane, boolean typedField, boolean restricted) {
        return start(controlPlane.config(ControlPlane.OPERATOR), settings(HERE, typedField, restricted));
    }

    private static OperatorUnderTest start(Config config, Settings settings) {
        Manager manager = new Manager(settings, Clients.of(config));
        try {
            OperatorUnderTest operator = new OperatorUnderTest(settings.identity(), manager, manager.start());
            await("operator ready")
                    .atMost(Patience.PATIENCE)
                    .conditionEvaluationListener(condition -> {})
                    .until(manager::isReady);
            return operator;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static Settings settings(URI webhookUrl, boolean typedField, boolean restricted) {
        return new Settings(
                "kubevirt-ferry",
                0,
                0,
                "127.0.0.1",
                "kubevirt-ferry-webhook",
                Optional.of(webhookUrl),
                Optional.empty(),
                false,
                Duration.ofSeconds(5),
                Duration.ofSeconds(2),
                typedField,
                restricted,
                "test-" + UUID.randomUUID());
    }

    /** Its name in the Lease. */
    public String identity() {
        return identity;
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
