package io.kubevirt.ferry.manager;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;

/**
 * Ends a connection of HTTP/1 whose peer is too many requests ahead of the answers that it has read: Vert.x keeps them all,
 * in a list through which it goes for each. No API server sends a request before it has the answer to the last.
 */
final class SentAhead extends ChannelDuplexHandler {
    private final int limit;
    private int ahead;

    SentAhead(int limit) {
        this.limit = limit;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof HttpRequest && ++ahead == limit + 1) {
            Connections.cut(context.channel());
        }
        if (ahead > limit) {
            ReferenceCountUtil.release(message);
        } else {
            context.fireChannelRead(message);
        }
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        boolean interim = message instanceof HttpResponse response
                && response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
        if (message instanceof LastHttpContent && !interim) {
            var _ = context.write(message, promise.unvoid().addListener(sent -> ahead--));
        } else {
            var _ = context.write(message, promise);
        }
    }
}
