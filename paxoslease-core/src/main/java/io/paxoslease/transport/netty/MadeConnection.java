package io.paxoslease.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.paxoslease.ConnectionRefusal;
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
        if (tls() == null) {
            sayHello(context);
        }
        context.fireChannelActive();
    }

    /** Who shows the certificate of another node is told nothing. */
    @Override
    void secured(ChannelHandlerContext context) {
        Rejection rejection = judgeCertificate(context, link.id());
        if (rejection == null) {
            sayHello(context);
        } else {
            refuse(context, Refusals.of(rejection.reason()), refusing(context) + rejection.text());
            context.close();
        }
    }

    private void sayHello(ChannelHandlerContext context) {
        sendHello(context, Frames.HELLO, links.identity.helloTo(link.id()));
    }

    @Override
    void handshake(ChannelHandlerContext context, int type, ByteBuf body) {
        if (problem != null) {
            return;
        }
        if (type == Frames.REJECT) {
            Rejection rejection = Frames.readRejection(body);
            Rejection.Refuser refuser = rejection.refuser();
            if (refuser != null && refuser.hello().from().equals(link.id())) {
                links.met(refuser.hello());
            }
            refuse(
                    context,
                    refusal(rejection),
                    "peer '%s' refused this node: %s".formatted(link.id(), rejection.text()));
            context.close();
            return;
        }
        if (type != Frames.WELCOME) {
            throw new MalformedFrameException("a welcome was expected");
        }
        Hello hello = Frames.readHello(body);
        Rejection rejection = links.judge(hello);
        if (rejection != null) {
            if (hello.from().equals(link.id())) {
                links.met(hello);
            }
            refuse(context, Refusals.of(rejection.reason()), refusing(context) + rejection.text());
            context.close();
            return;
        }
        if (!hello.from().equals(link.id())) {
            refuse(
                    context,
                    ConnectionRefusal.WRONG_NODE,
                    "'%s' answers at the address of peer '%s': correct the peers".formatted(hello.from(), link.id()));
            context.close();
            return;
        }
        readyFor(hello.from());
        link.madeReady(this, hello.bootId());
    }

    private static ConnectionRefusal refusal(Rejection rejection) {
        if (rejection.reason() == Rejection.Reason.WRONG_NODE) { // at its address, as after a move
            return ConnectionRefusal.WRONG_NODE;
        }
        Rejection.Refuser refuser = rejection.refuser();
        return refuser != null && refuser.serves() ? ConnectionRefusal.BY_SERVING_PEER : ConnectionRefusal.BY_PEER;
    }

    @Override
    String refusing(ChannelHandlerContext context) {
        return "peer '%s' at %s is refused: ".formatted(link.id(), remoteHost(context));
    }

    @Override
    String calledHost() {
        return link.host();
    }

    @Override
    void answered(long nanos) {
        link.answered(nanos);
    }

    @Override
    void refused(ChannelHandlerContext context, String why) {
        problem = why;
        links.log.warn(link.asCalled(), refusal(), why); // also while the other connection stands in for this one
    }

    /** As a peer does that ends, or that expects TLS, or does not. */
    private String unexplained() {
        return "peer '%s' closed the connection before it introduced itself: it ends, nobody is behind its address,"
                        .formatted(link.id())
                + " or TLS is set up on one of the two nodes only (paxoslease.ssl.bundle); trying again";
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        link.madeClosed(this, problem == null && !introduced() ? unexplained() : problem, refusal());
    }
}
