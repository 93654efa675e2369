package io.paxoslease.protocol.flease;

import java.util.random.RandomGenerator;

/** How long a proposer waits. All times in nanoseconds. */
final class Waits {

    private static final long MILLI = 1_000_000;
    /** Whoever asks once waits so long for the holder's word, and for the release that may follow from it. */
    static final long TIME_TO_HEAR = 50 * MILLI;

    /** Hints may be lost: whoever waits asks again after this at the latest. */
    static final long LONGEST_WAIT = 10_000 * MILLI;

    private static final int PHASES_PER_LEASE = 8;
    private static final long SHORTEST_PHASE = 20 * MILLI;
    private static final long LONGEST_PHASE = 1_000 * MILLI;
    private static final long SHORTEST_RETRY = 25 * MILLI;
    private static final long LONGEST_RETRY = 500 * MILLI;
    private static final long LONGEST_FREE_JITTER = 5 * MILLI;
    private static final long TURN = 2 * MILLI;
    private static final int MAX_DOUBLINGS = 10;

    private final RandomGenerator random;

    Waits(RandomGenerator random) {
        this.random = random;
    }

    /** How long to wait for a majority in one phase before the attempt is abandoned. */
    static long phase(long leaseNanos) {
        return Math.max(SHORTEST_PHASE, Math.min(LONGEST_PHASE, leaseNanos / PHASES_PER_LEASE));
    }

    /** No majority answered: doubling, half of it random. */
    long afterSilence(int failures, long leaseNanos) {
        long longest = Math.max(SHORTEST_RETRY, Math.min(LONGEST_RETRY, leaseNanos / 4));
        long wait = Math.min(longest, SHORTEST_RETRY << Math.min(failures, MAX_DOUBLINGS));
        return wait / 2 + random.nextLong(wait / 2 + 1);
    }

    /** Others' rounds came first: doubling, all of it random, so that duels end. */
    long afterDuel(int failures, long leaseNanos) {
        long longest = Math.max(MILLI, leaseNanos / PHASES_PER_LEASE);
        return 1 + random.nextLong(Math.min(longest, MILLI << Math.min(failures, MAX_DOUBLINGS)));
    }

    /** Another holds it for that long: until then, and a little more, so that waiters spread out. */
    long untilFree(long nanos, long leaseNanos) {
        long jitter = random.nextLong(Math.min(LONGEST_FREE_JITTER, Math.max(MILLI, leaseNanos / 50)));
        return Math.max(0, Math.min(nanos, LONGEST_WAIT)) + 1 + jitter;
    }

    /** A hint said that the lease is free: at once for who waited longest, one short turn later for each next one. */
    long afterRelease(int ahead) {
        return ahead <= 0 ? 0 : ahead * TURN + random.nextLong(MILLI);
    }

    /** Somebody can be reached again: soon, but not all resources at one instant. */
    long afterReachable() {
        return random.nextLong(MILLI);
    }
}
