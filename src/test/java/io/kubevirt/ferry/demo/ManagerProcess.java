package io.kubevirt.ferry.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** {@code ferry manager} from the packaged jar, as a process beside this one that ends with it, however it ends. */
final class ManagerProcess implements AutoCloseable {
    private static final Path JAR = Path.of("target/kubevirt-ferry.jar");
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final long LOOK_AGAIN_MILLIS = 100;

    /** Runs its arguments; kills what it runs when standard input closes, which the kernel does when the parent is gone. */
    private static final String TIED = """
            exec 3<&0 </dev/null
            "$@" 3<&- &
            started=$!
            exec 2>/dev/null
            { cat <&3 >/dev/null; kill -KILL $started; } &
            wait $started
            """;

    private final Process process;
    private final Path log;
    private final URI readyz;

    private ManagerProcess(Process process, Path log, URI readyz) {
        this.process = process;
        this.log = log;
        this.readyz = readyz;
    }

    /**
     * Starts a manager on this machine and returns when it is ready.
     *
     * @param kubeconfig as whom it works
     * @param log is written anew
     * @throws DemoException if it ends by itself or is not ready in three minutes
     */
    static ManagerProcess start(Path kubeconfig, Path log) {
        int healthPort = freePort();
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        ProcessBuilder builder = new ProcessBuilder("bash", "-c", TIED, "tied", java.toString());
        builder.command().addAll(List.of("-XX:+UseSerialGC", "-Xmx192m", "--sun-misc-unsafe-memory-access=allow"));
        builder.command().addAll(List.of("-jar", JAR.toString(), "manager"));
        builder.command().addAll(List.of("--bind-address=127.0.0.1", "--health-port=" + healthPort));
        builder.command().addAll(List.of("--webhook-url=https://127.0.0.1", "--webhook-port=0"));
        builder.environment().keySet().removeIf(name -> name.startsWith("FERRY_"));
        builder.environment().put("KUBECONFIG", kubeconfig.toString());
        try {
            Process process = builder.redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            ManagerProcess manager =
                    new ManagerProcess(process, log, URI.create("http://127.0.0.1:" + healthPort + "/readyz"));
            manager.waitUntilReady();
            return manager;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void waitUntilReady() {
        String report = "it does not answer";
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest request = HttpRequest.newBuilder(readyz)
                    .timeout(Duration.ofSeconds(5))
                    .build();
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (System.nanoTime() < deadline && process.isAlive()) {
                try {
                    var answer = client.send(request, BodyHandlers.ofString(UTF_8));
                    if (answer.statusCode() == 200) {
                        return;
                    }
                    report = answer.body().strip();
                } catch (IOException e) {
                    // It does not listen yet.
                }
                Thread.sleep(LOOK_AGAIN_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        close();
        throw new DemoException("the operator is not ready: " + report + "\nthe end of its log:\n" + endOfLog());
    }

    private String endOfLog() {
        try {
            List<String> lines = Files.readAllLines(log);
            return String.join("\n", lines.subList(Math.max(0, lines.size() - 10), lines.size()));
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            process.waitFor();
        } catch (IOException e) {
            process.destroyForcibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
