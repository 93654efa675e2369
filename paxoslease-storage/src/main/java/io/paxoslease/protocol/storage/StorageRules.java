package io.paxoslease.protocol.storage;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Timing;

/**
 * The form of a lease in shared storage and its times, in nanoseconds of the local clock. A wait is the time that it is to
 * cover on any other clock, multiplied by gamma. Immutable.
 *
 * <p>All deadlines count from before the access that puts the stamp into the register began: a client that sees a stamp knows that
 * its owner's authority ends within the stamp's lease time from then on, however long the owner takes to hear of it.
 *
 * @param timing the longest lease, and rho
 * @param accessNanos delta: an access that takes as long or longer counts as failed
 * @param compares whether stamps are written by compare-and-set
 * @param confirmsRenewals whether a renewal reads before and after, as in the eventual model; it does not matter where stamps are
 *     written by compare-and-set
 * @param tokensAbove the sequence numbers that this client writes are above it; 0: above those that it has seen
 */
public record StorageRules(
        Timing timing, long accessNanos, boolean compares, boolean confirmsRenewals, long tokensAbove) {

    private static final long MIN_POLL_NANOS = 20_000_000;
    private static final long TIES = 1L << 16;
    private static final long MIX = 0x9e3779b97f4a7c15L;

    /** For a store that has never gone back. */
    public StorageRules(Timing timing, long accessNanos, boolean compares, boolean confirmsRenewals) {
        this(timing, accessNanos, compares, confirmsRenewals, 0);
    }

    /** A reader always does: others' stamps may have come between, and the next one has to be above them. */
    boolean confirmsRenewals(boolean shared) {
        return !compares && (confirmsRenewals || shared);
    }

    /** M. */
    long maxLeaseNanos() {
        return timing.maxLeaseNanos();
    }

    /** After how long an access that began has had its effect, or will never have it, as long as delta is kept. */
    long boundNanos() {
        return timing.exclusionNanos(accessNanos);
    }

    /**
     * How long to wait after a write before the read that decides. A client that was allowed to write by a read that did not see this
     * stamp has written by then: from the beginning of such a read to the end of its write takes less.
     */
    long settleNanos() {
        return 2 * boundNanos();
    }

    /**
     * How long a stamp must have been seen, unchanged, until no client holds the lease by it. A renewal by writing may begin just
     * before the end, and takes an access to be seen; of readers, who may be ordered otherwise than they were seen, two. An access
     * of its owner's, or of a reader who has yet to see it: of their bounds the longer one counts.
     */
    long patienceNanos(Stamp stamp) {
        long exclusion = timing.exclusionNanos(stamp.leaseNanos());
        if (compares && stamp.compares()) {
            return exclusion;
        }
        long bound = Math.max(boundNanos(), timing.exclusionNanos(stamp.accessNanos()));
        return exclusion + (stamp.isShared() ? 2 * bound : bound);
    }

    /**
     * A sequence number above that one. Where stamps are written and not compared, two clients can come to number theirs alike: the low bits
     * are the client's, so they differ but for one chance in {@value #TIES}, and tell apart two who hold because the bound was broken.
     */
    long sequenceAbove(long highest, Incarnation client) {
        if (compares) {
            return highest + 1;
        }
        long tie = Long.hashCode((client.high() ^ Long.rotateLeft(client.low(), 32)) * MIX) & (TIES - 1);
        return (round(highest) + 1) * TIES + tie;
    }

    /** The part of a sequence number that orders the writes of clients that have seen each other's. */
    long round(long sequence) {
        return compares ? sequence : sequence / TIES;
    }

    /** How long a lease may still be held by what a store has lost. */
    long longestPatienceNanos() {
        return timing.exclusionNanos(timing.maxLeaseNanos()) + (compares ? 0 : 2 * boundNanos());
    }

    /** Whether its owner writes as this client does, so that each can rely on what the other does. */
    boolean agreeWith(Stamp stamp) {
        return compares == stamp.compares() && (compares || accessNanos == stamp.accessNanos());
    }

    /** Readers share; but those whose longest lease is another are waited for: a writer would not wait long enough. */
    boolean joins(Stamp stamp) {
        return stamp.isShared() && stamp.leaseNanos() == maxLeaseNanos() && agreeWith(stamp);
    }

    /** Whether the two hold with the same readers. */
    boolean share(Stamp own, Stamp found) {
        return own.isShared() && joins(found) && own.readers().equals(found.readers());
    }

    /** How long it takes at most from the beginning of a write until it is known to have decided. */
    long decidingNanos() {
        return compares ? accessNanos : 2 * accessNanos + settleNanos();
    }

    /** The shortest lease that can be renewed in time when every access takes delta. */
    public long shortestLeaseNanos(boolean shared) {
        if (compares) {
            return 4 * accessNanos;
        }
        return confirmsRenewals(shared)
                ? decidingNanos() + accessNanos + decidingNanos()
                : decidingNanos() + 2 * accessNanos;
    }

    /** When to look again at a lease that is held: at least so much later. */
    long shortestPollNanos() {
        return Math.max(MIN_POLL_NANOS, accessNanos / 4);
    }

    /** At most so much later. */
    long longestPollNanos() {
        return 2 * shortestPollNanos();
    }
}
