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
    private boolean handedOver;

    AcceptedConnection(Links links) {
        super(links);
    }

    @Override
    void handshake(ChannelHandlerContext context, int type, ByteBuf body) {
        if (over) {
            return;
        }
        if (handedOver) {
            throw new MalformedFrameException("something followed the hello before it was answered");
        }
        if (type != Frames.HELLO) {
            throw new MalformedFrameException("a connection starts with a hello");
        }
        Hello hello = Frames.readHello(body);
        Rejection rejection = judgeCertificate(context, hello.from()); // first: the others tell of the cell
        if (rejection == null) {
            rejection = hello.shard() == links.identity.shard() ? links.judge(hello) : links.admission.judge(hello);
            links.met(hello);
        }
        if (rejection != null) {
            reject(context, links.explained(rejection, hello.from()));
        } else if (hello.shard() == links.identity.shard()) {
            welcome(context, hello);
        } else {
            handedOver = true;
            links.entrance().handOver(context, this, hello);
        }
    }

    /** On the loop of its shard, which nobody else has read from: it is judged anew, by what is known here. */
    void arrive(ChannelHandlerContext context, Hello hello, Links shard) {
        Links before = links;
        links = shard;
        shard.adopt(context, before);
        if (over || shard.isClosing()) {
            context.close();
            return;
        }
        watch(shard.loop, Links.HANDSHAKE_MILLIS);
        Rejection rejection = links.judge(hello);
        if (rejection == null) {
            welcome(context, hello);
        } else {
            reject(context, rejection);
        }
        context.channel().config().setAutoRead(true);
    }

    private void welcome(ChannelHandlerContext context, Hello hello) {
        sendHello(context, Frames.WELCOME, links.identity.helloTo(hello.from()));
        readyFor(hello.from());
        links.log.well(remoteHost(context));
        if (!handedOver) {
            links.entrance().introduced(this);
        }
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
