package io.kubevirt.ferry.manager;

import io.kubevirt.ferry.admission.AdmissionEndpoint;
import io.kubevirt.ferry.admission.MalformedReviewException;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.JdkSSLEngineOptions;
import io.vertx.core.net.OpenSSLEngineOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.SSLEngineOptions;
import io.vertx.core.net.SSLOptions;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves admission over HTTPS, HTTP/1.1 and HTTP/2, with connections kept alive.
 *
 * <p>What cannot be an AdmissionReview is answered with a plain line that says why: 404 for another path, 405, 413 for a
 * body above {@value #BODY_LIMIT} bytes, 415, 400 for what does not parse. 503 beyond {@value #AT_ONCE} requests or
 * {@value #BODIES_LIMIT} bytes at once, 504 after the deadline, 500 (with the trace in the log alone) for a fault of ours.
 */
final class WebhookServer {
    private static final Logger log = LoggerFactory.getLogger(WebhookServer.class);

    /** Two objects of the largest size that the API server takes (3 MiB), and their envelope. */
    static final int BODY_LIMIT = 7 * 1024 * 1024;

    /** The API server keeps far fewer under way; more is somebody else, and memory has an end. */
    static final int AT_ONCE = 256;

    /** Two of the largest bodies: a container has few hundred MiB, and a review has some 20 KiB. */
    static final int BODIES_LIMIT = 2 * BODY_LIMIT;

    /** What is parsed on the event loop, in bytes: a launcher pod has some 10 KiB. */
    private static final int QUICK_BODY = 64 * 1024;

    private static final int IDLE_SECONDS = 120;

    /** For what anybody who reaches the port can cause. */
    private static final Duration LOG_PERIOD = Duration.ofSeconds(10);

    private final Vertx vertx;
    private final Map<String, AdmissionEndpoint> endpoints;
    private final ExecutorService executor;
    private final Duration deadline;
    private final MeterRegistry metrics;
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicInteger bytesHeld = new AtomicInteger();
    private final Seldom malformed = new Seldom(LOG_PERIOD, System::nanoTime);
    private final Seldom faults = new Seldom(LOG_PERIOD, System::nanoTime);
    private Optional<HttpServer> server = Optional.empty();

    /**
     * @param endpoints by path
     * @param executor in which verdicts are made that need a look-up, which blocks
     * @param deadline from the request's first byte to its answer
     */
    WebhookServer(
            Vertx vertx,
            Map<String, AdmissionEndpoint> endpoints,
            ExecutorService executor,
            Duration deadline,
            MeterRegistry metrics) {
        this.vertx = vertx;
        this.endpoints = endpoints;
        this.executor = executor;
        this.deadline = deadline;
        this.metrics = metrics;
        metrics.gauge("ferry.admissions.under.way", underWay);
    }

    /** Starts to listen; gives the port. */
    Future<Integer> start(String address, int port, ServingCertificate certificate) {
        HttpServerOptions options = new HttpServerOptions()
                .setHost(address)
                .setPort(port)
                .setSsl(true)
                .setUseAlpn(true)
                .setIdleTimeout(IDLE_SECONDS)
                .setSslEngineOptions(tls())
                .setKeyCertOptions(options(certificate));
        HttpServer started = vertx.createHttpServer(options)
                .requestHandler(this::receive)
                .exceptionHandler(e -> log.debug("a connection failed: {}", e.getMessage()));
        server = Optional.of(started);
        return started.listen().map(HttpServer::actualPort);
    }

    /** OpenSSL's kind where it is there for this platform: the JDK's own is slow until its loops are compiled well. */
    private static SSLEngineOptions tls() {
        return OpenSSLEngineOptions.isAvailable() ? new OpenSSLEngineOptions() : new JdkSSLEngineOptions();
    }

    /** Shows another certificate on connections that are made from now on. */
    Future<Boolean> show(ServingCertificate certificate) {
        SSLOptions options = new SSLOptions().setUseAlpn(true).setKeyCertOptions(options(certificate));
        return server.map(running -> running.updateSSLOptions(options)).orElseGet(() -> Future.succeededFuture(false));
    }

    private static PemKeyCertOptions options(ServingCertificate certificate) {
        return new PemKeyCertOptions()
                .addCertValue(Buffer.buffer(certificate.certificate()))
                .addKeyValue(Buffer.buffer(certificate.key()));
    }

    /** How many bytes of bodies are held, for requests that are not answered yet. */
    int bytesHeld() {
        return bytesHeld.get();
    }

    /** How many requests have come in and are not answered yet. */
    int underWay() {
        return underWay.get();
    }

    Future<Void> stop() {
        return server.map(HttpServer::close).orElseGet(Future::succeededFuture);
    }

    private void receive(HttpServerRequest request) {
        Exchange exchange = new Exchange(request);
        @Nullable AdmissionEndpoint endpoint = endpoints.get(Objects.requireNonNullElse(request.path(), ""));
        if (endpoint == null) {
            exchange.refuse(404, "no webhook at this path; there are " + endpoints.keySet());
        } else if (!request.method().equals(HttpMethod.POST)) {
            exchange.refuse(405, "want POST");
        } else if (!isJson(request.getHeader("Content-Type"))) {
            exchange.refuse(415, "want Content-Type application/json");
        } else if (declaredLength(request) > BODY_LIMIT) {
            exchange.refuse(413, "the body is longer than " + BODY_LIMIT + " bytes");
        } else if (exchange.isOneTooMany()) {
            exchange.refuse(503, "more than " + AT_ONCE + " requests at once");
        } else {
            exchange.collect(endpoint);
        }
    }

    private static boolean isJson(@Nullable String contentType) {
        return contentType != null
                && contentType.split(";", 2)[0].strip().toLowerCase(Locale.ROOT).equals("application/json");
    }

    private static long declaredLength(HttpServerRequest request) {
        @Nullable String length = request.getHeader("Content-Length");
        return length != null && length.matches("[0-9]{1,18}") ? Long.parseLong(length) : 0;
    }

    /** One request and its one answer. All but a verdict that has to wait happens on the request's event loop. */
    private final class Exchange {
        private final HttpServerRequest request;
        private final long started = System.nanoTime();
        private final long timer;
        private final Buffer body = Buffer.buffer();
        private boolean answered;

        Exchange(HttpServerRequest request) {
            this.request = request;
            underWay.incrementAndGet();
            this.timer = vertx.setTimer(
                    deadline.toMillis(), id -> refuse(504, "no answer within " + deadline.toMillis() + " ms"));
            request.exceptionHandler(e -> end());
            request.response().exceptionHandler(e -> end()).closeHandler(closed -> end());
        }

        boolean isOneTooMany() {
            return underWay.get() > AT_ONCE;
        }

        void collect(AdmissionEndpoint endpoint) {
            request.handler(chunk -> {
                if (answered) {
                    return;
                }
                if (body.length() + chunk.length() > BODY_LIMIT) {
                    refuse(413, "the body is longer than " + BODY_LIMIT + " bytes");
                } else if (bytesHeld.addAndGet(chunk.length()) > BODIES_LIMIT) {
                    bytesHeld.addAndGet(-chunk.length());
                    refuse(503, "more than " + BODIES_LIMIT + " bytes at once");
                } else {
                    body.appendBuffer(chunk);
                }
            });
            if ("100-continue".equalsIgnoreCase(request.getHeader("Expect"))) {
                request.response().writeContinue();
            }
            request.endHandler(end -> {
                if (!answered) {
                    decide(endpoint);
                }
            });
        }

        private void decide(AdmissionEndpoint endpoint) {
            byte[] bytes = body.getBytes();
            if (bytes.length <= QUICK_BODY) {
                Optional<Runnable> reply = reply(endpoint, () -> endpoint.answerAtOnce(bytes));
                if (reply.isPresent()) {
                    reply.get().run();
                    return;
                }
            }
            var context = vertx.getOrCreateContext();
            try {
                executor.execute(() -> reply(endpoint, () -> Optional.of(endpoint.answer(bytes)))
                        .ifPresent(reply -> context.runOnContext(ignored -> reply.run())));
            } catch (RejectedExecutionException e) {
                refuse(503, "shutting down");
            }
        }

        /** Makes the verdict, if it can be made so; what comes back is to be run on the event loop. */
        private Optional<Runnable> reply(
                AdmissionEndpoint endpoint, Supplier<Optional<AdmissionEndpoint.Answer>> attempt) {
            try {
                return attempt.get().map(answer -> () -> {
                    count(endpoint, answer.outcome());
                    respond(200, "application/json", Buffer.buffer(answer.body()));
                });
            } catch (MalformedReviewException e) {
                malformed
                        .next()
                        .ifPresent(more -> log.warn(
                                "a {} was refused unread: {} ({} more such before)",
                                endpoint.name(),
                                e.getMessage(),
                                more));
                return Optional.of(() -> {
                    count(endpoint, "malformed");
                    refuse(400, e.getMessage());
                });
            } catch (RuntimeException e) {
                faults.next()
                        .ifPresent(more -> log.error(
                                "a {} could not be admitted ({} more such before)", endpoint.name(), more, e));
                return Optional.of(() -> {
                    count(endpoint, "error");
                    refuse(500, "internal error; the log of this replica has it");
                });
            }
        }

        private void count(AdmissionEndpoint endpoint, String outcome) {
            metrics.timer("ferry.admissions", "webhook", endpoint.name(), "outcome", outcome)
                    .record(Duration.ofNanos(System.nanoTime() - started));
        }

        void refuse(int status, @Nullable String why) {
            // The rest of a body that nobody reads is not waited for. (HTTP/2 knows no such header: its streams end
            // alone.)
            if (!request.isEnded() && request.version() != HttpVersion.HTTP_2) {
                request.response().putHeader("Connection", "close");
            }
            respond(status, "text/plain; charset=utf-8", Buffer.buffer(why + "\n"));
        }

        private void respond(int status, String contentType, Buffer content) {
            if (answered) {
                return;
            }
            end();
            request.response()
                    .setStatusCode(status)
                    .putHeader("Content-Type", contentType)
                    .end(content);
        }

        private void end() {
            if (!answered) {
                answered = true;
                vertx.cancelTimer(timer);
                underWay.decrementAndGet();
                bytesHeld.addAndGet(-body.length());
            }
        }
    }
}
