package io.paxoslease.protocol;

import java.util.Arrays;
import java.util.random.RandomGenerator;

/** How long a proposer waits before it tries again (P4, P8). All times in nanoseconds. */
final class Backoff {

    private static final long MILLI = 1_000_000;
    private static final int RENEWALS_PER_LEASE = 3;
    private static final int ROUNDS_PER_LEASE = 8;
    private static final long SHORTEST_ROUND = 20 * MILLI;
    private static final long LONGEST_ROUND = 1_000 * MILLI;
    private static final long SHORTEST_RETRY = 25 * MILLI;
    private static final long LONGEST_RETRY = 500 * MILLI;
    private static final long SHORTEST_DUEL = MILLI;
    private static final long LONGEST_FREE_JITTER = 5 * MILLI;
    /** Hints may be lost: whoever waits asks again after this at the latest. */
    private static final long LONGEST_WAIT = 10_000 * MILLI;

    private static final long LONGEST_APART = 1_000 * MILLI;

    private static final long TURN = 2 * MILLI;
    private static final int MAX_DOUBLINGS = 10;

    private final RandomGenerator random;

    Backoff(RandomGenerator random) {
        this.random = random;
    }

    /** When to renew what the attempt began or renewed: after a third of its time, but never in the instant it began. */
    static Moment renewalOf(Attempt attempt) {
        return renewal(attempt.startedAt(), attempt.leaseNanos);
    }

    static Moment renewal(Moment startedAt, long leaseNanos) {
        return startedAt.plusNanos(Math.max(1, leaseNanos / RENEWALS_PER_LEASE));
    }

    /** How long to wait for a majority in one round before the attempt is abandoned. */
    static long round(long leaseNanos) {
        return Math.max(SHORTEST_ROUND, Math.min(LONGEST_ROUND, leaseNanos / ROUNDS_PER_LEASE));
    }

    /** No majority answered: doubling, half of it random. */
    long afterSilence(int failures, long leaseNanos) {
        long longest = Math.max(SHORTEST_RETRY, Math.min(LONGEST_RETRY, leaseNanos / 4));
        return halfRandom(Math.min(longest, SHORTEST_RETRY << Math.min(failures, MAX_DOUBLINGS)));
    }

    /** No counter is right for a majority's clocks, which only setting them changes: doubling, half of it random. */
    long afterClocksApart(int failures) {
        return halfRandom(Math.min(LONGEST_APART, SHORTEST_RETRY << Math.min(failures, MAX_DOUBLINGS)));
    }

    /** Others' ballots came first: doubling, all of it random, so that duels end. */
    long afterDuel(int failures, long leaseNanos) {
        long longest = Math.max(SHORTEST_DUEL, leaseNanos / ROUNDS_PER_LEASE);
        return 1 + random.nextLong(Math.min(longest, SHORTEST_DUEL << Math.min(failures, MAX_DOUBLINGS)));
    }

    /** One acceptor has accepted what waited in line: how long to wait for the others. */
    long split(int failures) {
        return SHORTEST_ROUND << Math.min(failures, 3);
    }

    /** Another holds it: until a majority excludes nobody any more, and a little more, so that waiters spread out. */
    long untilFree(Attempt attempt, Quorum quorum, Timing timing) {
        long[] refused = new long[attempt.no.count() + attempt.yes.count()];
        int n = 0;
        for (NodeId acceptor : quorum.acceptors()) {
            if (attempt.no.contains(acceptor)) {
                refused[n++] = attempt.heldForNanos[quorum.indexOf(acceptor)];
            } else if (attempt.yes.contains(acceptor)) {
                n++;
            }
        }
        Arrays.sort(refused);
        long free = refused[Math.min(quorum.majority(), refused.length) - 1];
        long bounded = Math.min(free, Math.min(timing.quarantineNanos(), LONGEST_WAIT));
        return bounded + 1 + random.nextLong(Math.min(LONGEST_FREE_JITTER, Math.max(MILLI, attempt.leaseNanos / 50)));
    }

    /** A hint said that the lease is free: at once for who waited longest, one short turn later for each next one. */
    long afterRelease(int ahead) {
        return ahead <= 0 ? 0 : ahead * TURN + random.nextLong(MILLI);
    }

    /** Somebody can be reached again: soon, but not all resources at one instant. */
    long afterReachable() {
        return random.nextLong(MILLI);
    }

    private long halfRandom(long longest) {
        return longest / 2 + random.nextLong(longest / 2 + 1);
    }
}
