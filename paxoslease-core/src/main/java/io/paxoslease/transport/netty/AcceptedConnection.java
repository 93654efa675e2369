package io.paxoslease.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.MalformedFrameException;
import io.paxoslease.transport.Rejection;
import org.jspecify.annotations.Nullable;

/** A connection that a peer made to this node. */
final class AcceptedConnection extends Connection {

    private @Nullable PeerLink link;
    private boolean over;

    AcceptedConnection(Links links) {
        super(links);
    }

    @Override
    void handshake(ChannelHandlerContext context, int type, ByteBuf body) {
        if (over) {
            return;
        }
        if (type != Frames.HELLO) {
            throw new MalformedFrameException("a connection starts with a hello");
        }
        Hello hello = Frames.readHello(body);
        Rejection rejection = judgeCertificate(context, hello.from()); // first: the others tell of the cell
        if (rejection == null) {
            rejection = links.judge(hello);
            links.met(hello);
        }
        if (rejection != null) {
            reject(context, links.explained(rejection, hello.from()));
        } else {
            welcome(context, hello);
        }
    }

    private void welcome(ChannelHandlerContext context, Hello hello) {
        sendHello(context, Frames.WELCOME, links.identity.helloTo(hello.from()));
        readyFor(hello.from());
        links.log.well(remoteHost(context));
        links.entrance().introduced(this);
        link = links.peer(hello.from());
        link.takenReady(this, hello.bootId());
    }

    @Override
    void refused(ChannelHandlerContext context, String why) {
        over = true;
        links.log.warn(remoteHost(context), refusal(), why);
    }

    @Override
    String refusing(ChannelHandlerContext context) {
        return "refused %s: ".formatted(remoteHost(context));
    }

    @Override
    void answered(long nanos) {
        if (link != null) {
            link.answered(nanos);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (link != null) {
            link.takenClosed(this);
        }
    }
}
