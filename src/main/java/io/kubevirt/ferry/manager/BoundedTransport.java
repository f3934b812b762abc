package io.kubevirt.ferry.manager;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.impl.VertxBuilder;
import io.vertx.core.impl.transports.JDKTransport;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Vert.x' transport, with a bound on the connections of a port. It has none itself, and tells of a connection only when
 * its TLS handshake is over: whoever never ends that would not be seen.
 */
final class BoundedTransport extends JDKTransport {
    private final Map<Integer, Connections> bounds = new ConcurrentHashMap<>();

    /** A Vert.x on this transport. */
    Vertx vertx() {
        return new VertxBuilder(new VertxOptions()).findTransport(this).init().vertx();
    }

    /** From now on this is the bound of a port that is listened to. */
    void bound(int port, Connections connections) {
        bounds.put(port, connections);
    }

    @Override
    public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
        return domainSocket ? super.serverChannelFactory(true) : Listening::new;
    }

    private final class Listening extends NioServerSocketChannel {
        @Override
        protected int doReadMessages(List<Object> accepted) throws Exception {
            int before = accepted.size();
            int count = super.doReadMessages(accepted);
            Connections bound = bounds.get(localAddress().getPort());
            if (bound == null) {
                return count;
            }
            for (int i = accepted.size() - 1; i >= before; i--) {
                Channel channel = (Channel) accepted.get(i);
                if (!bound.admit(channel)) {
                    accepted.remove(i);
                    channel.unsafe().closeForcibly();
                }
            }
            return count;
        }
    }
}
