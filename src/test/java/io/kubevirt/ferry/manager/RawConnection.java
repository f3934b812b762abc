package io.kubevirt.ferry.manager;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A connection on which anything can be sent as if it were HTTP/1.1. */
record RawConnection(Socket socket, BufferedReader answers) implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 60_000;
    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] (\\d{3}) .*");

    /** In TLS with our own CA. */
    static RawConnection secure(ServingCertificate certificate, int port) throws IOException {
        return over(Trust.in(certificate).getSocketFactory().createSocket("localhost", port));
    }

    static RawConnection over(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(PATIENCE_MILLIS);
        return new RawConnection(
                socket, new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8)));
    }

    /** Sends a text, or as much of it as the other side takes before it hangs up. */
    RawConnection sendInto(String text) {
        try {
            return send(text);
        } catch (UncheckedIOException e) {
            return this;
        }
    }

    /**
     * Sends a text.
     *
     * @throws UncheckedIOException if the other side has hung up
     */
    RawConnection send(String text) {
        try {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends this again and again until the other side hangs up, whatever it answers. */
    Thread sendOn(String text) {
        return Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    send(text);
                    // The pace of who sends, which nobody waits for.
                    Thread.sleep(10);
                }
            } catch (UncheckedIOException | InterruptedException e) {
                // As it should be.
            }
        });
    }

    /** The head of a POST of JSON, with more headers. */
    RawConnection post(String path, String headers) {
        return send(head(path, headers));
    }

    static String head(String path, String headers) {
        return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + headers + "\r\n";
    }

    static String length(int length) {
        return "Content-Length: " + length + "\r\n";
    }

    /** A whole right request. */
    static String request(String path) {
        return head(path, length(ServerUnderTest.REVIEW.length())) + ServerUnderTest.REVIEW;
    }

    RawConnection review(String path) {
        return send(request(path));
    }

    /** The number in the next status line; -1 where the connection ends instead. */
    int status() {
        return nextStatus().orElse(-1);
    }

    private OptionalInt nextStatus() {
        Optional<String> line = line();
        while (line.isPresent()) {
            Matcher status = STATUS.matcher(line.get());
            // A body may end without a line end, before the next status line.
            if (status.find()) {
                return OptionalInt.of(Integer.parseInt(status.group(1)));
            }
            line = line();
        }
        return OptionalInt.empty();
    }

    private Optional<String> line() {
        try {
            return Optional.ofNullable(answers.readLine());
        } catch (SocketTimeoutException e) {
            throw new AssertionError("neither an answer nor the end of the connection in a minute", e);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** All that comes until the other side hangs up, which it must. */
    String rest() {
        StringBuilder rest = new StringBuilder();
        for (Optional<String> line = line(); line.isPresent(); line = line()) {
            rest.append(line.get()).append('\n');
        }
        return rest.toString();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
