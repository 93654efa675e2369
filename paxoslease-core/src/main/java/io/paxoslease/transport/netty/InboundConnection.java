package io.paxoslease.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.transport.CellMembers;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.MalformedFrameException;
import io.paxoslease.transport.Rejection;
import org.jspecify.annotations.Nullable;

/** A connection that a peer made to this node. */
final class InboundConnection extends Connection {

    private final PeerLinks links;
    private final Runnable introduced;
    private @Nullable NodeId member;
    /** The member's process that has not shown yet that it has read the answer; null: it has, or is none. */
    private @Nullable Incarnation welcomed;

    private @Nullable NodeId client;
    private int toldSpreadMillis;

    /** @param introduced is run when the handshake is complete */
    InboundConnection(TransportContext transport, PeerLinks links, Runnable introduced) {
        super(transport, null);
        this.links = links;
        this.introduced = introduced;
    }

    @Override
    void handshake(int type, ByteBuf body) {
        if (type != Frames.HELLO && type != Frames.CONTACT) {
            throw new MalformedFrameException("a connection starts with a hello");
        }
        Hello hello = Frames.readHello(body, transport.identity.versions());
        if (type == Frames.CONTACT) {
            contacted(hello);
            return;
        }
        Rejection rejection = hello.role() == Hello.Role.CLIENT ? judgeClient(hello) : judgeMember(hello);
        if (rejection != null) {
            reject(transport.explained(rejection, hello.from()));
        } else {
            welcome(hello);
        }
    }

    private @Nullable Rejection judgeMember(Hello hello) {
        Rejection rejection = judgeCertificate(hello.from()); // first: the others tell of the cell
        if (rejection == null) {
            rejection = transport.admission.judge(hello);
            if (rejection == null) {
                transport.heardOfLastBoot(hello);
                rejection = links.judge(hello);
            }
            transport.met(hello);
        }
        return rejection;
    }

    /** A certificate of the CA will do, unless it names other clients. What a client runs is no configuration that could grant anything. */
    private @Nullable Rejection judgeClient(Hello hello) {
        Rejection rejection = transport.admission.judge(hello);
        if (rejection == null && links.isConnected(hello.from())) {
            return ClientLinks.ofMember(hello.from());
        }
        return rejection == null ? links.clients.judge(this, hello) : rejection;
    }

    /** What its certificate says of the client; null without TLS. */
    @Nullable
    ClientCertificate clientCertificate(NodeId id) {
        SslHandler handler = channel().pipeline().get(SslHandler.class);
        return handler == null
                ? null
                : ClientCertificate.of(handler, transport.identity.config().cell(), id);
    }

    /** It is told who the members are, and comes back for the rest. */
    private void contacted(Hello hello) {
        if (hello.role() != Hello.Role.CLIENT) {
            throw new MalformedFrameException("only clients ask who the members are");
        }
        Rejection rejection = transport.admission.judgeContact(hello);
        if (rejection == null) {
            rejection = links.clients.refusalOfAll(tls);
        }
        if (rejection != null) {
            reject(rejection);
            return;
        }
        breakOff();
        Hello own = transport.helloTo(hello.from());
        sendLast(out -> Frames.writeMembers(out, new CellMembers(own, transport.addresses.all())));
    }

    private void welcome(Hello hello) {
        boolean isClient = hello.role() == Hello.Role.CLIENT;
        if (isClient) { // counted before it hears of it
            client = hello.from();
            links.clients.admit(this, hello);
        }
        sendHello(Frames.WELCOME, transport.welcome(hello));
        readyFor(hello);
        transport.log.well(subject());
        introduced.run();
        if (isClient) {
            liveness.becomeClients();
            tellSpread(links.clients.spreadMillis());
        } else {
            member = hello.from();
            welcomed = hello.bootId();
            links.admit(this, hello);
        }
        members.tellNews();
    }

    /** Tells the client over how long all clients shall come back, when that has doubled or halved. */
    void tellSpread(int millis) {
        boolean isNews = millis >= 2 * toldSpreadMillis || 2 * millis <= toldSpreadMillis;
        if (isNews
                && millis != toldSpreadMillis
                && isReady()
                && sendIfWritable(out -> Frames.writeSpread(out, millis))) {
            toldSpreadMillis = millis;
        }
    }

    @Override
    String subject() {
        return Sockets.source(channel());
    }

    @Override
    void warn(ConnectionRefusal reason, String why) {
        transport.log.warnOfHost(subject(), reason, why);
    }

    @Override
    String refusing() {
        return "refused %s: ".formatted(host());
    }

    /** A member sends nothing before it has read the answer. */
    @Override
    void heard() {
        super.heard();
        if (member != null && welcomed != null) {
            transport.boots.told(member, welcomed);
            welcomed = null;
        }
    }

    @Override
    void answered(long nanos) {
        PeerLink link = member == null ? null : links.find(member);
        if (link != null) {
            link.answered(nanos);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (member != null) {
            links.closed(this, member);
        }
        if (client != null) {
            links.clients.closed(this, client);
        }
        ClientReading reading = liveness.reading();
        if (reading != null) {
            reading.end();
        }
    }
}
