package io.paxoslease.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.MalformedFrameException;
import io.paxoslease.transport.Rejection;
import org.jspecify.annotations.Nullable;

/** A connection that this node made to a peer. */
final class MadeConnection extends Connection {

    private final PeerLink link;
    private @Nullable String problem;

    MadeConnection(Links links, PeerLink link) {
        super(links);
        this.link = link;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        link.making(this);
        sendHello(context, Frames.HELLO, links.identity.helloTo(link.id()));
        context.fireChannelActive();
    }

    @Override
    void handshake(ChannelHandlerContext context, int type, ByteBuf body) {
        if (problem != null) {
            return;
        }
        if (type == Frames.REJECT) {
            Rejection rejection = Frames.readRejection(body);
            refused(context, "peer '%s' refused this node: %s".formatted(link.id(), rejection.text()));
            context.close();
            return;
        }
        if (type != Frames.WELCOME) {
            throw new MalformedFrameException("a welcome was expected");
        }
        Hello hello = Frames.readHello(body);
        Rejection rejection = links.judge(hello);
        if (rejection != null) {
            refused(
                    context,
                    "peer '%s' at %s is refused: %s".formatted(link.id(), remoteHost(context), rejection.text()));
            context.close();
            return;
        }
        if (!hello.from().equals(link.id())) {
            refused(
                    context,
                    "'%s' answers at the address of peer '%s': correct the peers".formatted(hello.from(), link.id()));
            context.close();
            return;
        }
        readyFor(hello.from());
        link.madeReady(hello.bootId());
    }

    @Override
    void refused(ChannelHandlerContext context, String why) {
        problem = why;
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        link.madeClosed(this, problem);
    }
}
