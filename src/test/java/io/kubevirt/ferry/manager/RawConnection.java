package io.kubevirt.ferry.manager;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;

/** A connection on which anything can be sent as if it were HTTP/1.1. */
record RawConnection(Socket socket, BufferedReader answers) implements AutoCloseable {
    /** In TLS with our own CA. */
    static RawConnection secure(ServingCertificate certificate, int port) throws IOException {
        return over(Trust.in(certificate).getSocketFactory().createSocket("localhost", port));
    }

    static RawConnection over(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        return new RawConnection(
                socket, new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8)));
    }

    RawConnection send(String text) {
        try {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The head of a POST of JSON, with more headers. */
    RawConnection post(String path, String headers) {
        return send("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + headers
                + "\r\n");
    }

    /** The number in the next status line; -1 where the connection ends instead. */
    int status() {
        try {
            String line = answers.readLine();
            while (line != null && !line.startsWith("HTTP/1.1 ")) {
                line = answers.readLine();
            }
            return line == null ? -1 : Integer.parseInt(line.substring(9, 12));
        } catch (IOException e) {
            return -1;
        }
    }

    /** All that comes until the connection ends. */
    String rest() {
        return answers.lines().collect(Collectors.joining("\n"));
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
