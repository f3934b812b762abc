package io.kubevirt.ferry.testbed;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** One more API server of a control plane, on the same store and with the same users, that may end and come back. */
public final class SecondApiServer implements AutoCloseable {
    private static final String PART = "kube-apiserver";

    private final ControlPlane controlPlane;
    private final Path log;
    private final int port;
    private final List<String> command;
    private Process process;

    private SecondApiServer(ControlPlane controlPlane, Path folder, List<String> flags) {
        this.controlPlane = controlPlane;
        this.log = folder.resolve("second-kube-apiserver.log");
        this.port = ManagerProcess.freePort();
        this.command = new ArrayList<>(likeTheFirst(controlPlane));
        command.replaceAll(argument -> argument.startsWith("--secure-port=") ? "--secure-port=" + port : argument);
        command.replaceAll(argument -> argument.startsWith("--audit-log-path=")
                ? "--audit-log-path=" + folder.resolve("second-audit.log")
                : argument);
        command.addAll(flags);
        this.process = launch();
    }

    /**
     * Starts one and returns when it answers.
     *
     * @param folder for its logs
     * @param flags beside those of the first
     */
    public static SecondApiServer start(ControlPlane controlPlane, Path folder, String... flags) {
        SecondApiServer started = new SecondApiServer(controlPlane, folder, List.of(flags));
        started.awaitAnswer();
        return started;
    }

    private static List<String> likeTheFirst(ControlPlane controlPlane) {
        ProcessHandle.Info first = ProcessHandle.of(controlPlane.pid()).stream()
                .flatMap(ProcessHandle::children)
                .map(ProcessHandle::info)
                .filter(info -> info.arguments().stream()
                        .anyMatch(arguments -> List.of(arguments).contains(PART)))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("there is no first " + PART));
        List<String> command = new ArrayList<>(List.of(first.command().orElseThrow()));
        command.addAll(Arrays.asList(first.arguments().orElseThrow()));
        return command;
    }

    private Process launch() {
        try {
            return ManagerProcess.tied(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitAnswer() {
        try (KubernetesClient admin =
                new KubernetesClientBuilder().withConfig(config("admin")).build()) {
            Patience.eventually().until(() -> {
                if (!process.isAlive()) {
                    throw new IllegalStateException("the second API server ended: " + Files.readString(log, UTF_8));
                }
                try {
                    return "ok".equals(admin.raw("/readyz"));
                } catch (KubernetesClientException e) {
                    return false;
                }
            });
        }
    }

    /** What a client needs to log in here as one of the users with a token. */
    public Config config(String user) {
        return new ConfigBuilder(controlPlane.config(user))
                .withMasterUrl("https://127.0.0.1:" + port)
                .build();
    }

    /** Ends it at once: every connection breaks, and nobody listens on its port. */
    public void kill() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().onExit().join();
    }

    /** Starts it anew on the same port and returns when it answers. */
    public void restart() {
        process = launch();
        awaitAnswer();
    }

    @Override
    public void close() {
        kill();
    }
}
