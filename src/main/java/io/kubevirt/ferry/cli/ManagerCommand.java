package io.kubevirt.ferry.cli;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.kubevirt.ferry.manager.ClientTrust;
import io.kubevirt.ferry.manager.Clients;
import io.kubevirt.ferry.manager.Manager;
import io.kubevirt.ferry.manager.Settings;
import io.kubevirt.ferry.manager.WebhookClients;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ferry manager}. */
@Command(
        name = "manager",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Serves admission and runs the controllers, inside a cluster or outside of one.",
            "Each option can be given as an environment variable: --webhook-port is FERRY_WEBHOOK_PORT.",
            "FERRY_LOG_FORMAT=json writes the log as JSON, FERRY_LOG_LEVEL sets its level (INFO)."
        })
final class ManagerCommand implements Callable<Integer> {
    private static final Logger log = LoggerFactory.getLogger(ManagerCommand.class);
    private static final Duration LONGEST_DEADLINE = Duration.ofSeconds(30);

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--namespace",
            paramLabel = "NAME",
            description = "Keeps its Secret and Lease here (default: ${DEFAULT-VALUE}).",
            defaultValue = "kubevirt-ferry")
    private String namespace = "";

    @Option(
            names = "--webhook-port",
            paramLabel = "PORT",
            description = "Serves the webhooks here, HTTPS; 0: any free port (default: ${DEFAULT-VALUE}).",
            defaultValue = "9443")
    private int webhookPort;

    @Option(
            names = "--health-port",
            paramLabel = "PORT",
            description =
                    "Serves /healthz, /readyz and /metrics here, HTTP; 0: any free port (default: ${DEFAULT-VALUE}).",
            defaultValue = "8080")
    private int healthPort;

    @Option(
            names = "--bind-address",
            paramLabel = "ADDRESS",
            description = "Listens on this address (default: ${DEFAULT-VALUE}).",
            defaultValue = "0.0.0.0")
    private String bindAddress = "";

    @Option(
            names = "--service-name",
            paramLabel = "NAME",
            description = "The Service in front of the webhooks (default: ${DEFAULT-VALUE}).",
            defaultValue = "kubevirt-ferry-webhook")
    private String serviceName = "";

    @Option(
            names = "--webhook-url",
            paramLabel = "URL",
            description =
                    "Outside a cluster: https://HOST[:PORT] at which the API server reaches the webhooks. Written "
                            + "into the webhook configuration in place of the Service.")
    private @Nullable String webhookUrl;

    @Option(
            names = "--webhook-client-ca",
            paramLabel = "FILE",
            description =
                    "Serves the webhooks only to those who show a certificate of a CA in this file (PEM), which is "
                            + "followed when it changes. The API server must be told to show one (default: serves whoever "
                            + "reaches the port).")
    private @Nullable String webhookClientCa;

    @Option(
            names = "--webhook-client-name",
            paramLabel = "CN",
            split = ",",
            description = "Of these only to those whose certificate has this common name; repeat it for more (default: "
                    + "all of that CA).")
    private List<String> webhookClientNames = List.of();

    @Option(
            names = "--cert-manager",
            paramLabel = "BOOLEAN",
            arity = "1",
            description =
                    "Waits for cert-manager to write Secret kubevirt-ferry-webhook-certificate (tls.crt, tls.key, "
                            + "ca.crt) and follows it; false makes and renews a certificate there itself (default: "
                            + "${DEFAULT-VALUE}).",
            defaultValue = "false")
    private boolean certManager;

    @Option(
            names = "--admission-deadline",
            paramLabel = "DURATION",
            description = "Answers an admission within this time, at most PT30S; the webhook configuration ends a call "
                    + "after its timeoutSeconds all the same (default: ${DEFAULT-VALUE}).",
            defaultValue = "PT5S")
    private Duration admissionDeadline = Duration.ZERO;

    @Option(
            names = "--lookup-deadline",
            paramLabel = "DURATION",
            description = "Waits this long for one answer of the API server. Without one a pod is held by a scheduling "
                    + "gate, a warning is left out, and with --restrict-directed-migrations the migration is refused. "
                    + "At most half the admission deadline (default: ${DEFAULT-VALUE}).",
            defaultValue = "PT2S")
    private Duration lookupDeadline = Duration.ZERO;

    @Option(
            names = "--typed-field",
            paramLabel = "BOOLEAN",
            arity = "1",
            description = "Adds spec.addedNodeSelectorTerm to KubeVirt's CustomResourceDefinition of migrations; false "
                    + "takes it out again: the annotation alone carries the term then (default: ${DEFAULT-VALUE}).",
            defaultValue = "true")
    private boolean typedField;

    @Option(
            names = "--restrict-directed-migrations",
            paramLabel = "BOOLEAN",
            arity = "1",
            description = "true: whoever directs a migration must be allowed to create "
                    + "virtualmachineinstancemigrations/addednodeselectorterm in kubevirt.io; ClusterRole "
                    + "kubevirt-ferry-directed-migration allows it (default: ${DEFAULT-VALUE}).",
            defaultValue = "false")
    private boolean restrictDirectedMigrations;

    @Option(
            names = "--identity",
            paramLabel = "NAME",
            description = "Names this replica in the Lease (default: the host's name and a random part).")
    private @Nullable String identity;

    @Override
    public Integer call() throws InterruptedException {
        Settings settings = settings();
        Manager manager = new Manager(settings, Clients.of(clientConfig()));
        CountDownLatch ended = new CountDownLatch(1);
        AtomicBoolean ending = new AtomicBoolean();
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            ending.set(true);
                            log.info("ending");
                            manager.close();
                            ended.countDown();
                        },
                        "shutdown"));
        try {
            manager.start();
        } catch (RuntimeException e) {
            // Ended while it waited for something: what it waited with is closed under its hands.
            if (!ending.get()) {
                throw e;
            }
        }
        ended.await();
        return 0;
    }

    /** Of the cluster that the environment names: the kubeconfig, or the pod that this runs in. */
    static Config clientConfig() {
        Config config = new ConfigBuilder(Config.autoConfigure(null)).build();
        passBy(config, Optional.ofNullable(config.getNoProxy()).orElse(new String[0]));
        return config;
    }

    /** NO_PROXY as Kubernetes' own programs read it: the client refuses blanks and the star, and with them to start. */
    static void passBy(Config config, String... noProxy) {
        List<String> hosts = Stream.of(noProxy)
                .map(String::strip)
                .filter(host -> !host.isEmpty())
                .toList();
        if (hosts.contains("*")) {
            config.setHttpProxy(null);
            config.setHttpsProxy(null);
        }
        config.setNoProxy(hosts.stream()
                .filter(host -> !host.equals("*"))
                .map(host -> host.startsWith("*.") ? host.substring(1) : host)
                .toArray(String[]::new));
    }

    /** The settings as given. */
    Settings settings() {
        port("--webhook-port", webhookPort);
        port("--health-port", healthPort);
        duration("--admission-deadline", admissionDeadline, LONGEST_DEADLINE);
        duration("--lookup-deadline", lookupDeadline, admissionDeadline.dividedBy(2));
        return new Settings(
                namespace,
                webhookPort,
                healthPort,
                bindAddress,
                serviceName,
                Optional.ofNullable(webhookUrl).filter(text -> !text.isBlank()).map(this::url),
                webhookClients(),
                certManager,
                admissionDeadline,
                lookupDeadline,
                typedField,
                restrictDirectedMigrations,
                Optional.ofNullable(identity).orElseGet(ManagerCommand::anIdentity));
    }

    private static String anIdentity() {
        String host = Optional.ofNullable(System.getenv("HOSTNAME")).orElse("ferry");
        return host + "-" + UUID.randomUUID().toString().substring(0, 8);
    }

    private void port(String option, int port) {
        if (port < 0 || port > 65_535) {
            throw invalid(option, String.valueOf(port), "want a port from 0 to 65535");
        }
    }

    private void duration(String option, Duration value, Duration longest) {
        if (!value.isPositive() || value.compareTo(longest) > 0) {
            throw invalid(option, value.toString(), "want more than PT0S and at most " + longest);
        }
    }

    private Optional<WebhookClients> webhookClients() {
        Set<String> names =
                webhookClientNames.stream().filter(name -> !name.isBlank()).collect(Collectors.toUnmodifiableSet());
        if (webhookClientCa == null || webhookClientCa.isBlank()) {
            if (!names.isEmpty()) {
                throw invalid("--webhook-client-name", String.join(",", names), "want --webhook-client-ca with it");
            }
            return Optional.empty();
        }
        try {
            WebhookClients clients = new WebhookClients(Path.of(webhookClientCa), names);
            ClientTrust ignored = new ClientTrust(clients);
            return Optional.of(clients);
        } catch (CertificateException | InvalidPathException e) {
            throw invalid(
                    "--webhook-client-ca",
                    webhookClientCa,
                    "want a file with the certificates of a CA: " + e.getMessage());
        }
    }

    private URI url(String text) {
        try {
            URI url = new URI(text);
            boolean bare = url.getRawPath().isEmpty() || url.getRawPath().equals("/");
            if ("https".equals(url.getScheme()) && url.getHost() != null && bare && url.getRawQuery() == null) {
                return url;
            }
        } catch (URISyntaxException | NullPointerException e) {
            // Refused below, as every other text that is no such URL.
        }
        throw invalid("--webhook-url", text, "want https://HOST or https://HOST:PORT, without a path");
    }

    private ParameterException invalid(String option, String value, String wanted) {
        return new ParameterException(
                spec.commandLine(),
                option + " (" + EnvironmentDefaults.variable(option) + "): " + wanted + ", got " + value);
    }
}
