package io.paxoslease.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.transport.CellMembers;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.MalformedFrameException;
import io.paxoslease.transport.Rejection;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;

/** A connection that a client made to a contact point: it asks who the members are, and closes. */
final class ContactConnection extends Connection {

    private final String address;
    private final CompletableFuture<ContactPoints.Contact> answer;

    /**
     * @param point as it is configured: with TLS, its certificate must be made out to this host
     * @param address the same, and where that leads to, for people
     * @param answer completed on the event loop when the connection closes, or before
     */
    ContactConnection(
            TransportContext transport,
            InetSocketAddress point,
            String address,
            CompletableFuture<ContactPoints.Contact> answer) {
        super(transport, point);
        this.address = address;
        this.answer = answer;
    }

    @Override
    void secured() {
        sendHello(Frames.CONTACT, transport.introduction(transport.identity.self()));
    }

    @Override
    void handshake(int type, ByteBuf body) {
        switch (type) {
            case Frames.REJECT -> rejected(Frames.readRejection(body, transport.identity.versions()));
            case Frames.MEMBERS -> told(Frames.readMembers(body, transport.identity.versions()));
            default -> throw new MalformedFrameException("the members were expected");
        }
    }

    private void rejected(Rejection rejection) {
        refuseAndClose(
                ConnectionRefusal.BY_PEER,
                "contact point %s refused this client: %s".formatted(address, rejection.text()));
    }

    private void told(CellMembers members) {
        Rejection rejection = judgeCertificate(members.teller().from());
        if (rejection == null) {
            String cell = members.teller().config().cell();
            String own = transport.identity.config().cell();
            rejection = cell.equals(own)
                    ? null
                    : new Rejection(
                            ConnectionRefusal.CELL,
                            "it is of cell '%s', and this client of cell '%s': correct the contact points, or the cell"
                                    .formatted(cell, own));
        }
        if (rejection != null) {
            refuseAndClose(rejection);
            return;
        }
        transport.log.well(address);
        answer.complete(new ContactPoints.Contact(address, members, null, null));
        breakOff();
        close();
    }

    @Override
    String refusing() {
        return "contact point %s is refused: ".formatted(address);
    }

    @Override
    String subject() {
        return address;
    }

    @Override
    void answered(long nanos) {}

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        String problem = problem();
        answer.complete(new ContactPoints.Contact(
                address,
                null,
                problem != null
                        ? problem
                        : "contact point %s closed the connection without an answer: it is stopping, is no member, is of a release that knows no clients, or TLS is set up on one of the two sides only"
                                .formatted(address),
                refusal()));
    }
}
