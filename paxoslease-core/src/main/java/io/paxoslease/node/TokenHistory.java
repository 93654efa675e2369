package io.paxoslease.node;

import io.paxoslease.protocol.Moment;
import java.lang.management.ManagementFactory;

/**
 * When an acceptor lost its memory at the latest (A0): at the start of the process, unless the same node has lived in
 * this process before; then when that life ended. Kept in system properties, which class loaders share.
 */
public final class RestartHistory {

    private static final String PREFIX = "io.paxoslease.life.";
    private static final String ALIVE = "alive";

    private static final String COUNTER_PREFIX = "io.paxoslease.counter.";

    private final String key;
    private final String counterKey;

    public RestartHistory(String cell, String nodeId) {
        this.key = PREFIX + cell + "/" + nodeId;
        this.counterKey = COUNTER_PREFIX + cell + "/" + nodeId;
    }

    /** When the memory of any earlier life was lost at the latest. */
    public Moment memoryLostAt(Moment now) {
        String last = System.getProperty(key);
        if (last == null) {
            long uptimeMillis = ManagementFactory.getRuntimeMXBean().getUptime();
            return now.plusNanos(-uptimeMillis * 1_000_000);
        }
        return last.equals(ALIVE) ? now : new Moment(Long.parseLong(last));
    }

    /** Whether an earlier life may have gone on after that moment, from which a quarantine was counted. */
    public boolean mayHaveLivedSince(Moment counted, Moment now) {
        return System.getProperty(key) != null && counted.isBefore(memoryLostAt(now));
    }

    /** This life has begun to answer. */
    public void begin() {
        System.setProperty(key, ALIVE);
    }

    /**
     * The highest ballot counter that a life of this node in this process has noted; zero when none has. A cell of one has
     * nobody else who remembers it: a life that begins within the wall clock's grain would give out a fencing token again.
     */
    public long highestToken() {
        return Long.parseLong(System.getProperty(counterKey, "0"));
    }

    /** Ballot counters up to this one have been used. */
    public void used(long counter) {
        System.setProperty(counterKey, Long.toString(Math.max(counter, highestToken())));
    }

    /** This life has ended: nothing of it is answered after that moment. */
    public void end(Moment now) {
        System.setProperty(key, Long.toString(now.nanos()));
    }
}
