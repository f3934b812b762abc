package io.kubevirt.ferry.testbed;

import static org.awaitility.Awaitility.await;

import io.kubevirt.ferry.cli.Ferry;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code ferry manager} in a process of its own, which can be killed as a machine's failure would. */
public final class OperatorProcess implements AutoCloseable {
    private static final Pattern HEALTH = Pattern.compile("health and metrics on http://\\S+:(\\d+)");
    private static final Pattern WEBHOOKS = Pattern.compile("webhooks on https://\\S+:(\\d+)");

    private final String identity;
    private final Process process;
    private final CompletableFuture<Integer> health = new CompletableFuture<>();
    private final CompletableFuture<Integer> webhooks = new CompletableFuture<>();

    private OperatorProcess(String identity, Process process) {
        this.identity = identity;
        this.process = process;
    }

    /**
     * Starts one and waits until it is ready. {@link Installation#apply} comes first.
     *
     * @param webhookUrl where the API server reaches it
     * @param folder for its kubeconfig
     */
    public static OperatorProcess start(ControlPlane controlPlane, URI webhookUrl, Path folder) {
        String identity = "process-" + UUID.randomUUID();
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        ProcessBuilder command = new ProcessBuilder(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx192m",
                "-cp",
                classPath,
                Ferry.class.getName(),
                "manager",
                "--bind-address=127.0.0.1",
                "--webhook-port=0",
                "--health-port=0",
                "--webhook-url=" + webhookUrl,
                "--identity=" + identity));
        Path kubeconfig = controlPlane.kubeconfig(ControlPlane.OPERATOR, folder.resolve(identity + ".kubeconfig"));
        command.environment().put("KUBECONFIG", kubeconfig.toString());
        try {
            OperatorProcess operator = new OperatorProcess(
                    identity, command.redirectErrorStream(true).start());
            Thread.ofVirtual().name(identity).start(operator::listen);
            await("operator ready")
                    .atMost(Patience.PATIENCE)
                    .conditionEvaluationListener(condition -> {})
                    .until(operator::isReady);
            return operator;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Shows what it logs, and takes the ports from that. */
    private void listen() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            lines.lines().forEach(line -> {
                System.err.println(line);
                port(HEALTH, line, health);
                port(WEBHOOKS, line, webhooks);
            });
        } catch (IOException | UncheckedIOException e) {
            System.err.println(identity + " says no more: " + e.getMessage());
        }
    }

    private static void port(Pattern words, String line, CompletableFuture<Integer> port) {
        Matcher matcher = words.matcher(line);
        if (matcher.find()) {
            port.complete(Integer.valueOf(matcher.group(1)));
        }
    }

    private boolean isReady() throws InterruptedException {
        if (!process.isAlive()) {
            throw new IllegalStateException("the operator ended with " + process.exitValue());
        }
        if (!health.isDone() || !webhooks.isDone()) {
            return false;
        }
        URI ready = URI.create("http://127.0.0.1:" + health.join() + "/readyz");
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(ready).build(), BodyHandlers.discarding())
                            .statusCode()
                    == HttpURLConnection.HTTP_OK;
        } catch (IOException e) {
            return false;
        }
    }

    /** Its name in the Lease. */
    public String identity() {
        return identity;
    }

    public int webhookPort() {
        return webhooks.join();
    }

    /** Ends it at once, as SIGKILL does: nothing is answered, nothing given back. */
    public void kill() {
        process.destroyForcibly().onExit().join();
    }

    @Override
    public void close() {
        kill();
    }
}
