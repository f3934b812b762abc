package io.kubevirt.ferry.testbed;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * {@code ferry manager} from the packaged jar, as a process beside this one that ends with it, however that ends. Its
 * settings are the defaults: no variable of ours gets through from the environment.
 */
public final class ManagerProcess implements AutoCloseable {
    private static final Path JAR = Path.of("target/kubevirt-ferry.jar");
    private static final long LOOK_AGAIN_MILLIS = 5;
    private static final int LINES = 10;

    /**
     * Runs its arguments until they end, or standard input closes, which the kernel sees to when whoever started it is
     * gone: then with a little time to give the lease back.
     */
    private static final String TIED = """
            exec 3<&0 </dev/null
            "$@" 3<&- &
            started=$!
            exec 2>/dev/null
            { cat <&3 >/dev/null; kill $started; sleep 15; kill -KILL $started; } &
            wait $started
            """;

    private final Process process;
    private final URI health;
    private final Path log;
    private final long startedAt;

    private ManagerProcess(Process process, URI health, Path log, long startedAt) {
        this.process = process;
        this.health = health;
        this.log = log;
        this.startedAt = startedAt;
    }

    /**
     * Starts a manager on this machine.
     *
     * @param kubeconfig as whom it works
     * @param log what it says is added there
     * @param options of the JVM
     */
    public static ManagerProcess start(Path kubeconfig, Path log, List<String> options) {
        int port = freePort();
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        ProcessBuilder builder = tied(List.of(java));
        builder.command().addAll(options);
        builder.command().addAll(List.of("-jar", JAR.toString(), "manager"));
        builder.command().addAll(List.of("--bind-address=127.0.0.1", "--health-port=" + port));
        builder.command().addAll(List.of("--webhook-url=https://127.0.0.1", "--webhook-port=0"));
        builder.environment().keySet().removeIf(name -> name.startsWith("FERRY_"));
        builder.environment().put("KUBECONFIG", kubeconfig.toString());
        try {
            long startedAt = System.nanoTime();
            Process process = builder.redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            return new ManagerProcess(process, URI.create("http://127.0.0.1:" + port), log, startedAt);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs a command that ends with this JVM, however that ends. */
    static ProcessBuilder tied(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder("bash", "-c", TIED, "tied");
        builder.command().addAll(command);
        return builder;
    }

    static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Waits until it is ready; gives the time since its start.
     *
     * @throws IllegalStateException if it is not ready in time, or has ended; the message says what it waits for
     */
    public Duration awaitReady(Duration patience) {
        URI readyz = health.resolve("/readyz");
        try {
            while (System.nanoTime() - startedAt < patience.toNanos() && process.isAlive()) {
                if (status(readyz) == HttpURLConnection.HTTP_OK) {
                    return Duration.ofNanos(System.nanoTime() - startedAt);
                }
                Thread.sleep(LOOK_AGAIN_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        String report = report(readyz);
        close();
        throw new IllegalStateException(
                "the operator is not ready: " + report + "\nthe end of its log, " + log + ":\n" + endOfLog());
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

    private static String report(URI readyz) {
        try {
            HttpURLConnection connection = (HttpURLConnection) readyz.toURL().openConnection();
            connection.setReadTimeout(1000);
            return connection.getErrorStream() == null
                    ? "it does not answer"
                    : new String(connection.getErrorStream().readAllBytes(), UTF_8).strip();
        } catch (IOException e) {
            return "it does not answer";
        }
    }

    private String endOfLog() {
        try {
            List<String> lines = Files.readAllLines(log);
            return String.join("\n", lines.subList(Math.max(0, lines.size() - LINES), lines.size()));
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** Where it serves health and metrics. */
    public URI health() {
        return health;
    }

    /** The process of the JVM. */
    public long pid() {
        return process.children()
                .filter(child -> child.info().command().orElse("").endsWith("/java"))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the manager has ended; its log is " + log))
                .pid();
    }

    /** Ends it and waits for its end. */
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
