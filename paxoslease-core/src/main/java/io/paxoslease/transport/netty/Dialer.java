package io.paxoslease.transport.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import io.paxoslease.monitor.ConnectionRefusal;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Resolves a peer's name, afresh each time, and connects; one attempt at a time. */
final class Dialer {

    private static final int CONNECT_MILLIS = 2_000;
    private static final long FIRST_RETRY_MILLIS = 50;
    private static final long LONGEST_RETRY_MILLIS = 1_000;
    /** To a member that has as many clients as it admits, or admits none. */
    private static final long LONGEST_RETRY_WITHOUT_ROOM_MILLIS = 10_000;

    private static final int MAX_DOUBLINGS = 8;
    private static final int LONGEST_SPREAD_MILLIS = 60_000;

    private final TransportContext transport;
    private final PeerLink link;
    /** Where the member is called: what its certificate must be made out to. */
    InetSocketAddress address;

    private boolean dialing;
    private @Nullable ScheduledFuture<?> retry;
    /** Whether the next attempt waits for longer than this node alone would. */
    private boolean isSpread;

    private int failures;
    private int spreadMillis;

    Dialer(TransportContext transport, PeerLink link, InetSocketAddress address) {
        this.transport = transport;
        this.link = link;
        this.address = address;
    }

    /** The next failure is the first one again. */
    void connected() {
        failures = 0;
    }

    /**
     * After a failure: each wait is longer than the one before.
     *
     * @param refusal why the peer refused this node, if it did
     */
    void retryLater(@Nullable ConnectionRefusal refusal) {
        if (transport.isClosing() || retry != null) {
            return;
        }
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long longest = longestRetryMillis(failures, refusal);
        long usual = longest / 2 + random.nextLong(longest / 2 + 1);
        long spread = transport.urgent ? 0 : spreadMillis(failures, spreadMillis, random);
        failures++;
        isSpread = spread > usual;
        retryIn(Math.max(usual, spread));
    }

    private void retryIn(long millis) {
        retry = transport.loop.schedule(
                transport.guarded(() -> {
                    retry = null;
                    link.connect();
                }),
                millis,
                TimeUnit.MILLISECONDS);
    }

    /** Many nodes hear of a new member at once: this one calls it at any moment within that time. */
    void dialWithin(int millis) {
        spreadOver(millis);
        isSpread = true;
        retryIn(ThreadLocalRandom.current().nextLong(spreadMillis + 1L));
    }

    int spreadMillis() {
        return spreadMillis;
    }

    /** There is no majority without this peer any more: it is not waited for the sake of others. */
    void dialNow() {
        if (isSpread && retry != null && retry.cancel(false)) {
            isSpread = false;
            retryIn(ThreadLocalRandom.current().nextLong(LONGEST_RETRY_MILLIS));
        }
    }

    /** The member has so many clients that they shall come back over that time. */
    void spreadOver(int millis) {
        spreadMillis = Math.min(millis, LONGEST_SPREAD_MILLIS);
    }

    /** All lose their connections at once. Later on each keeps its distance to the others. */
    static long spreadMillis(int failures, int spread, RandomGenerator random) {
        return (failures == 0 ? 0 : spread / 2) + random.nextLong(spread + 1L);
    }

    /** How long to wait at most, after so many failures. Many clients may wait for room at a member, so they ask seldom. */
    static long longestRetryMillis(int failures, @Nullable ConnectionRefusal refusal) {
        boolean noRoom = refusal == ConnectionRefusal.BUSY || refusal == ConnectionRefusal.CLIENTS_REFUSED;
        long limit = noRoom ? LONGEST_RETRY_WITHOUT_ROOM_MILLIS : LONGEST_RETRY_MILLIS;
        return Math.min(limit, FIRST_RETRY_MILLIS << Math.min(failures, MAX_DOUBLINGS));
    }

    /** Does nothing while an attempt is under way. */
    void dial() {
        if (dialing) {
            return;
        }
        dialing = true;
        InetSocketAddress called = address;
        try {
            CompletableFuture.supplyAsync(() -> transport.resolver.apply(called), transport.lookUps)
                    .whenComplete((resolved, failure) -> lookedUp(resolved == null ? called : resolved));
        } catch (RejectedExecutionException closed) {
            dialing = false;
        } catch (Error failure) { // without a thread for the look-up
            failed(failure);
        }
    }

    /** On the look-up's thread: nothing else would notice that the loop did not take the task. */
    private void lookedUp(InetSocketAddress resolved) {
        try {
            transport.loop.execute(transport.guarded(() -> connectTo(resolved)));
        } catch (RejectedExecutionException closed) {
            dialing = false;
        } catch (RuntimeException | Error fault) {
            transport.failed(fault);
        }
    }

    private void failed(Object why) {
        failAttempt("cannot reach peer '%s' at %s (%s); trying again".formatted(link.id, link.configured(), why));
    }

    private void failAttempt(String problem) {
        dialing = false;
        link.dialFailed(problem);
        tryElsewhere();
    }

    /** The member was not met there: members may have told of other addresses. */
    void tryElsewhere() {
        address = transport.addresses.after(link.id, address);
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
            failAttempt("host '%s' of peer '%s' does not resolve: check its address in the peers; trying again"
                    .formatted(address.getHostString(), link.id));
            return;
        }
        connect(transport, resolved, () -> new OutboundConnection(transport, link))
                .addListener(done -> transport
                        .guarded(() -> {
                            dialing = false;
                            if (!done.isSuccess()) {
                                failed(reason(done.cause()));
                            }
                        })
                        .run());
    }

    static ChannelFuture connect(TransportContext transport, InetSocketAddress to, Supplier<Connection> connection) {
        return new Bootstrap()
                .group(transport.loop)
                .channel(transport.sockets.client())
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, TransportContext.WATER_MARK)
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        connection.get().equip(channel);
                    }
                })
                .connect(to);
    }

    /** Netty repeats the address in the message; the part before it says what happened. */
    static String reason(Throwable cause) {
        String text = Sockets.withoutCall(String.valueOf(cause.getMessage()));
        int end = text.indexOf(": ");
        return end > 0 ? text.substring(0, end) : text;
    }
}
