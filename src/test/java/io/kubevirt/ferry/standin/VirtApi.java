package io.kubevirt.ferry.standin;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperationsBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfigurationBuilder;
import io.kubevirt.ferry.standin.Admissions.Request;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.PemKeyCertOptions;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The webhooks of virt-api, served over HTTPS on loopback under the names and rules of KubeVirt. */
final class VirtApi implements AutoCloseable {

    /** Sorts after an operator that must see migrations first. */
    static final String MUTATING = "virt-api-mutator";

    static final String VALIDATING = "virt-api-validator";

    private static final Logger LOG = LoggerFactory.getLogger(VirtApi.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int TIMEOUT_SECONDS = 30;

    /** One webhook: its name, for what it is called, and what it says. */
    private record Webhook(
            String name, boolean mutates, Kind kind, List<String> operations, Function<Request, Verdict> verdict) {

        String path() {
            return "/" + name;
        }

        RuleWithOperations rule() {
            return new RuleWithOperationsBuilder()
                    .withApiGroups(kind.group)
                    .withApiVersions("v1alpha3", "v1")
                    .withOperations(operations)
                    .withResources(kind.plural)
                    .build();
        }
    }

    private final List<Webhook> webhooks;
    private final Map<String, Webhook> byPath;
    private final Certificates certificates = Certificates.forLoopback();
    private final Vertx vertx = Vertx.vertx();
    private final HttpServer server;

    VirtApi(Cluster cluster) {
        Admissions says = new Admissions(cluster);
        List<String> both = List.of("CREATE", "UPDATE");
        webhooks = List.of(
                new Webhook("virtualmachines-mutator.kubevirt.io", true, Kind.VM, both, says::mutateMachine),
                new Webhook("virtualmachineinstances-mutator.kubevirt.io", true, Kind.VMI, both, says::mutateInstance),
                new Webhook(
                        "migrations-mutator.kubevirt.io", true, Kind.VMIM, List.of("CREATE"), says::mutateMigration),
                new Webhook("virtualmachine-validator.kubevirt.io", false, Kind.VM, both, says::validateMachine),
                new Webhook(
                        "virtualmachineinstances-update-validator.kubevirt.io",
                        false,
                        Kind.VMI,
                        List.of("UPDATE"),
                        says::validateInstanceUpdate),
                new Webhook(
                        "migration-create-validator.kubevirt.io",
                        false,
                        Kind.VMIM,
                        List.of("CREATE"),
                        says::validateMigrationCreate),
                new Webhook(
                        "migration-update-validator.kubevirt.io",
                        false,
                        Kind.VMIM,
                        List.of("UPDATE"),
                        says::validateMigrationUpdate));
        byPath = webhooks.stream().collect(Collectors.toUnmodifiableMap(Webhook::path, Function.identity()));
        HttpServerOptions options = new HttpServerOptions()
                .setSsl(true)
                .setUseAlpn(true)
                .setKeyCertOptions(new PemKeyCertOptions()
                        .setKeyValue(Buffer.buffer(certificates.key()))
                        .setCertValue(Buffer.buffer(certificates.certificate())));
        server = vertx.createHttpServer(options).requestHandler(this::serve);
    }

    /** Starts to answer, on a free port. */
    void start() {
        server.listen(0, "127.0.0.1").toCompletionStage().toCompletableFuture().join();
    }

    private void serve(HttpServerRequest request) {
        request.body()
                .compose(body -> vertx.executeBlocking(() -> answer(request.path(), body.toString()), false))
                .onSuccess(answer -> request.response()
                        .putHeader("content-type", "application/json")
                        .end(answer))
                .onFailure(failure -> {
                    LOG.warn("{}", request.path(), failure);
                    request.response().setStatusCode(500).end(String.valueOf(failure.getMessage()));
                });
    }

    private String answer(String path, String body) throws JsonProcessingException {
        ObjectNode review = (ObjectNode) JSON.readTree(body);
        JsonNode request = review.path("request");
        Webhook webhook = byPath.get(path);
        if (webhook == null) {
            throw new IllegalArgumentException("no webhook " + path);
        }
        Verdict verdict = webhook.verdict()
                .apply(new Request(
                        request.path("userInfo").path("username").asText(),
                        item(webhook.kind(), request.path("object")),
                        item(webhook.kind(), request.path("oldObject"))));
        review.remove("request");
        review.set("response", verdict.response(request.path("uid").asText()));
        return review.toString();
    }

    private static Item item(Kind kind, JsonNode object) {
        return Item.of(kind, object.isObject() ? object : Item.object());
    }

    MutatingWebhookConfiguration mutating() {
        return new MutatingWebhookConfigurationBuilder()
                .withNewMetadata()
                .withName(MUTATING)
                .endMetadata()
                .withWebhooks(webhooks.stream()
                        .filter(Webhook::mutates)
                        .map(each -> new MutatingWebhookBuilder()
                                .withName(each.name())
                                .withNewClientConfig()
                                .withUrl(url(each))
                                .withCaBundle(authority())
                                .endClientConfig()
                                .withRules(each.rule())
                                .withFailurePolicy("Fail")
                                .withSideEffects("None")
                                .withAdmissionReviewVersions("v1")
                                .withTimeoutSeconds(TIMEOUT_SECONDS)
                                .build())
                        .toList())
                .build();
    }

    ValidatingWebhookConfiguration validating() {
        return new ValidatingWebhookConfigurationBuilder()
                .withNewMetadata()
                .withName(VALIDATING)
                .endMetadata()
                .withWebhooks(webhooks.stream()
                        .filter(each -> !each.mutates())
                        .map(each -> new ValidatingWebhookBuilder()
                                .withName(each.name())
                                .withNewClientConfig()
                                .withUrl(url(each))
                                .withCaBundle(authority())
                                .endClientConfig()
                                .withRules(each.rule())
                                .withFailurePolicy("Fail")
                                .withSideEffects("None")
                                .withAdmissionReviewVersions("v1")
                                .withTimeoutSeconds(TIMEOUT_SECONDS)
                                .build())
                        .toList())
                .build();
    }

    private String url(Webhook webhook) {
        return "https://127.0.0.1:" + server.actualPort() + webhook.path();
    }

    private String authority() {
        return Base64.getEncoder().encodeToString(certificates.certificate().getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }
}
