package io.kubevirt.ferry.testbed;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The way from a client to the API server, which can be cut: bytes are carried as they are, or not at all. */
public final class Cable implements AutoCloseable {
    private final ServerSocket listener;
    private final int target;
    private final Set<Socket> ends = ConcurrentHashMap.newKeySet();
    private volatile boolean cut;

    private Cable(ServerSocket listener, int target) {
        this.listener = listener;
        this.target = target;
    }

    /** A cable to a port of this machine. */
    public static Cable to(int port) {
        try {
            Cable cable = new Cable(new ServerSocket(0, 64, InetAddress.getLoopbackAddress()), port);
            Thread.ofVirtual().start(cable::accept);
            return cable;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** Ends every connection; new ones are accepted and never answered. */
    public void cut() {
        cut = true;
        ends.forEach(Cable::close);
        ends.clear();
    }

    /** New connections go through again; those that were made meanwhile end. */
    public void mend() {
        cut = false;
        ends.forEach(Cable::close);
        ends.clear();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                ends.add(client);
                if (!cut) {
                    Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                    ends.add(server);
                    Thread.ofVirtual().start(() -> carry(client, server));
                    Thread.ofVirtual().start(() -> carry(server, client));
                }
            } catch (IOException e) {
                // The listener was closed, or the other side is gone: the client sees its connection end.
            }
        }
    }

    private void carry(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // One of the two has ended.
        } finally {
            close(from);
            close(to);
            ends.remove(from);
            ends.remove(to);
        }
    }

    private static void close(Closeable end) {
        try {
            end.close();
        } catch (IOException e) {
            // It is closed.
        }
    }

    @Override
    public void close() {
        close(listener);
        ends.forEach(Cable::close);
    }
}
