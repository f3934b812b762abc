package io.kubevirt.ferry.testbed;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** The kubectl of the control plane's release, as the admin. */
public final class Kubectl {
    private final ControlPlane controlPlane;

    public Kubectl(ControlPlane controlPlane) {
        this.controlPlane = controlPlane;
    }

    /** What a command prints, on both streams. */
    public record Ran(int exit, String printed) {}

    /** Runs one command. */
    public Ran run(String... arguments) {
        List<String> command = new ArrayList<>(List.of(System.getProperty("testbed.binary"), "kubectl"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("KUBECONFIG", controlPlane.kubeconfig().toString());
        try {
            Process process = builder.start();
            String printed = new String(process.getInputStream().readAllBytes(), UTF_8);
            return new Ran(process.waitFor(), printed);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
