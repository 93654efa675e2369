package io.paxoslease.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.MalformedFrameException;
import io.paxoslease.transport.Rejection;
import java.util.EnumSet;
import java.util.Set;

/** A connection that this node made to a peer. */
final class OutboundConnection extends Connection {

    /** What follows from them is not the same: another node at the address, as after a move, or no room for this client. */
    private static final Set<ConnectionRefusal> TOLD_AS_THEY_ARE =
            EnumSet.of(ConnectionRefusal.WRONG_NODE, ConnectionRefusal.BUSY, ConnectionRefusal.CLIENTS_REFUSED);

    private final PeerLink link;
    /** When the peer was told which process this node has met last. */
    private long introducedAt;

    OutboundConnection(TransportContext transport, PeerLink link) {
        super(transport, link.dialer.address);
        this.link = link;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        link.outboundOpened(this);
        super.channelActive(context);
    }

    /** A node that shows the certificate of another one is told nothing. */
    @Override
    void secured() {
        Rejection rejection = judgeCertificate(link.id);
        if (rejection == null) {
            introducedAt = transport.loop.ticker().nanoTime();
            sendHello(Frames.HELLO, transport.introduction(link.id));
        } else {
            refuseAndClose(rejection);
        }
    }

    @Override
    void handshake(int type, ByteBuf body) {
        switch (type) {
            case Frames.REJECT -> rejected(Frames.readRejection(body, transport.identity.versions()));
            case Frames.WELCOME -> welcomed(Frames.readHello(body, transport.identity.versions()));
            default -> throw new MalformedFrameException("a welcome was expected");
        }
    }

    private void rejected(Rejection rejection) {
        Rejection.Refuser refuser = rejection.refuser();
        if (refuser != null && refuser.hello().from().equals(link.id)) {
            transport.met(refuser.hello());
        }
        if (rejection.reason() == ConnectionRefusal.DUPLICATE_NODE && !transport.identity.isClient()) {
            transport
                    .receiver()
                    .otherLife(link.id, 0); // A0: the peer is connected to another process with this node's id
        }
        refuseAndClose(refusal(rejection), "peer '%s' refused this node: %s".formatted(link.id, rejection.text()));
    }

    private void welcomed(Hello hello) {
        boolean isThePeer = hello.from().equals(link.id);
        Rejection rejection = transport.admission.judge(hello);
        if (rejection == null && isThePeer) {
            transport.heardOfLastBoot(hello);
            rejection = link.judge(hello, introducedAt);
        }
        if (rejection != null) {
            if (isThePeer) {
                transport.met(hello);
            }
            refuseAndClose(rejection);
        } else if (!isThePeer) {
            refuseAndClose(
                    ConnectionRefusal.WRONG_NODE,
                    "'%s' answers at %s, the address of peer '%s': correct the peers"
                            .formatted(hello.from(), link.configured(), link.id));
        } else {
            readyFor(hello);
            if (transport.identity.isClient()) {
                liveness.becomeClients();
            }
            transport.addresses.reached(link.id, link.dialer.address);
            link.outboundReady(this, hello);
            members.tellNews();
        }
    }

    private static ConnectionRefusal refusal(Rejection rejection) {
        ConnectionRefusal reason = rejection.reason();
        if (TOLD_AS_THEY_ARE.contains(reason)) {
            return reason;
        }
        Rejection.Refuser refuser = rejection.refuser();
        return refuser != null && refuser.serves() ? ConnectionRefusal.BY_SERVING_PEER : ConnectionRefusal.BY_PEER;
    }

    @Override
    String refusing() {
        return "peer '%s' at %s is refused: ".formatted(link.id, host());
    }

    /** A member may have so many clients that this one shall come back at any moment within some time. */
    @Override
    void fromMember(int type, NodeId from, ByteBuf body) {
        if (type == Frames.SPREAD && transport.identity.isClient()) {
            link.dialer.spreadOver(Frames.readSpread(body));
        } else {
            super.fromMember(type, from, body);
        }
    }

    @Override
    void answered(long nanos) {
        link.answered(nanos);
    }

    /** Logged also while the other connection stands in for this one. */
    @Override
    String subject() {
        return link.asCalled();
    }

    /** As a peer does that ends, or that expects TLS, or does not. */
    private String unexplained() {
        return "peer '%s' closed the connection before it introduced itself: it is stopping, has too many connections on their way, no node listens at its address,"
                        .formatted(link.id)
                + " or TLS is set up on one of the two nodes only; trying again";
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        String problem = problem();
        link.outboundClosed(this, problem == null && !isIntroduced() ? unexplained() : problem, refusal());
        if (!isIntroduced()) {
            link.dialer.tryElsewhere();
        }
    }
}
