package io.paxoslease.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.MalformedFrameException;
import io.paxoslease.transport.Rejection;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/** One connection, from its handshake on. Bytes that are no frame of the protocol close it. */
abstract class Connection extends SimpleChannelInboundHandler<ByteBuf> implements TlsReader.Pace {

    /** For everything: TLS, and the introduction. */
    static final long HANDSHAKE_MILLIS = 3_000;

    final TransportContext transport;

    /** The set-up that it was made with; null without TLS. */
    final @Nullable TlsSetup tls;

    final Liveness liveness = new Liveness(this);
    final Releases releases = new Releases(this::channel, liveness::addPingAfterReleases);
    final FrameReader frames = new FrameReader(this::takes);
    private final HandshakeBytes beforehand = new HandshakeBytes(this);
    final MemberFrames members = new MemberFrames(this);
    /** What this node called, as it is configured: a certificate must be made out to this host. Null when it was called. */
    final @Nullable InetSocketAddress called;

    private @Nullable ChannelHandlerContext handlerContext;
    private @Nullable NodeId peer;
    private List<Message> inbox = new ArrayList<>();
    private boolean broken;
    /** Its place, and perhaps its id, is another's. */
    private boolean replaced;

    private @Nullable ConnectionRefusal refusal;
    private @Nullable String problem;

    Connection(TransportContext transport, @Nullable InetSocketAddress called) {
        this.transport = transport;
        this.called = called;
        this.tls = transport.security.tls();
    }

    /** A frame that came before the handshake was complete. */
    abstract void handshake(int type, ByteBuf body);

    /** The other end, as the log tells faults apart. */
    abstract String subject();

    /** The other end, and that it is refused, for a sentence that goes on with why. */
    abstract String refusing();

    /** The connection is open, and its TLS handshake is complete. */
    void secured() {}

    /** The answer to a ping took that long. */
    abstract void answered(long nanos);

    void equip(Channel channel) {
        ChannelPipeline pipeline = channel.pipeline().addLast(beforehand);
        if (tls != null) {
            SSLEngine engine = called == null ? tls.accepting() : tls.connecting(called);
            pipeline.addLast(new TlsReader(engine, transport.tlsTasks, channel, frames, this));
        }
        pipeline.addLast(frames)
                .addLast(new IdleStateHandler(Liveness.SILENCE_SECONDS, 0, 0))
                .addLast(this)
                .addLast(new FaultHandler(this));
        transport.open.add(channel);
        transport.loop.schedule(transport.guarded(this::timedOut), HANDSHAKE_MILLIS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        handlerContext = context;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        if (tls == null) {
            secured();
        }
        context.fireChannelActive();
    }

    private ChannelHandlerContext context() {
        return Objects.requireNonNull(handlerContext, "not in a pipeline yet");
    }

    Channel channel() {
        return context().channel();
    }

    void close() {
        channel().close();
    }

    /** Why it was refused, by either side; null when it was not. */
    @Nullable
    ConnectionRefusal refusal() {
        return refusal;
    }

    /** Why it was refused, in words; null when it was not. */
    @Nullable
    String problem() {
        return problem;
    }

    /** What follows a fault in the same read is not heard. */
    void breakOff() {
        broken = true;
    }

    /**
     * Another connection has its place, perhaps of another process: nothing more is handed on that comes over this one, or has come, however long its
     * channel takes to close.
     */
    void replace() {
        breakOff();
        replaced = true;
    }

    void replaceAndClose() {
        replace();
        close();
    }

    /** Whether the handshake is complete and the connection open. */
    boolean isReady() {
        return isIntroduced() && channel().isActive();
    }

    boolean isIntroduced() {
        return peer != null;
    }

    void readyFor(Hello hello) {
        peer = hello.from();
        members.introduced(hello);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
        if (broken || refusal != null) {
            return;
        }
        if (!frame.isReadable()) {
            throw new MalformedFrameException("a frame is empty");
        }
        int type = frame.readUnsignedByte();
        if (peer == null) {
            handshake(type, frame);
            return;
        }
        switch (type) {
            case Frames.MESSAGES -> readMessages(frame);
            case Frames.PING, Frames.PONG -> pinged(type, frame);
            default -> fromMember(type, peer, frame);
        }
        heard();
    }

    /** A frame of a peer that has been introduced. */
    void heard() {
        liveness.heard();
    }

    @Override
    public boolean takes() {
        ClientReading reading = liveness.reading();
        return reading == null || reading.takes();
    }

    @Override
    public void tookRecord(boolean isSilent) {
        ClientReading reading = liveness.reading();
        if (reading != null) {
            reading.tookRecord(isSilent);
        } else if (!isIntroduced()) {
            beforehand.tookRecord(isSilent);
        }
    }

    private void readMessages(ByteBuf frame) {
        ClientReading reading = liveness.reading();
        if (reading == null) {
            inbox.addAll(Frames.readMessages(frame, transport.identity.others()));
        } else {
            reading.read(frame, inbox);
        }
    }

    /** What has come and is not handed on yet. */
    List<Message> inbox() {
        return inbox;
    }

    void fromMember(int type, NodeId from, ByteBuf body) {
        members.read(type, from, body);
    }

    private void pinged(int type, ByteBuf body) {
        if (body.isReadable()) {
            throw new MalformedFrameException("a frame of type " + type + " has a body");
        }
        ClientReading reading = liveness.reading();
        if (reading != null) {
            reading.spend(RequestBudget.REQUEST);
        }
        if (type == Frames.PING) {
            sendIfWritable(out -> Frames.writeEmpty(out, Frames.PONG));
            return;
        }
        long nanos = liveness.answered();
        if (nanos >= 0) {
            answered(nanos);
        }
    }

    /** Everything that one read brought is handled in one batch, and answered with one flush. */
    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        deliver();
        ClientReading reading = liveness.reading();
        if (reading != null) {
            reading.endTurn();
        }
        context.fireChannelReadComplete();
    }

    void deliver() {
        if (!inbox.isEmpty() && peer != null) {
            List<Message> batch = inbox;
            inbox = new ArrayList<>();
            if (!replaced) {
                transport.receiver().received(peer, batch);
            }
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
        if (event instanceof IdleStateEvent idle && isReady()) {
            liveness.silent(idle.isFirst());
        } else if (event instanceof SslHandshakeCompletionEvent shaken && shaken.isSuccess()) {
            TlsSetup.completed(context.pipeline().get(SslHandler.class));
            secured();
        }
        super.userEventTriggered(context, event);
    }

    private void timedOut() {
        if (channel().isOpen() && !isReady()) {
            giveUp(
                    ConnectionRefusal.HANDSHAKE_TIMEOUT,
                    "it was silent: no HELLO came within %d ms".formatted(HANDSHAKE_MILLIS));
        }
    }

    /** Refuses it, and closes it without waiting: TLS would first finish its own tasks, and keep the place for seconds. */
    void giveUp(ConnectionRefusal reason, String why) {
        if (channel().isOpen()) {
            refuse(reason, refusing() + why);
        }
        ChannelHandlerContext first = channel().pipeline().firstContext();
        if (first == null) {
            close();
        } else {
            first.close();
        }
    }

    /** Counts it, once, and says why. */
    private void refuse(ConnectionRefusal reason, String why) {
        if (refusal == null) {
            refusal = reason;
            problem = why;
            transport.security.count(reason);
            warn(reason, why);
        }
    }

    void warn(ConnectionRefusal reason, String why) {
        transport.log.warn(subject(), reason, why);
    }

    void refuseAndClose(ConnectionRefusal reason, String why) {
        refuse(reason, why);
        context().close();
    }

    void refuseAndClose(Rejection rejection) {
        refuseAndClose(rejection.reason(), refusing() + rejection.text());
    }

    /** Tells the other side why, says so here, and closes. */
    void reject(Rejection rejection) {
        refuseWith(rejection.reason(), refusing() + rejection.text(), rejection);
    }

    /** The same when the two sides are told different things. */
    void refuseWith(ConnectionRefusal reason, String why, Rejection told) {
        refuse(reason, why);
        sendLast(out -> Frames.writeRejection(out, told));
    }

    /** Why the certificate of the node at the other end is not that node's; null when it is, or need not be. */
    @Nullable
    Rejection judgeCertificate(NodeId id) {
        SslHandler handler = context().pipeline().get(SslHandler.class);
        return tls == null || handler == null
                ? null
                : tls.judge(handler, transport.identity.config().cell(), id);
    }

    void sendHello(int type, Hello hello) {
        context().writeAndFlush(frame(out -> Frames.writeHello(out, type, hello)));
    }

    /** Sends a frame that may as well be lost, unless the other end is slow: then it is false. */
    boolean sendIfWritable(Consumer<ByteBuf> writer) {
        if (!channel().isWritable()) {
            return false;
        }
        context().writeAndFlush(frame(writer), context().voidPromise());
        return true;
    }

    void sendLast(Consumer<ByteBuf> writer) {
        context().writeAndFlush(frame(writer)).addListener(ChannelFutureListener.CLOSE);
    }

    private ByteBuf frame(Consumer<ByteBuf> writer) {
        ByteBuf out = context().alloc().ioBuffer();
        writer.accept(out);
        return out;
    }

    String host() {
        return Sockets.host(channel());
    }
}
