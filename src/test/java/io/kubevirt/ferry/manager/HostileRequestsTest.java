package io.kubevirt.ferry.manager;

import static io.kubevirt.ferry.manager.RawConnection.head;
import static io.kubevirt.ferry.manager.RawConnection.length;
import static io.kubevirt.ferry.manager.RawConnection.request;
import static io.kubevirt.ferry.manager.ServerUnderTest.LONG;
import static io.kubevirt.ferry.manager.ServerUnderTest.REVIEW;
import static io.kubevirt.ferry.manager.ServerUnderTest.SMALL;
import static io.kubevirt.ferry.manager.ServerUnderTest.small;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.time.Duration;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** What is no right request of HTTP is refused with 4xx, or ends the connection, and leaves nothing behind. */
class HostileRequestsTest {
    private static final String CHUNKED = "Transfer-Encoding: chunked\r\n";
    private static final String IN_CHUNKS = Integer.toHexString(REVIEW.length()) + "\r\n" + REVIEW + "\r\n0\r\n\r\n";

    private final ServerUnderTest server = new ServerUnderTest(SMALL);

    @AfterEach
    void stop() {
        server.close();
    }

    private void assertUnharmed() {
        server.assertServes();
        server.assertRests();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "POST /allows HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}",
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
            })
    void withoutTlsNothingIsServed(String request) {
        assertThat(server.connectPlainly().send(request).rest()).doesNotContain("HTTP/", "webhook");
        assertUnharmed();
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1", "TLSv1.1"})
    void oldTlsIsRefused(String protocol) throws Exception {
        try (SSLSocket socket = (SSLSocket)
                Trust.in(server.certificate()).getSocketFactory().createSocket("localhost", server.port())) {
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setProtocols(new String[] {protocol});
            socket.setSSLParameters(parameters);
            assertThatThrownBy(socket::startHandshake).isInstanceOf(IOException.class);
        }
        assertUnharmed();
    }

    @Test
    void whoExpectsToBeToldToGoOnIsTold() {
        RawConnection connection =
                server.connect().post("/allows", length(REVIEW.length()) + "Expect: 100-continue\r\n");

        assertThat(connection.status()).isEqualTo(100);
        assertThat(connection.send(REVIEW).status()).isEqualTo(200);
    }

    @Test
    void whoExpectsToSendTooMuchIsToldSoAtOnce() {
        RawConnection connection =
                server.connect().post("/allows", length(SMALL.body() + 1) + "Expect: 100-continue\r\n");

        assertThat(connection.status()).isEqualTo(413);
        assertThat(connection.rest()).doesNotContain("HTTP/");
        assertUnharmed();
    }

    @Test
    void aBodyShorterThanDeclaredGets504AndTheConnectionEnds() {
        try (ServerUnderTest impatient = new ServerUnderTest(small(Duration.ofSeconds(1), LONG, LONG))) {
            RawConnection connection =
                    impatient.connect().post("/allows", length(1_000)).send(REVIEW);

            assertThat(connection.status()).isEqualTo(504);
            assertThat(connection.rest()).doesNotContain("HTTP/");
            impatient.assertServes();
            impatient.assertRests();
        }
    }

    @Test
    void whatABodyHasMoreThanDeclaredIsNoRequest() {
        RawConnection connection =
                server.connect().post("/allows", length(REVIEW.length())).send(REVIEW + "}\r\n\r\n");

        assertThat(connection.status()).isEqualTo(200);
        assertThat(connection.status()).isIn(400, -1);
        assertThat(connection.rest()).doesNotContain("HTTP/");
        assertUnharmed();
    }

    @Test
    void aBodyCutShortByItsOwnLengthIsNoReview() {
        RawConnection connection = server.connect().post("/allows", length(10)).send(REVIEW + "\r\n\r\n");

        assertThat(connection.status()).isEqualTo(400);
        assertThat(connection.status()).isIn(400, -1);
        assertThat(connection.rest()).doesNotContain("HTTP/");
        assertUnharmed();
    }

    /** Where the body ends cannot be known, and so not where the next request begins. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: -1\r\n",
                "Content-Length: x\r\n",
                "Content-Length: +5\r\n",
                "Content-Length: 5 5\r\n",
                "Content-Length: 0x5\r\n",
                "Content-Length: 5, 6\r\n",
                "Content-Length: 5\r\nContent-Length: 6\r\n",
                "Content-Length: 99999999999999999999\r\n",
                "Content-Length: 9223372036854775807\r\n",
                "Transfer-Encoding: chunked, chunked\r\n",
                "Transfer-Encoding: gzip, chunked\r\n",
                "Transfer-Encoding: gzip\r\n",
                "Transfer-Encoding: xchunked\r\n",
                "Transfer-Encoding : chunked\r\n",
                "Transfer-Encoding: gzip\r\nContent-Length: 5\r\n"
            })
    void aLengthThatIsNoneIsRefusedAndTheConnectionEnds(String headers) {
        RawConnection connection = server.connect().send(head("/allows", headers) + IN_CHUNKS + request("/allows"));

        assertThat(connection.status()).isIn(400, 413, -1);
        assertThat(connection.rest()).doesNotContain("HTTP/");
        assertUnharmed();
    }

    /** Somebody between who believes the length would take what follows for part of this request, or the other way round. */
    @ParameterizedTest
    @ValueSource(ints = {0, 5, 500})
    void withALengthAndChunksTheConnectionEndsWithTheAnswer(int length) {
        RawConnection connection =
                server.connect().send(head("/allows", length(length) + CHUNKED) + IN_CHUNKS + request("/allows"));

        assertThat(connection.status()).isIn(200, 400);
        assertThat(connection.rest()).doesNotContain("HTTP/");
        assertUnharmed();
    }

    @ParameterizedTest
    @ValueSource(strings = {"zzz\r\n", "-5\r\n", "ffffffffffffffff\r\n", "5\r\nhello5\r\n", "5;", "\r\n"})
    void chunksThatAreNoneEndTheConnection(String chunk) {
        RawConnection connection =
                server.connect().sendInto(head("/allows", CHUNKED) + chunk + "hello\r\n0\r\n\r\n".repeat(3_000));

        assertThat(connection.status()).isIn(400, 413, -1);
        assertUnharmed();
    }

    @Test
    void chunksThatNeverEndAreCutAtTheLimit() {
        RawConnection connection = server.connect().post("/allows", CHUNKED);
        connection.sendOn("1000\r\n" + " ".repeat(0x1000) + "\r\n");

        assertThat(connection.status()).isEqualTo(413);
        connection.rest();
        assertUnharmed();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GARBAGE\r\n\r\n",
                "POST /allows\r\n\r\n",
                "POST /allows HTTP/9.9\r\n\r\n",
                "POST /allows HTTP/1.1\r\n: x\r\n\r\n",
                "POST /allows HTTP/1.1\r\nX: \0\r\n\r\n",
                "POST /allows HTTP/1.1\r\nX\r\n\r\n"
            })
    void whatIsNoHeadIsRefusedAndTheConnectionEnds(String head) {
        RawConnection connection = server.connect().send(head);

        assertThat(connection.status()).isIn(400, 415, 505, -1);
        assertUnharmed();
    }

    @Test
    void aHeadWithoutEndIsCutAtTheLimit() {
        for (String part : new String[] {"x", "x: y\r\n"}) {
            RawConnection connection = server.connect().send("POST /allows HTTP/1.1\r\n" + part);
            connection.sendOn(part.repeat(500));

            assertThat(connection.status()).isEqualTo(431);
            connection.rest();
        }
        assertUnharmed();
    }

    @Test
    void aFloodOfWhatIsNoReviewIsNoFloodInTheLog() {
        var logger = (ch.qos.logback.classic.Logger) LoggerFactory.getLogger(WebhookServer.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            RawConnection connection = server.connect();
            for (int i = 0; i < 500; i++) {
                assertThat(connection.post("/allows", length(2)).send("{}").status())
                        .isEqualTo(400);
            }
        } finally {
            logger.detachAppender(lines);
        }

        assertThat(lines.list).hasSizeBetween(1, 50);
    }
}
