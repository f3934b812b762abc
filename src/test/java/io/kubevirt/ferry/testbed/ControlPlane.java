package io.kubevirt.ferry.testbed;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.kubevirt.ferry.manager.Clients;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * An API server, scheduler and controller manager that are the real ones, run by the {@code testbed} program.
 *
 * <p>They end with {@link #close()}, and with this JVM however it ends: the program reads its standard input and stops
 * everything when that closes.
 */
public final class ControlPlane implements AutoCloseable {
    /** The account of virt-controller, under which the KubeVirt stand-in runs. */
    public static final String KUBEVIRT_CONTROLLER = "system:serviceaccount:kubevirt:kubevirt-controller";
    /** The account of the operator, as {@code deploy/} names it. */
    public static final String OPERATOR = "system:serviceaccount:kubevirt-ferry:kubevirt-ferry";

    private static final List<String> USERS = List.of(
            KUBEVIRT_CONTROLLER + "=system:serviceaccounts,system:serviceaccounts:kubevirt",
            OPERATOR + "=system:serviceaccounts,system:serviceaccounts:kubevirt-ferry");

    /** The line that the program prints when everything answers. */
    private record Ready(String server, Path caFile, Path kubeconfig, Path auditLog, Map<String, String> tokens) {}

    private final Process process;
    private final Ready ready;
    private final Map<String, KubernetesClient> clients = new ConcurrentHashMap<>();

    private ControlPlane(Process process, Ready ready) {
        this.process = process;
        this.ready = ready;
    }

    /**
     * Starts a control plane and returns when it answers, in some 15 seconds.
     *
     * @param folder for data, keys and logs, removed at the end; null for a temporary one
     * @throws IllegalStateException if the program is missing or ends before it is ready; its own words are in the
     *     message or on standard error
     */
    public static ControlPlane start(@Nullable Path folder) {
        Path binary = Path.of(System.getProperty("testbed.binary", "target/testbed/testbed"));
        if (!Files.isExecutable(binary)) {
            throw new IllegalStateException(binary + " is missing: build it with `make testbed`");
        }
        List<String> command = new ArrayList<>(List.of(binary.toString(), "up"));
        if (folder != null) {
            command.addAll(List.of("--dir", folder.toString()));
        }
        USERS.forEach(user -> command.addAll(List.of("--user", user)));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            @Nullable String line = new BufferedReader(process.inputReader(StandardCharsets.UTF_8)).readLine();
            if (line == null) {
                throw new IllegalStateException("the control plane did not start: see standard error");
            }
            return new ControlPlane(process, new ObjectMapper().readValue(line, Ready.class));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A client of {@code system:masters}, shared, not to be closed by the caller. */
    public KubernetesClient admin() {
        return client("admin");
    }

    /** A client of one of the users with a token, shared, not to be closed by the caller. */
    public KubernetesClient client(String user) {
        return clients.computeIfAbsent(
                user,
                name -> new KubernetesClientBuilder().withConfig(config(name)).build());
    }

    /** A client of any user, whom the admin impersonates: shared, not to be closed by the caller. */
    public KubernetesClient as(String user, String... groups) {
        return clients.computeIfAbsent("as " + user + List.of(groups), name -> {
            Config config = new ConfigBuilder(config("admin"))
                    .withImpersonateUsername(user)
                    .withImpersonateGroups(groups)
                    .build();
            return new KubernetesClientBuilder().withConfig(config).build();
        });
    }

    /** A plain HTTP client that trusts the API server, for what the other clients hide: warnings, for one. */
    public java.net.http.HttpClient http() {
        try {
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            try (InputStream certificate = Files.newInputStream(ready.caFile)) {
                trusted.setCertificateEntry(
                        "ca", CertificateFactory.getInstance("X.509").generateCertificate(certificate));
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return java.net.http.HttpClient.newBuilder().sslContext(context).build();
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What a client needs to log in as one of the users with a token. */
    public Config config(String user) {
        return new ConfigBuilder(Config.empty())
                .withMasterUrl(ready.server)
                .withCaCertFile(ready.caFile.toString())
                .withOauthToken(token(user))
                .withRequestRetryBackoffLimit(Clients.RETRIES)
                .withAutoConfigure(false)
                .build();
    }

    /** A kubeconfig file with which one of the users with a token logs in, written anew into the folder. */
    public Path kubeconfig(String user, Path file) {
        String text = """
                apiVersion: v1
                kind: Config
                clusters:
                - name: testbed
                  cluster: {server: "%s", certificate-authority: "%s"}
                users:
                - name: user
                  user: {token: "%s"}
                contexts:
                - name: testbed
                  context: {cluster: testbed, user: user}
                current-context: testbed
                """.formatted(ready.server, ready.caFile, token(user));
        try {
            return Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The kubeconfig of the admin. */
    public Path kubeconfig() {
        return ready.kubeconfig;
    }

    /** The port of loopback on which the API server listens. */
    public int port() {
        return java.net.URI.create(ready.server).getPort();
    }

    public String server() {
        return ready.server;
    }

    /** Who asked the API server for what. */
    public AuditLog auditLog() {
        return new AuditLog(ready.auditLog);
    }

    public long pid() {
        return process.pid();
    }

    private String token(String user) {
        String token = ready.tokens.get(user);
        if (token == null) {
            throw new IllegalArgumentException(user + " has no token; those who have: " + ready.tokens.keySet());
        }
        return token;
    }

    @Override
    public void close() {
        clients.values().forEach(KubernetesClient::close);
        try {
            process.getOutputStream().close();
            process.waitFor();
        } catch (IOException | InterruptedException e) {
            process.destroyForcibly();
        }
    }
}
