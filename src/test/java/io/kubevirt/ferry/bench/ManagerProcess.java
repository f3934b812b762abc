package io.kubevirt.ferry.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.kubevirt.ferry.testbed.ControlPlane;
import io.kubevirt.ferry.testbed.Installation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * The manager as the image runs it: the packaged jar, with the options of the Dockerfile and the memory that the
 * Deployment allows, under its own account. It ends with this process, however that ends.
 */
final class ManagerProcess implements AutoCloseable {
    private static final Path JAR = Path.of("target/kubevirt-ferry.jar");
    private static final Path LOG = Path.of("target/bench-manager.log");
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final long LOOK_AGAIN_MILLIS = 5;

    /** Runs its arguments until standard input closes, which the kernel sees to when whoever started it is gone. */
    private static final String TIED = """
            exec 3<&0
            "$@" </dev/null 3<&- &
            cat <&3 >/dev/null
            kill $!
            wait $!
            """;

    private final Process process;
    private final URI health;
    private final Duration untilReady;
    private final double processorTimeUntilReady;

    private ManagerProcess(Process process, URI health, Duration untilReady) {
        this.process = process;
        this.health = health;
        this.untilReady = untilReady;
        this.processorTimeUntilReady = Machine.processorTime(pid());
    }

    /** Starts a manager and returns when it is ready. */
    static ManagerProcess start(ControlPlane controlPlane) throws InterruptedException {
        int port = freePort();
        ProcessBuilder builder = new ProcessBuilder("bash", "-c", TIED, "tied");
        builder.command().addAll(command(controlPlane));
        builder.command()
                .addAll(List.of(
                        "--bind-address=127.0.0.1",
                        "--health-port=" + port,
                        "--webhook-port=0",
                        "--webhook-url=https://127.0.0.1"));
        builder.environment().keySet().removeIf(name -> name.startsWith("FERRY_"));
        try {
            Path kubeconfig = Files.createTempFile("ferry-bench", ".kubeconfig");
            kubeconfig.toFile().deleteOnExit();
            builder.environment()
                    .put(
                            "KUBECONFIG",
                            controlPlane
                                    .kubeconfig(ControlPlane.OPERATOR, kubeconfig)
                                    .toString());
            long start = System.nanoTime();
            Process process = builder.redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(LOG.toFile()))
                    .start();
            URI health = URI.create("http://127.0.0.1:" + port);
            awaitReady(process, health.resolve("/readyz"));
            return new ManagerProcess(process, health, Duration.ofNanos(System.nanoTime() - start));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> command(ControlPlane controlPlane) throws InterruptedException {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        List<String> command = new ArrayList<>(List.of(java.toString(), "-XX:MaxRAM=" + memoryLimit(controlPlane)));
        command.addAll(options());
        command.addAll(List.of("-jar", JAR.toString(), "manager"));
        return command;
    }

    /** The options between {@code java} and {@code -jar} in the image. */
    static List<String> options() {
        try (Stream<String> lines = Files.lines(Path.of("Dockerfile"))) {
            String entry = lines.filter(line -> line.startsWith("ENTRYPOINT "))
                    .findFirst()
                    .orElseThrow();
            List<String> words = StreamSupport.stream(
                            new ObjectMapper()
                                    .readTree(entry.substring("ENTRYPOINT ".length()))
                                    .spliterator(),
                            false)
                    .map(word -> word.asText().replace("/opt/kubevirt-ferry", "target"))
                    .toList();
            return words.subList(1, words.indexOf("-jar"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** In bytes. */
    private static String memoryLimit(ControlPlane controlPlane) {
        Quantity limit = Installation.objects(controlPlane.admin()).stream()
                .filter(Deployment.class::isInstance)
                .map(object -> ((Deployment) object)
                        .getSpec()
                        .getTemplate()
                        .getSpec()
                        .getContainers()
                        .getFirst()
                        .getResources()
                        .getLimits()
                        .get("memory"))
                .findFirst()
                .orElseThrow();
        return Quantity.getAmountInBytes(limit).toBigInteger().toString();
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void awaitReady(Process process, URI readyz) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (status(readyz) != HttpURLConnection.HTTP_OK) {
            if (System.nanoTime() > deadline) {
                end(process);
                throw new IllegalStateException("the manager is not ready; its log is " + LOG);
            }
            Thread.sleep(LOOK_AGAIN_MILLIS);
        }
    }

    /** The status that an address answers with; 0 if nobody answers. */
    private static int status(URI uri) {
        try {
            HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
            connection.setReadTimeout(1000);
            return connection.getResponseCode();
        } catch (IOException e) {
            return 0;
        }
    }

    /** From the start of the process to its first word of being ready. */
    Duration untilReady() {
        return untilReady;
    }

    /** What that took of the processors, in seconds. */
    double processorTimeUntilReady() {
        return processorTimeUntilReady;
    }

    /** The resident memory of the JVM, in MiB: all of it, shared pages of files too. */
    double resident() {
        return Machine.memory(pid(), "VmRSS");
    }

    /** The part of its resident memory, in MiB, that is no page of a file. */
    double anonymous() {
        return Machine.memory(pid(), "RssAnon");
    }

    private long pid() {
        return process.children()
                .filter(child -> child.info().command().orElse("").endsWith("/java"))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the manager has ended; its log is " + LOG))
                .pid();
    }

    /** A counter of {@code /metrics}, summed over all series that hold these texts. */
    double metric(String name, String... labels) {
        try {
            String text =
                    new String(health.resolve("/metrics").toURL().openStream().readAllBytes(), StandardCharsets.UTF_8);
            return text.lines()
                    .filter(line -> line.startsWith(name))
                    .filter(line -> Stream.of(labels).allMatch(line::contains))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        end(process);
    }

    private static void end(Process process) {
        try {
            process.getOutputStream().close();
            process.waitFor();
        } catch (IOException e) {
            process.destroy();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
