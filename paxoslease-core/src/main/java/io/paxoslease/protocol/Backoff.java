package io.paxoslease.protocol;

import java.util.random.RandomGenerator;

/** How long a proposer waits for answers, before it tries again, and before it renews (P4, P8). All times in nanoseconds. */
public final class Backoff {

    /** Hints may be lost: a proposer that waits asks again after this at the latest. */
    public static final long LONGEST_WAIT = 10_000_000_000L;

    private static final long LONGEST_UNTIL_CALLED = 600_000_000_000L;

    private static final long MILLI = 1_000_000;
    private static final int RENEWALS_PER_LEASE = 3;
    private static final int ROUNDS_PER_LEASE = 8;
    private static final long SHORTEST_ROUND = 20 * MILLI;
    private static final long LONGEST_ROUND = 1_000 * MILLI;
    private static final long SHORTEST_RETRY = 25 * MILLI;
    private static final long LONGEST_RETRY = 500 * MILLI;
    private static final long SHORTEST_DUEL = MILLI;
    private static final long LONGEST_FREE_JITTER = 5 * MILLI;
    private static final long LONGEST_APART = 1_000 * MILLI;

    private static final long TURN = 2 * MILLI;
    private static final int MAX_DOUBLINGS = 10;

    private final RandomGenerator random;

    public Backoff(RandomGenerator random) {
        this.random = random;
    }

    /** When to renew what began or was renewed then: after a third of its time, but never in the instant it began. */
    public static Moment renewal(Moment startedAt, long leaseNanos) {
        return startedAt.plusNanos(Math.max(1, leaseNanos / RENEWALS_PER_LEASE));
    }

    /** How long to wait for a majority in one round before the attempt is abandoned. */
    public static long round(long leaseNanos) {
        return Math.max(SHORTEST_ROUND, Math.min(LONGEST_ROUND, leaseNanos / ROUNDS_PER_LEASE));
    }

    /** No majority answered: doubling, half of it random. */
    public long afterSilence(int failures, long leaseNanos) {
        long longest = Math.max(SHORTEST_RETRY, Math.min(LONGEST_RETRY, leaseNanos / 4));
        return halfRandom(Math.min(longest, SHORTEST_RETRY << Math.min(failures, MAX_DOUBLINGS)));
    }

    /** No counter is right for a majority's clocks, which only setting them changes: doubling, half of it random. */
    public long afterClocksApart(int failures) {
        return halfRandom(Math.min(LONGEST_APART, SHORTEST_RETRY << Math.min(failures, MAX_DOUBLINGS)));
    }

    /** Others' ballots came first: doubling, all of it random, so that duels end. */
    public long afterDuel(int failures, long leaseNanos) {
        long longest = Math.max(SHORTEST_DUEL, leaseNanos / ROUNDS_PER_LEASE);
        return 1 + random.nextLong(Math.min(longest, SHORTEST_DUEL << Math.min(failures, MAX_DOUBLINGS)));
    }

    /** One acceptor has accepted what waited in line: how long to wait for the others. */
    public long split(int failures) {
        return SHORTEST_ROUND << Math.min(failures, 3);
    }

    /** Another holds it for that long: until then, and a little more, so that waiters spread out. */
    public long untilFree(long nanos, long leaseNanos) {
        long jitter = random.nextLong(Math.min(LONGEST_FREE_JITTER, Math.max(MILLI, leaseNanos / 50)));
        return Math.max(0, Math.min(nanos, LONGEST_WAIT)) + 1 + jitter;
    }

    /** There is no room in the queues: as long as the acceptors have said, and a little more, so that many spread out. */
    public long untilCalled(long nanos) {
        long bounded = Math.max(0, Math.min(nanos, LONGEST_UNTIL_CALLED));
        return bounded + random.nextLong(bounded / 8 + 1);
    }

    /** A hint said that the lease is free: at once for the node that has waited longest, one short turn later for each next one. */
    public long afterRelease(int ahead) {
        return ahead <= 0 ? 0 : ahead * TURN + random.nextLong(MILLI);
    }

    /** A node can be reached again: soon, but not all resources at one instant. */
    public long afterReachable() {
        return random.nextLong(MILLI);
    }

    private long halfRandom(long longest) {
        return longest / 2 + random.nextLong(longest / 2 + 1);
    }
}
