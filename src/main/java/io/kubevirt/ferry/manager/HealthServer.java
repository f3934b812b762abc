package io.kubevirt.ferry.manager;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.util.Optional;
import java.util.function.Supplier;

/** Serves {@code /healthz}, {@code /readyz} and {@code /metrics} in plain HTTP. */
final class HealthServer {
    private final HttpServer server;
    private final Readiness readiness;
    private final PrometheusMeterRegistry metrics;
    private final Supplier<Optional<String>> fault;

    /**
     * @param fault what only a new process can mend
     */
    HealthServer(Vertx vertx, Readiness readiness, PrometheusMeterRegistry metrics, Supplier<Optional<String>> fault) {
        this.fault = fault;
        this.server = vertx.createHttpServer().requestHandler(this::serve);
        this.readiness = readiness;
        this.metrics = metrics;
    }

    /** Starts to listen; gives the port. */
    Future<Integer> start(String address, int port) {
        return server.listen(port, address).map(HttpServer::actualPort);
    }

    Future<Void> stop() {
        return server.close();
    }

    private void serve(HttpServerRequest request) {
        switch (request.path()) {
            case "/healthz" -> health(request);
            case "/readyz" -> answer(request, readiness.isReady() ? 200 : 503, "text/plain", readiness.report());
            case "/metrics" -> answer(request, 200, "text/plain; version=0.0.4; charset=utf-8", metrics.scrape());
            default -> answer(request, 404, "text/plain", "there are /healthz, /readyz and /metrics\n");
        }
    }

    private void health(HttpServerRequest request) {
        fault.get()
                .ifPresentOrElse(
                        what -> answer(request, 503, "text/plain", what + "\n"),
                        () -> answer(request, 200, "text/plain", "ok\n"));
    }

    private static void answer(HttpServerRequest request, int status, String type, String body) {
        request.response().setStatusCode(status).putHeader("Content-Type", type).end(body);
    }
}
