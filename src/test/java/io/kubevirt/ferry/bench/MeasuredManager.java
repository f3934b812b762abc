package io.kubevirt.ferry.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.kubevirt.ferry.testbed.ControlPlane;
import io.kubevirt.ferry.testbed.Installation;
import io.kubevirt.ferry.testbed.ManagerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
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
 * Deployment allows, under its own account.
 */
final class MeasuredManager implements AutoCloseable {
    private static final Path LOG = Path.of("target/bench-manager.log");
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final ManagerProcess process;
    private final Duration untilReady;
    private final double processorTimeUntilReady;

    private MeasuredManager(ManagerProcess process, Duration untilReady) {
        this.process = process;
        this.untilReady = untilReady;
        this.processorTimeUntilReady = Machine.processorTime(process.pid());
    }

    /** Starts a manager and returns when it is ready. */
    static MeasuredManager start(ControlPlane controlPlane) {
        try {
            Path kubeconfig = Files.createTempFile("ferry-bench", ".kubeconfig");
            kubeconfig.toFile().deleteOnExit();
            List<String> options = new ArrayList<>(options());
            options.add("-XX:MaxRAM=" + memoryLimit(controlPlane));
            ManagerProcess process =
                    ManagerProcess.start(controlPlane.kubeconfig(ControlPlane.OPERATOR, kubeconfig), LOG, options);
            return new MeasuredManager(process, process.awaitReady(PATIENCE));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
        return Machine.memory(process.pid(), "VmRSS");
    }

    /** The part of its resident memory, in MiB, that is no page of a file. */
    double anonymous() {
        return Machine.memory(process.pid(), "RssAnon");
    }

    /** A counter of {@code /metrics}, summed over all series that hold these texts. */
    double metric(String name, String... labels) {
        try {
            String text = new String(
                    process.health().resolve("/metrics").toURL().openStream().readAllBytes(), StandardCharsets.UTF_8);
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
        process.close();
    }
}
