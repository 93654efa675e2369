package io.paxoslease.node;

import io.paxoslease.protocol.Reading;

/**
 * When a lease ends, by both clocks: numbers that only grow, so that a thread that reads one before and one after an extension has
 * what the lease had: each of the two bounds is one that a majority agreed to. Numbers, because a renewal that left a reference from
 * an old object to a new one would cost the garbage collector more than all the rest of it. The node's thread moves it, any reads it.
 */
final class LeaseEnd {

    /** Of one lease only. */
    static final long OF_ONE = 0;

    /** Of a lease that has been released or lost: of no list, so that nothing is taken from it. */
    static final LeaseEnd OVER = new LeaseEnd(-1);

    /** How much less than the time the wall clock may show, as {@link Reading#mayHaveReachedByWallClock} has it. */
    private static final long WALL_GRAIN_MICROS = 1_000;

    private final long list;
    private volatile long untilNanos;
    private volatile long lastWallMicros;

    private LeaseEnd(Reading end, long list) {
        this.list = list;
        this.untilNanos = end.moment().nanos();
        this.lastWallMicros = end.wallMicros() - WALL_GRAIN_MICROS;
    }

    private LeaseEnd(long list) {
        this.list = list;
    }

    static LeaseEnd of(Reading end) {
        return new LeaseEnd(end, OF_ONE);
    }

    /** The end of all leases that follow it, those of the list of that number, which is above zero. */
    static LeaseEnd of(long list, Reading end) {
        return new LeaseEnd(end, list);
    }

    /** The list whose leases have it; nothing that is said of one lease may move such an end. */
    long list() {
        return list;
    }

    long untilNanos() {
        return untilNanos;
    }

    /** Before the wall clock shows that, it has not reached the end. */
    long lastWallMicros() {
        return lastWallMicros;
    }

    /** Whether neither clock's end comes earlier by it; if so, that is the end from now on. */
    boolean moves(Reading later) {
        long wall = later.wallMicros() - WALL_GRAIN_MICROS;
        if (later.moment().nanos() - untilNanos < 0 || wall < lastWallMicros) {
            return false;
        }
        untilNanos = later.moment().nanos();
        lastWallMicros = wall;
        return true;
    }
}
