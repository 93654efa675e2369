package io.paxoslease.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.timeout.IdleStateHandler;
import io.paxoslease.transport.Frames;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Watches that the other end of a connection is there, and how far it is. Members ping each other every second and end a silence of four
 * seconds. A client pings when it has heard nothing for about ten seconds, and either side ends a silence of thirty. On the event loop.
 */
final class Liveness {

    /** Between members. */
    static final int SILENCE_SECONDS = 4;

    private static final int PROBE_SECONDS = 2;
    private static final long CLIENTS_SILENCE_MILLIS = 30_000;
    /** In how many parts a client waits so long. */
    private static final int SILENCES = 3;

    private static final WriteBufferWaterMark CLIENTS_WATER_MARK = new WriteBufferWaterMark(16 * 1_024, 64 * 1_024);

    private static final long NOT_PINGED = -1;
    /** Before the silence ends the connection: an answer is dropped when the other side cannot send. */
    private static final long LOST_NANOS = 2_500_000_000L;

    /** An answer may be dropped, so it is asked again. */
    private static final int LOOKS_FOR_A_PING = 25;

    private final Connection connection;
    private long pingedAtNanos = NOT_PINGED;
    private boolean ofClient;
    /** How the client at the other end is read; null when there is none. */
    private @Nullable ClientReading reading;

    private int pings;
    /** An answer may be missing, none comes before the ping that it answers. */
    private int answers;
    /** How many pings had been sent when all had been written that is to be read; zero: that was not asked. */
    private int pingsThen;
    /** Until it is asked again. */
    private int looks;

    private int answersThen;

    private int heard;
    private int silences;

    Liveness(Connection connection) {
        this.connection = connection;
    }

    private long now() {
        return connection.transport.loop.ticker().nanoTime();
    }

    private boolean isClient() {
        return connection.transport.identity.isClient();
    }

    /** Whether one of the two ends is a client. */
    boolean isOfClient() {
        return ofClient;
    }

    /** One of the two ends is a client. Less may wait to be read, as there are many of them. */
    void becomeClients() {
        ofClient = true;
        connection.channel().config().setWriteBufferWaterMark(CLIENTS_WATER_MARK);
        long millis = CLIENTS_SILENCE_MILLIS;
        if (isClient()) { // not all at once
            long part = CLIENTS_SILENCE_MILLIS / SILENCES;
            millis = ThreadLocalRandom.current().nextLong(part - part / 5, part + part / 5);
            ClientReading.boundBuffer(connection.channel(), false);
        } else {
            reading = new ClientReading(connection);
            reading.begin();
        }
        IdleStateHandler idle = new IdleStateHandler(millis, 0, 0, TimeUnit.MILLISECONDS);
        connection.channel().pipeline().replace(IdleStateHandler.class, null, idle);
    }

    /** How the client at the other end is read; null when there is none. */
    @Nullable
    ClientReading reading() {
        return reading;
    }

    /** A frame has come. */
    void heard() {
        heard++;
    }

    /** @param first whether something came since the last silence */
    void silent(boolean first) {
        silences = first ? 1 : silences + 1;
        if (reading != null && reading.isPaused()) {
            return;
        }
        if (ofClient && isClient() && silences < SILENCES) {
            ping();
        } else {
            connection.close();
        }
    }

    /** Measures how long an answer takes, unless one is still owed. */
    void ping() {
        long now = now();
        boolean isOwed = pingedAtNanos != NOT_PINGED && now - pingedAtNanos < LOST_NANOS;
        if (connection.isReady() && !isOwed && sendPing()) {
            pingedAtNanos = now;
        }
    }

    private boolean sendPing() {
        return connection.sendIfWritable(this::addPing);
    }

    /** Asks the other end to say when it has read what was written before. */
    void addPing(ByteBuf out) {
        Frames.writeEmpty(out, Frames.PING);
        pings++;
    }

    /** How long the answer to the last ping took; negative when nothing was asked. */
    long answered() {
        long pingedAt = pingedAtNanos;
        pingedAtNanos = NOT_PINGED;
        answers++;
        return pingedAt == NOT_PINGED ? -1 : Math.max(0, now() - pingedAt);
    }

    /** The same after releases, which count as what is to be read, also if it was asked before whether all has been. */
    void addPingAfterReleases(ByteBuf out) {
        addPing(out);
        if (pingsThen > 0) {
            pingsThen = pings;
        }
    }

    /**
     * Whether the other end has read all that was written before the first call, and all releases: it is asked in that one, and in some later ones. A member answers a
     * client once it has taken all that came before. One answer does for one that was dropped before, so while answers come, the next one is asked for at once.
     */
    boolean hasReadAll() {
        if (pingsThen > 0 && answers >= pingsThen) {
            return true;
        }
        boolean isDue = looks == 0 || answers != answersThen;
        answersThen = answers;
        if (isDue && sendPing()) {
            looks = LOOKS_FOR_A_PING;
            pingsThen = pingsThen == 0 ? pings : pingsThen;
        } else {
            looks = Math.max(0, looks - 1);
        }
        return false;
    }

    /** How many answers are to come until all is read: fewer from one call to the next show that the other end reads. */
    int unanswered() {
        return (pingsThen == 0 ? pings : pingsThen) - answers;
    }

    /** Closes the connection in two seconds, unless something comes until then. */
    void closeUnlessAnswered() {
        int before = heard;
        ping();
        connection.transport.loop.schedule(
                connection.transport.guarded(() -> {
                    if (heard == before) {
                        connection.close();
                    }
                }),
                PROBE_SECONDS,
                TimeUnit.SECONDS);
    }
}
