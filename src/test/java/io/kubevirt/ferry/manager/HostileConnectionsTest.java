package io.kubevirt.ferry.manager;

import static io.kubevirt.ferry.manager.RawConnection.length;
import static io.kubevirt.ferry.manager.RawConnection.request;
import static io.kubevirt.ferry.manager.ServerUnderTest.LONG;
import static io.kubevirt.ferry.manager.ServerUnderTest.REVIEW;
import static io.kubevirt.ferry.manager.ServerUnderTest.SMALL;
import static io.kubevirt.ferry.manager.ServerUnderTest.small;
import static io.kubevirt.ferry.testbed.Patience.PATIENCE;
import static io.kubevirt.ferry.testbed.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** However many connections others open, and however slowly they send: there is an end to it, and an honest request is answered. */
class HostileConnectionsTest {
    private static final Duration SHORT = Duration.ofMillis(500);

    /** The first bytes of a TLS handshake: a record of 512 bytes is to come, and a ClientHello in it. */
    private static final String HALF_A_HELLO = "\u0016\u0003\u0001\u0002\u0000\u0001";

    private ServerUnderTest server = new ServerUnderTest(SMALL);

    @AfterEach
    void stop() {
        server.close();
    }

    private void startWith(Limits limits) {
        server.close();
        server = new ServerUnderTest(limits);
    }

    @Test
    void aTlsHandshakeThatNeverEndsIsEnded() {
        startWith(small(LONG, SHORT, LONG));

        assertThat(server.connectPlainly().rest()).isEmpty();
        assertThat(server.connectPlainly().send(HALF_A_HELLO).rest()).isEmpty();

        eventually().until(() -> server.server().connections() == 0);
    }

    @Test
    void aConnectionWithoutARequestIsEnded() {
        startWith(small(LONG, SHORT, LONG));

        assertThat(server.connect().send("POST /all").rest()).isEmpty();

        eventually().until(() -> server.server().connections() == 0);
    }

    @Test
    void aHeadThatComesByteByByteIsNotWaitedFor() {
        startWith(small(LONG, SHORT, LONG));
        RawConnection slow = server.connect().send("POST /allows HTTP/1.1\r\nX: ");
        slow.sendOn("x");

        assertThat(slow.rest()).isEmpty();

        eventually().until(() -> server.server().connections() == 0);
    }

    @Test
    void neitherIsTheHeadOfAnotherRequest() {
        startWith(small(LONG, LONG, SHORT));
        RawConnection slow = server.connect().review("/allows");
        assertThat(slow.status()).isEqualTo(200);
        slow.send("POST /allows HTTP/1.1\r\nX: ");
        slow.sendOn("x");

        assertThat(slow.rest()).doesNotContain("HTTP/");

        eventually().until(() -> server.server().connections() == 0);
    }

    @Test
    void anIdleConnectionIsEnded() {
        startWith(small(LONG, LONG, SHORT));
        RawConnection idle = server.connect().review("/allows");
        assertThat(idle.status()).isEqualTo(200);

        assertThat(idle.rest()).doesNotContain("HTTP/");

        eventually().until(() -> server.server().connections() == 0);
    }

    @Test
    void handshakesThatNeverEndDisplaceEachOther() {
        assertDisplaceEachOther(() -> server.connectPlainly().send(HALF_A_HELLO));
    }

    @Test
    void idleConnectionsDisplaceEachOther() {
        assertDisplaceEachOther(() -> server.connect());
    }

    @Test
    void headsThatNeverEndDisplaceEachOther() {
        assertDisplaceEachOther(() -> server.connect().send("POST /allows HTTP/1.1\r\nX: "));
    }

    /** Three times as many as may be: the oldest go, who was of use before stays, who is honest comes in. */
    private void assertDisplaceEachOther(Supplier<RawConnection> opened) {
        RawConnection known = server.connect().review("/allows");
        assertThat(known.status()).isEqualTo(200);
        List<RawConnection> hostile = new ArrayList<>();
        for (int i = 0; i < 3 * SMALL.connections(); i++) {
            hostile.add(opened.get());
            assertThat(server.server().connections()).isLessThanOrEqualTo(SMALL.connections());
            if (i % 10 == 0) {
                server.assertServes();
            }
        }

        hostile.stream()
                .limit(SMALL.connections())
                .forEach(each -> assertThat(each.rest()).isEmpty());
        assertThat(known.review("/allows").status()).isEqualTo(200);
        server.assertServes();
        server.hangUp();
        eventually().until(() -> server.server().connections() == 0);
    }

    @Test
    void bodiesThatComeSlowlyGiveWayToOneThatComesAtOnce() {
        int one = SMALL.body() - 10;
        RawConnection first =
                server.connect().post("/allows", length(SMALL.body())).send(" ".repeat(one));
        RawConnection second =
                server.connect().post("/allows", length(SMALL.body())).send(" ".repeat(one));
        eventually().until(() -> server.server().bytesHeld() == 2 * one);

        server.assertServes();

        assertThat(first.status()).isEqualTo(503);
        assertThat(first.rest()).doesNotContain("HTTP/");
        assertThat(server.server().bytesHeld()).isEqualTo(one);
        assertThat(second.send(" ".repeat(10)).status()).as("the other may end").isEqualTo(400);
        server.assertRests();
    }

    @Test
    void requestsThatNeverEndGiveWayToOneThatDoes() {
        List<RawConnection> slow = IntStream.range(0, SMALL.requests())
                .mapToObj(i -> server.connect().post("/allows", length(1_000)).send("{"))
                .toList();
        eventually().until(() -> server.server().underWay() == SMALL.requests());

        server.assertServes();

        // Which came in first is the server's to say.
        eventually().until(() -> server.server().underWay() == SMALL.requests() - 1);
        server.hangUp();
        server.assertRests();
        assertThat(slow).hasSize(SMALL.requests());
    }

    @Test
    void whereAllWaitForVerdictsOneMoreIsRefused() {
        List<RawConnection> waiting = IntStream.range(0, SMALL.requests())
                .mapToObj(i -> server.connect().review("/waits"))
                .toList();
        eventually().until(() -> server.server().underWay() == SMALL.requests());

        assertThat(server.connect().review("/allows").status()).isEqualTo(503);
        server.release();

        assertThat(waiting).extracting(RawConnection::status).containsOnly(200);
        server.assertServes();
        server.assertRests();
    }

    @Test
    void aFewRequestsSentAheadAreAnsweredOneAfterTheOther() {
        RawConnection ahead = server.connect().send(request("/waits").repeat(SMALL.ahead()));
        eventually().until(() -> server.server().underWay() == 1);

        server.assertServes();
        assertThat(server.server().underWay()).isEqualTo(1);
        server.release();

        assertThat(IntStream.range(0, SMALL.ahead()).map(i -> ahead.status())).containsOnly(200);
        assertThat(ahead.review("/allows").status()).isEqualTo(200);
        server.assertRests();
    }

    @Test
    void oneMoreSentAheadEndsTheConnection() {
        RawConnection ahead = server.connect().send(request("/waits").repeat(SMALL.ahead() + 1));

        assertThat(ahead.rest()).isEmpty();

        server.assertServes();
        server.assertRests();
    }

    /** Their answers would pile up. */
    @Test
    void requestsWhoseAnswersNobodyReadsEndTheConnection() throws Exception {
        Thread sender = server.connect().sendOn(request("/allows").repeat(1_000));

        assertThat(sender.join(PATIENCE)).isTrue();

        server.assertServes();
        server.assertRests();
    }

    @Test
    void aFloodOfStreamsOnOneConnectionIsAnsweredAndLeavesRoomForOthers() {
        int streams = 100;
        startWith(Limits.answeringWithin(LONG));
        try (HttpClient client = HttpClient.newBuilder()
                .sslContext(Trust.in(server.certificate()))
                .build()) {
            HttpRequest request = HttpRequest.newBuilder(URI.create("https://localhost:" + server.port() + "/waits"))
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofString(REVIEW))
                    .build();
            // The connection is made by one, that the others find it.
            Stream<CompletableFuture<HttpResponse<String>>> first =
                    Stream.of(client.sendAsync(request, BodyHandlers.ofString()));
            eventually().until(() -> server.server().underWay() == 1);
            List<CompletableFuture<HttpResponse<String>>> flood = Stream.concat(
                            first,
                            IntStream.range(0, 500).mapToObj(i -> client.sendAsync(request, BodyHandlers.ofString())))
                    .toList();
            eventually()
                    .until(() -> server.server().underWay() == streams
                            || flood.stream().anyMatch(CompletableFuture::isDone));

            assertThat(server.server().underWay()).isLessThanOrEqualTo(streams);
            server.assertServes();
            server.release();
            // A client opens no more streams than it may; those beyond fail in it or wait.
            flood.forEach(answer -> answer.handle((response, failure) -> response != null ? response.statusCode() : 0)
                    .thenAccept(status -> assertThat(status).isIn(200, 0))
                    .join());
        }
        server.assertServes();
        server.assertRests();
    }
}
