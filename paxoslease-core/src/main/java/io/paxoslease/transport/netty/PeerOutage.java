package io.paxoslease.transport.netty;

import io.paxoslease.protocol.Printable;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Logs that one peer cannot be reached: at INFO when that begins, and at WARN when it lasts, so that a peer that restarts is no warning and one
 * that stays away is one. Used on the event loop of one node.
 */
final class PeerOutage {

    /** Longer than most restarts of an application. */
    static final long WARN_AFTER_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Logger log;
    private final String peer;
    private final LongSupplier nanos;
    private boolean lasts;
    private boolean warned;
    private long sinceNanos;
    private long warnedAtNanos;

    /**
     * @param peer its id
     * @param nanos a monotonic clock
     */
    PeerOutage(Logger log, String peer, LongSupplier nanos) {
        this.log = log;
        this.peer = peer;
        this.nanos = nanos;
    }

    /** The connection was lost, or an attempt to connect failed. */
    void goesOn(String problem) {
        long now = nanos.getAsLong();
        if (!lasts) {
            lasts = true;
            warned = false;
            sinceNanos = now;
            log.info("{}", Printable.line(problem));
        } else if (isToBeWarnedOf(now)) {
            warned = true;
            warnedAtNanos = now;
            log.warn(
                    "peer '{}' has been away for {} s: {}. Start it, or see to the network between it and this node",
                    Printable.name(peer),
                    TimeUnit.NANOSECONDS.toSeconds(now - sinceNanos),
                    Printable.line(problem));
        } else {
            log.debug("{}", Printable.line(problem));
        }
    }

    private boolean isToBeWarnedOf(long now) {
        return warned ? now - warnedAtNanos >= RateLimitedLog.EXPIRY_NANOS : now - sinceNanos >= WARN_AFTER_NANOS;
    }

    void ends() {
        lasts = false;
    }
}
