package io.kubevirt.ferry.testbed;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Stands for a Service in front of webhooks: each new connection goes to the next of its endpoints, in turn. What flows
 * is not looked into; a connection ends when either side ends it.
 */
public final class ServiceStandIn implements AutoCloseable {
    /** A connection of a client, and ours to an endpoint. */
    private record Link(int port, Socket client, Socket endpoint) {}

    private final ServerSocket server;
    private final List<Integer> endpoints = new CopyOnWriteArrayList<>();
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final AtomicInteger turn = new AtomicInteger();

    private ServiceStandIn(ServerSocket server) {
        this.server = server;
    }

    /** Starts to listen; a connection is closed at once as long as there is no endpoint. */
    public static ServiceStandIn start() {
        try {
            ServiceStandIn service = new ServiceStandIn(new ServerSocket(0, 128, InetAddress.getLoopbackAddress()));
            Thread.ofVirtual().name("service").start(service::accept);
            return service;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where it is reached. */
    public URI url() {
        return URI.create("https://127.0.0.1:" + server.getLocalPort());
    }

    /** Sends connections there from now on: the replica on this port is ready. */
    public void add(int port) {
        endpoints.add(port);
    }

    /** Sends no new connection there; those that are there stay. */
    public void remove(int port) {
        endpoints.remove(Integer.valueOf(port));
    }

    /** How many connections go there now. */
    public long connectionsTo(int port) {
        return links.stream().filter(link -> link.port() == port).count();
    }

    private void accept() {
        try {
            while (!server.isClosed()) {
                Socket client = server.accept();
                Thread.ofVirtual().start(() -> serve(client));
            }
        } catch (IOException e) {
            // Closed by close().
        }
    }

    private void serve(Socket client) {
        try (client) {
            List<Integer> now = List.copyOf(endpoints);
            if (now.isEmpty()) {
                return;
            }
            int port = now.get(Math.floorMod(turn.getAndIncrement(), now.size()));
            try (Socket endpoint = new Socket(InetAddress.getLoopbackAddress(), port)) {
                Link link = new Link(port, client, endpoint);
                links.add(link);
                Thread.ofVirtual().start(() -> pump(client, endpoint));
                pump(endpoint, client);
                links.remove(link);
            }
        } catch (IOException e) {
            // The client sees its connection closed, as it would see one that was refused.
        }
    }

    /** Until one side ends, which ends both. */
    private static void pump(Socket from, Socket to) {
        try (from;
                to) {
            long ignored = from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // The other direction has closed them, or the peer is gone.
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Link link : links) {
            link.client().close();
        }
    }
}
