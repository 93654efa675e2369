package io.paxoslease.transport.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/** Resolves a peer's name, afresh each time, and connects; one attempt at a time. */
final class Dialer {

    private static final int CONNECT_MILLIS = 2_000;

    private final TransportContext transport;
    private final PeerLink link;
    private final InetSocketAddress address;
    private boolean dialing;

    Dialer(TransportContext transport, PeerLink link, InetSocketAddress address) {
        this.transport = transport;
        this.link = link;
        this.address = address;
    }

    /** Does nothing while an attempt is under way. */
    void dial() {
        if (dialing) {
            return;
        }
        dialing = true;
        try {
            CompletableFuture.supplyAsync(() -> transport.resolver.apply(address), transport.lookUps)
                    .whenComplete((resolved, failure) ->
                            transport.loop.execute(() -> connectTo(resolved == null ? address : resolved)));
        } catch (RejectedExecutionException closed) {
            dialing = false;
        } catch (Error failure) { // without a thread for the look-up
            failed(failure);
        }
    }

    private void failed(Throwable failure) {
        dialing = false;
        link.dialFailed(
                "cannot reach peer '%s' at %s (%s); trying again".formatted(link.id(), link.configured(), failure));
    }

    private void connectTo(InetSocketAddress resolved) {
        try {
            tryToConnectTo(resolved);
        } catch (RuntimeException | Error failure) {
            failed(failure);
        }
    }

    private void tryToConnectTo(InetSocketAddress resolved) {
        if (transport.isClosing()) {
            return;
        }
        if (resolved.isUnresolved()) {
            dialing = false;
            link.dialFailed("host '%s' of peer '%s' does not resolve: check its address in the peers; trying again"
                    .formatted(address.getHostString(), link.id()));
            return;
        }
        new Bootstrap()
                .group(transport.loop)
                .channel(transport.sockets.client())
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, TransportContext.WATER_MARK)
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        new OutboundConnection(transport, link).equip(channel);
                    }
                })
                .connect(resolved)
                .addListener(done -> {
                    dialing = false;
                    if (!done.isSuccess()) {
                        link.dialFailed("cannot reach peer '%s' at %s (%s); trying again"
                                .formatted(link.id(), link.configured(), reason(done.cause())));
                    }
                });
    }

    /** Netty repeats the address in the message; the part before it says what happened. */
    private static String reason(Throwable cause) {
        String text = Sockets.withoutCall(String.valueOf(cause.getMessage()));
        int end = text.indexOf(": ");
        return end > 0 ? text.substring(0, end) : text;
    }
}
