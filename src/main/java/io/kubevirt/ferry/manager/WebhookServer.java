package io.kubevirt.ferry.manager;

import io.kubevirt.ferry.admission.AdmissionEndpoint;
import io.kubevirt.ferry.admission.MalformedReviewException;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpConnection;
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
import io.vertx.core.net.TrustOptions;
import io.vertx.core.net.impl.ConnectionBase;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves admission over HTTPS, HTTP/1.1 and HTTP/2, with connections kept alive.
 *
 * <p>What cannot be an AdmissionReview is answered with a plain line that says why: 404 for another path, 405, 413 for a
 * body that is too long, 415, 400 for what does not parse; what is no HTTP, with 400 or by the end of the connection. 503
 * where others take up all there is, 504 after the deadline, 500 (with the trace in the log alone) for a fault of ours.
 *
 * <p>Anybody who reaches the port may send anything: what that takes up has its {@link Limits}. See {@link Connections}
 * and {@link Load} for who has to go when one is reached.
 */
final class WebhookServer {
    private static final Logger log = LoggerFactory.getLogger(WebhookServer.class);

    /** What is parsed on the event loop, in bytes: a launcher pod has some 10 KiB. */
    private static final int QUICK_BODY = 64 * 1024;

    /** For what anybody who reaches the port can cause. */
    private static final Duration LOG_PERIOD = Duration.ofSeconds(10);

    private final BoundedTransport transport;
    private final Vertx vertx;
    private final Map<String, AdmissionEndpoint> endpoints;
    private final ExecutorService executor;
    private final Limits limits;
    private final Load load;
    private final Connections connections;
    private final MeterRegistry metrics;
    private final Optional<ClientTrust> clients;
    private final Seldom strangers = new Seldom(LOG_PERIOD, System::nanoTime);
    private final Seldom malformed = new Seldom(LOG_PERIOD, System::nanoTime);
    private final Seldom faults = new Seldom(LOG_PERIOD, System::nanoTime);
    private Optional<HttpServer> server = Optional.empty();
    private OptionalLong lookAtConnections = OptionalLong.empty();

    /**
     * @param endpoints by path
     * @param executor in which verdicts are made that need a look-up, which blocks
     * @param transport of that Vert.x
     * @param clients who is served; empty: whoever reaches the port
     */
    WebhookServer(
            BoundedTransport transport,
            Vertx vertx,
            Map<String, AdmissionEndpoint> endpoints,
            ExecutorService executor,
            Limits limits,
            MeterRegistry metrics,
            Optional<ClientTrust> clients) {
        this.transport = transport;
        this.vertx = vertx;
        this.endpoints = endpoints;
        this.executor = executor;
        this.limits = limits;
        this.load = new Load(limits);
        this.connections = new Connections(limits, System::nanoTime);
        this.metrics = metrics;
        this.clients = clients;
        Gauge.builder("ferry.admissions.under.way", load, Load::requests)
                .description("Requests to the webhooks that are not answered yet")
                .register(metrics);
        Gauge.builder("ferry.admissions.connections", connections, Connections::count)
                .description("Connections to the webhook port")
                .register(metrics);
    }

    /** Starts to listen; gives the port. */
    Future<Integer> start(String address, int port, ServingCertificate certificate) {
        HttpServerOptions options = new HttpServerOptions()
                .setHost(address)
                .setPort(port)
                .setSsl(true)
                .setUseAlpn(true)
                .setIdleTimeout(Math.toIntExact(limits.idle().toMillis()))
                .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
                .setSslHandshakeTimeout(limits.firstRequest().toMillis())
                .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
                .setSslEngineOptions(tls())
                .setKeyCertOptions(options(certificate));
        clients.ifPresent(
                trust -> options.setClientAuth(ClientAuth.REQUIRED).setTrustOptions(TrustOptions.wrap(trust)));
        HttpServer started = vertx.createHttpServer(options)
                .connectionHandler(this::bound)
                .requestHandler(this::receive)
                .exceptionHandler(this::failed);
        server = Optional.of(started);
        lookAtConnections = OptionalLong.of(vertx.setPeriodic(
                Math.max(1, limits.firstRequest().toMillis() / 10), id -> connections.closeOverdue()));
        return started.listen().map(HttpServer::actualPort).onSuccess(actual -> transport.bound(actual, connections));
    }

    /** OpenSSL's kind where it is there for this platform: the JDK's own is slow until its loops are compiled well. */
    private static SSLEngineOptions tls() {
        return OpenSSLEngineOptions.isAvailable() ? new OpenSSLEngineOptions() : new JdkSSLEngineOptions();
    }

    /** Shows another certificate on connections that are made from now on. */
    Future<Boolean> show(ServingCertificate certificate) {
        SSLOptions options = new SSLOptions()
                .setUseAlpn(true)
                .setSslHandshakeTimeout(limits.firstRequest().toMillis())
                .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
                .setKeyCertOptions(options(certificate));
        clients.ifPresent(trust -> options.setTrustOptions(TrustOptions.wrap(trust)));
        return server.map(running -> running.updateSSLOptions(options)).orElseGet(() -> Future.succeededFuture(false));
    }

    private static PemKeyCertOptions options(ServingCertificate certificate) {
        return new PemKeyCertOptions()
                .addCertValue(Buffer.buffer(certificate.certificate()))
                .addKeyValue(Buffer.buffer(certificate.key()));
    }

    /** How many bytes of bodies are held, for requests that are not answered yet. */
    int bytesHeld() {
        return load.bytes();
    }

    /** How many requests have come in and are not answered yet. */
    int underWay() {
        return load.requests();
    }

    /** How many connections are open, those in the middle of a TLS handshake included. */
    int connections() {
        return connections.count();
    }

    Future<Void> stop() {
        lookAtConnections.ifPresent(vertx::cancelTimer);
        return server.map(HttpServer::close).orElseGet(Future::succeededFuture);
    }

    /** Of a connection that came to nothing; where clients have to show who they are, whoever runs both wants to know. */
    private void failed(Throwable e) {
        log.debug("a connection failed: {}", e.getMessage());
        if (clients.isPresent() && e instanceof SSLException) {
            strangers
                    .next()
                    .ifPresent(more -> log.warn(
                            "a client of the webhooks was refused: {} ({} more such before)", reason(e), more));
        }
    }

    private static String reason(Throwable e) {
        Throwable cause = e;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return String.valueOf(cause.getMessage());
    }

    private void bound(HttpConnection connection) {
        ChannelHandlerContext context = ((ConnectionBase) connection).channelHandlerContext();
        if (context.pipeline().get(HttpRequestDecoder.class) != null) {
            context.pipeline().addBefore(context.name(), "sent ahead", new SentAhead(limits.ahead()));
        }
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
        } else if (isCodedOtherwise(request.getHeader("Transfer-Encoding"))) {
            exchange.refuse(400, "want no Transfer-Encoding but chunked");
        } else if (isTooLong(request.getHeader("Content-Length"))) {
            exchange.refuse(413, exchange.tooLong());
        } else if (!load.hasRoomFor(exchange)) {
            exchange.refuse(503, "more than " + limits.requests() + " requests at once");
        } else {
            exchange.collect(endpoint);
        }
    }

    private static boolean isJson(@Nullable String contentType) {
        return contentType != null
                && contentType.split(";", 2)[0].strip().toLowerCase(Locale.ROOT).equals("application/json");
    }

    /** HTTP/1: one request at a time, and their ends are all that keeps them apart. */
    private static boolean isFirstVersion(HttpServerRequest request) {
        return request.version() != HttpVersion.HTTP_2;
    }

    private static Channel channel(HttpServerRequest request) {
        return ((ConnectionBase) request.connection()).channel();
    }

    private static boolean isCodedOtherwise(@Nullable String transferEncoding) {
        return transferEncoding != null && !transferEncoding.equalsIgnoreCase("chunked");
    }

    /** Of a length that is one: others do not get so far. */
    private boolean isTooLong(@Nullable String declared) {
        return declared != null
                && declared.matches("[0-9]+")
                && new BigInteger(declared).compareTo(BigInteger.valueOf(limits.body())) > 0;
    }

    /** One request and its one answer. All but a verdict that has to wait happens on the request's event loop. */
    private final class Exchange implements Load.Incomplete {
        private final HttpServerRequest request;
        private final long started = System.nanoTime();
        private final long timer;
        private Buffer body = Buffer.buffer();
        private boolean answered;

        Exchange(HttpServerRequest request) {
            this.request = request;
            load.began(this);
            connections.heard(channel(request));
            long millis = limits.answer().toMillis();
            this.timer = vertx.setTimer(millis, id -> refuse(504, "no answer within " + millis + " ms"));
            request.exceptionHandler(e -> end());
            request.response().exceptionHandler(e -> end()).closeHandler(closed -> end());
        }

        String tooLong() {
            return "the body is longer than " + limits.body() + " bytes";
        }

        @Override
        public void giveWay(String why) {
            refuse(503, why);
        }

        void collect(AdmissionEndpoint endpoint) {
            request.handler(chunk -> {
                if (answered) {
                    return;
                }
                if (body.length() + chunk.length() > limits.body()) {
                    refuse(413, tooLong());
                } else if (!load.hasRoomFor(this, chunk.length())) {
                    refuse(503, "more than " + limits.bodies() + " bytes at once");
                } else {
                    body.appendBuffer(chunk);
                }
            });
            if ("100-continue".equalsIgnoreCase(request.getHeader("Expect"))) {
                request.response().writeContinue();
            }
            request.endHandler(end -> {
                if (!answered) {
                    load.completed(this);
                    decide(endpoint);
                }
            });
        }

        private void decide(AdmissionEndpoint endpoint) {
            byte[] bytes = body.getBytes();
            if (bytes.length > QUICK_BODY) {
                later(endpoint, () -> endpoint.answer(bytes));
                return;
            }
            reply(endpoint, () -> {
                        AdmissionEndpoint.Reading review = endpoint.read(bytes);
                        return review.answerAtOnce()
                                .map(answer -> sending(endpoint, answer))
                                .orElse(() -> later(endpoint, review::answer));
                    })
                    .run();
        }

        /** Makes the verdict on a thread that may block. */
        private void later(AdmissionEndpoint endpoint, Supplier<AdmissionEndpoint.Answer> verdict) {
            var context = vertx.getOrCreateContext();
            try {
                executor.execute(() -> {
                    Runnable reply = reply(endpoint, () -> sending(endpoint, verdict.get()));
                    context.runOnContext(ignored -> reply.run());
                });
            } catch (RejectedExecutionException e) {
                refuse(503, "shutting down");
            }
        }

        private Runnable sending(AdmissionEndpoint endpoint, AdmissionEndpoint.Answer answer) {
            return () -> {
                count(endpoint, answer.outcome());
                respond(200, "application/json", Buffer.buffer(answer.body()));
            };
        }

        /** What is to be run on the event loop next, whatever comes of the attempt. */
        private Runnable reply(AdmissionEndpoint endpoint, Supplier<Runnable> attempt) {
            try {
                return attempt.get();
            } catch (MalformedReviewException e) {
                malformed
                        .next()
                        .ifPresent(more -> log.warn(
                                "a {} was refused unread: {} ({} more such before)",
                                endpoint.name(),
                                e.getMessage(),
                                more));
                return () -> {
                    count(endpoint, "malformed");
                    refuse(400, e.getMessage());
                };
            } catch (RuntimeException e) {
                faults.next()
                        .ifPresent(more -> log.error(
                                "a {} could not be admitted ({} more such before)", endpoint.name(), more, e));
                return () -> {
                    count(endpoint, "error");
                    refuse(500, "internal error; the log of this replica has it");
                };
            }
        }

        private void count(AdmissionEndpoint endpoint, String outcome) {
            Timer.builder("ferry.admissions")
                    .description("Answered admissions, from the first byte of the request")
                    .tags("webhook", endpoint.name(), "outcome", outcome)
                    .register(metrics)
                    .record(Duration.ofNanos(System.nanoTime() - started));
        }

        void refuse(int status, @Nullable String why) {
            respond(status, "text/plain; charset=utf-8", Buffer.buffer(why + "\n"));
        }

        private void respond(int status, String contentType, Buffer content) {
            if (answered) {
                return;
            }
            end();
            connections.answered(channel(request), status == 200, isFirstVersion(request));
            boolean last = isFirstVersion(request) && isLast();
            if (last) {
                request.response().putHeader("Connection", "close");
            }
            request.response()
                    .setStatusCode(status)
                    .putHeader("Content-Type", contentType)
                    .end(content);
            if (last) {
                hangUp();
            }
        }

        /**
         * Whether nothing is read from the connection after this request: the rest of a body that nobody wants is not
         * waited for; and of one in chunks it cannot be seen that it declared another length, too, which somebody between
         * may have believed (RFC 9112, 6.1).
         */
        private boolean isLast() {
            return !request.isEnded() || request.getHeader("Transfer-Encoding") != null;
        }

        /** Ends the connection when the request has ended, or does not soon; what comes until then is dropped. */
        private void hangUp() {
            HttpConnection connection = request.connection();
            Channel channel = channel(request);
            if (request.isEnded()) {
                connection.close();
                return;
            }
            long end = vertx.setTimer(limits.farewell().toMillis(), id -> Connections.cut(channel));
            connection.closeHandler(closed -> vertx.cancelTimer(end));
            request.handler(dropped -> {}).endHandler(ended -> connection.close());
        }

        private void end() {
            if (!answered) {
                answered = true;
                vertx.cancelTimer(timer);
                load.ended(this, body.length());
                body = Buffer.buffer();
            }
        }
    }
}
