package io.paxoslease.transport.netty;

/** How long the answer to a ping takes. On the event loop. */
final class RoundTrip {

    private static final long NOT_PINGED = -1;
    /** Before the silence ends the connection: an answer is dropped when the other side cannot send. */
    private static final long LOST_NANOS = 2_500_000_000L;

    private long pingedAtNanos = NOT_PINGED;

    /** Whether an answer may come yet. */
    boolean isOwed(long nowNanos) {
        return pingedAtNanos != NOT_PINGED && nowNanos - pingedAtNanos < LOST_NANOS;
    }

    void begin(long nowNanos) {
        pingedAtNanos = nowNanos;
    }

    /** How long it took; negative when nothing was asked. */
    long end(long nowNanos) {
        long pingedAt = pingedAtNanos;
        pingedAtNanos = NOT_PINGED;
        return pingedAt == NOT_PINGED ? -1 : Math.max(0, nowNanos - pingedAt);
    }
}
