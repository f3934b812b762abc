import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Runs a manager until it is ready and has admitted some pods, against the least that it takes for an API server, so that
 * the JVM can write down which classes it loads and how: {@code Training CACHE JAVA [OPTION…] -jar JAR}.
 *
 * <p>With that cache a manager starts in little more than half the time. It is made where the image is built, without a
 * cluster. A source file that the JDK runs as it is.
 */
public final class Training {
    private static final Map<String, String> LISTS = Map.of(
            "pods", """
                    {"apiVersion":"v1","kind":"Pod","metadata":{"name":"virt-launcher-db-x","namespace":"shop","uid":"p",
                    "resourceVersion":"1","creationTimestamp":"2026-01-01T00:00:00Z","labels":{"kubevirt.io":"virt-launcher",
                    "kubevirt.io/created-by":"i","kubevirt.io/migrationJobUID":"m"},"annotations":{"kubevirt.io/migrationJobName":"move"}},
                    "spec":{"containers":[],"nodeSelector":{"kubevirt.io/schedulable":"true"},"tolerations":[{"operator":"Exists"}],
                    "affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":
                    [{"matchExpressions":[{"key":"a","operator":"DoesNotExist"}]}]}}}},"status":{"phase":"Pending","conditions":
                    [{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"0/1 nodes are available"}]}}""",
            "virtualmachineinstancemigrations", """
                    {"apiVersion":"kubevirt.io/v1","kind":"VirtualMachineInstanceMigration","metadata":{"name":"move",
                    "namespace":"shop","uid":"m","resourceVersion":"1","annotations":{"migration.kubevirt.io/added-node-selector-term":
                    "{\\"matchExpressions\\": [{\\"key\\": \\"rack\\", \\"operator\\": \\"In\\", \\"values\\": [\\"r7\\"]}]}"}},
                    "spec":{"vmiName":"db"},"status":{"phase":"Scheduling"}}""",
            "nodes", """
                    {"apiVersion":"v1","kind":"Node","metadata":{"name":"node-1","uid":"n","resourceVersion":"1",
                    "labels":{"kubernetes.io/hostname":"node-1","rack":"r1"}},"spec":{"taints":[{"key":"a","effect":"NoSchedule"}]},
                    "status":{"conditions":[{"type":"Ready","status":"True"}]}}""",
            "customresourcedefinitions", """
                    {"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{
                    "name":"virtualmachineinstancemigrations.kubevirt.io","uid":"d","resourceVersion":"1"},"spec":{"group":"kubevirt.io",
                    "scope":"Namespaced","names":{"plural":"virtualmachineinstancemigrations","kind":"VirtualMachineInstanceMigration"},
                    "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":
                    {"spec":{"type":"object","properties":{"vmiName":{"type":"string"}}}}}}}]}}""",
            "mutatingwebhookconfigurations", """
                    {"apiVersion":"admissionregistration.k8s.io/v1","kind":"MutatingWebhookConfiguration","metadata":{
                    "name":"kubevirt-ferry","uid":"w","resourceVersion":"1"},"webhooks":[
                    {"name":"migration.ferry.kubevirt.io","clientConfig":{"service":{"name":"s","namespace":"n","path":"/admit/migrations"}}},
                    {"name":"target-pod.ferry.kubevirt.io","clientConfig":{"service":{"name":"s","namespace":"n","path":"/admit/pods"}}},
                    {"name":"definition.ferry.kubevirt.io","clientConfig":{"service":{"name":"s","namespace":"n","path":"/admit/definitions"}}}
                    ]}""");

    private static final String MIGRATIONS = """
            {"kind":"APIResourceList","apiVersion":"v1","groupVersion":"kubevirt.io/v1","resources":[{"name":
            "virtualmachineinstancemigrations","namespaced":true,"kind":"VirtualMachineInstanceMigration","verbs":["get"]}]}""";

    private static final String MAY_DO_ANYTHING = """
            {"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectRulesReview","status":{"incomplete":false,"nonResourceRules":[],
            "resourceRules":[{"apiGroups":["*"],"resources":["*"],"verbs":["*"]}]}}""";

    private static final String NOT_FOUND =
            "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"reason\":\"NotFound\",\"code\":404}";

    private static final int REVIEWS = 200;
    private static final int PATIENCE_SECONDS = 120;
    private static final String PASSWORD = "training";

    private static String secret = "";

    private Training() {}

    public static void main(String[] arguments) throws Exception {
        Path cache = Path.of(arguments[0]).toAbsolutePath();
        Path work = Files.createTempDirectory("ferry-training");
        KeyStore keys = keys(work);
        secret = secret(keys);
        SSLContext tls = tls(keys);
        try (ServerSocket api = tls.getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread.ofPlatform().daemon().start(() -> serve(api));
            Files.writeString(work.resolve("kubeconfig"), """
                    {"apiVersion":"v1","kind":"Config","current-context":"c","contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}],
                    "clusters":[{"name":"c","cluster":{"server":"https://localhost:%d","certificate-authority":"%s"}}],
                    "users":[{"name":"u","user":{"token":"t"}}]}
                    """.formatted(api.getLocalPort(), work.resolve("ca.crt")));
            run(cache, List.of(arguments).subList(1, arguments.length), work.resolve("kubeconfig"));
        } catch (Exception e) {
            // What came out of half a training is worth little, and would be taken for the whole.
            Files.deleteIfExists(cache);
            throw e;
        }
    }

    /** A key for localhost and its certificate, which is its own CA. */
    private static KeyStore keys(Path work) throws Exception {
        String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        Path store = work.resolve("keys.p12");
        tool(keytool, "-genkeypair", "-alias", "api", "-keyalg", "EC", "-dname", "CN=localhost", "-ext", "san=dns:localhost",
                "-keystore", store.toString(), "-storepass", PASSWORD);
        tool(keytool, "-exportcert", "-rfc", "-alias", "api", "-file", work.resolve("ca.crt").toString(),
                "-keystore", store.toString(), "-storepass", PASSWORD);
        return KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
    }

    private static SSLContext tls(KeyStore keys) throws Exception {
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(keys, PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(factory.getKeyManagers(), null, null);
        return context;
    }

    /** The same in the Secret in which a manager looks for its certificate: it is there at all starts but the first. */
    private static String secret(KeyStore keys) throws Exception {
        String certificate = pem("CERTIFICATE", keys.getCertificate("api").getEncoded());
        return """
                {"apiVersion":"v1","kind":"Secret","metadata":{"name":"kubevirt-ferry-webhook-certificate","namespace":"kubevirt-ferry",
                "uid":"s","resourceVersion":"1"},"type":"kubernetes.io/tls","data":{"tls.crt":"%s","tls.key":"%s","ca.crt":"%s"}}
                """.formatted(certificate, pem("PRIVATE KEY", keys.getKey("api", PASSWORD.toCharArray()).getEncoded()), certificate);
    }

    /** As data of a Secret: in base64 once more. */
    private static String pem(String label, byte[] bytes) {
        String text = "-----BEGIN " + label + "-----\n" + Base64.getMimeEncoder().encodeToString(bytes) + "\n-----END " + label + "-----\n";
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static void tool(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IllegalStateException(command[0] + " failed: " + said);
        }
    }

    private static void run(Path cache, List<String> java, Path kubeconfig) throws Exception {
        int health = freePort();
        int webhooks = freePort();
        List<String> command = new ArrayList<>(java);
        command.addAll(1, List.of("-XX:AOTCacheOutput=" + cache, "-Xlog:aot=error"));
        command.addAll(List.of("manager", "--bind-address=127.0.0.1", "--health-port=" + health, "--webhook-port=" + webhooks,
                "--webhook-url=https://localhost"));
        ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        builder.environment().put("KUBECONFIG", kubeconfig.toString());
        Files.deleteIfExists(cache);
        Process manager = builder.start();
        try (HttpClient client = HttpClient.newBuilder().sslContext(trusting()).build()) {
            long end = System.nanoTime() + PATIENCE_SECONDS * 1_000_000_000L;
            while (status(client, HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + health + "/readyz")).build()) != 200) {
                if (!manager.isAlive() || System.nanoTime() > end) {
                    throw new IllegalStateException("the manager was not ready");
                }
                Thread.sleep(50);
            }
            for (int i = 0; i < REVIEWS; i++) {
                HttpRequest review = HttpRequest.newBuilder(URI.create("https://localhost:" + webhooks + "/admit/pods"))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(review()))
                        .build();
                if (status(client, review) != 200) {
                    throw new IllegalStateException("a review was not answered");
                }
            }
        } finally {
            manager.destroy();
            manager.waitFor();
        }
        if (!Files.exists(cache)) {
            throw new IllegalStateException("the JVM wrote no " + cache);
        }
    }

    private static String review() {
        return "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{\"uid\":\"r\",\"namespace\":\"shop\","
                + "\"operation\":\"CREATE\",\"userInfo\":{\"username\":\"controller\"},\"object\":" + LISTS.get("pods") + "}}";
    }

    private static int status(HttpClient client, HttpRequest request) throws InterruptedException {
        try {
            return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        } catch (IOException e) {
            return 0;
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    /** For the manager's own certificate. */
    private static SSLContext trusting() throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new Trusting()}, new SecureRandom());
        return context;
    }

    private static final class Trusting extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, javax.net.ssl.SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, javax.net.ssl.SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    private static void serve(ServerSocket api) {
        while (true) {
            try {
                Socket connection = api.accept();
                Thread.ofPlatform().daemon().start(() -> converse(connection));
            } catch (IOException e) {
                return;
            }
        }
    }

    private static void converse(Socket connection) {
        try (connection;
                InputStream in = connection.getInputStream();
                OutputStream out = new BufferedOutputStream(connection.getOutputStream())) {
            for (String request = line(in); !request.isEmpty(); request = line(in)) {
                Map<String, String> headers = new TreeMap<>();
                for (String header = line(in); !header.isEmpty(); header = line(in)) {
                    String[] parts = header.split(": *", 2);
                    headers.put(parts[0].toLowerCase(Locale.ROOT), parts[1]);
                }
                byte[] body = in.readNBytes(Integer.parseInt(headers.getOrDefault("content-length", "0")));
                if (headers.containsKey("sec-websocket-key")) {
                    watch(headers.get("sec-websocket-key"), in, out);
                    return;
                }
                answer(request.split(" ")[0], URI.create(request.split(" ")[1]).getPath(), new String(body, StandardCharsets.UTF_8), out);
            }
        } catch (IOException e) {
            // the manager has ended, or tries again
        }
    }

    private static String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
            line.write(next);
        }
        return line.toString(StandardCharsets.UTF_8).strip();
    }

    /** Nothing ever happens. */
    private static void watch(String key, InputStream in, OutputStream out) throws IOException {
        try {
            String accept = Base64.getEncoder()
                    .encodeToString(MessageDigest.getInstance("SHA-1")
                            .digest((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").getBytes(StandardCharsets.UTF_8)));
            out.write(("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            + "Sec-WebSocket-Accept: " + accept + "\r\n\r\n")
                    .getBytes(StandardCharsets.UTF_8));
            out.flush();
            in.transferTo(OutputStream.nullOutputStream());
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void answer(String method, String path, String body, OutputStream out) throws IOException {
        String kind = path.substring(path.lastIndexOf('/') + 1);
        if (kind.equals("selfsubjectrulesreviews")) {
            respond(out, 201, MAY_DO_ANYTHING);
        } else if (!method.equals("GET")) {
            // What is written comes back; a patch gets an object without anything.
            respond(out, 200, body.startsWith("{") ? body : "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"x\"}}");
        } else if (path.contains("/secrets/")) {
            respond(out, 200, secret);
        } else if (path.equals("/apis/kubevirt.io/v1")) {
            respond(out, 200, MIGRATIONS);
        } else if (LISTS.containsKey(kind)) {
            String item = LISTS.get(kind);
            String version = item.replaceAll("(?s).*?\"apiVersion\":\"([^\"]*)\".*", "$1");
            respond(out, 200, "{\"apiVersion\":\"" + version + "\",\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"1\"},\"items\":["
                    + item + "]}");
        } else {
            respond(out, 404, NOT_FOUND);
        }
    }

    private static void respond(OutputStream out, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        out.write(("HTTP/1.1 " + status + " As Said\r\nContent-Type: application/json\r\nContent-Length: " + bytes.length + "\r\n\r\n")
                .getBytes(StandardCharsets.UTF_8));
        out.write(bytes);
        out.flush();
    }
}
