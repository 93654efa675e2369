package io.paxoslease.protocol.storage;

import io.paxoslease.protocol.Effect.Notice;
import io.paxoslease.protocol.Effect.Notice.Level;
import io.paxoslease.protocol.Moment;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How long the store took for the latest accesses, and what to say about it. */
final class AccessTimes {

    private static final int LATEST = 512;
    private static final int MAX_OPEN = 1_024;
    private static final double MEDIAN = 0.5;
    private static final double TAIL = 0.99;
    private static final double MILLI = 1e6;

    private record Access(Moment begun, boolean writes) {}

    private final String store;
    private final long boundNanos;
    private final boolean compares;
    private final long[] latest = new long[LATEST];
    private long count;
    private long slow;
    private long near;
    private long failed;
    private @Nullable Moment lastBegun;
    private final OnceAMinute warnings = new OnceAMinute();
    private final OnceAMinute delays = new OnceAMinute();
    private final OnceAMinute alarms = new OnceAMinute();
    private final OnceAMinute outages = new OnceAMinute();
    /** People were told that it does not work, and not yet that it does again. */
    private boolean outageTold;
    /** A write failed in it: a full disk can be read. */
    private boolean endsByWrite;

    private @Nullable String trouble;

    /** Also those that are not waited for any more: how long they take is worth knowing. */
    private final Map<Long, Access> open = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Access> eldest) {
            return size() > MAX_OPEN;
        }
    };

    AccessTimes(String store, StorageRules rules) {
        this.store = store;
        this.boundNanos = rules.accessNanos();
        this.compares = rules.compares();
    }

    /** @param writes whether it changes the store */
    void begun(long access, boolean writes, Moment now) {
        open.put(access, new Access(now, writes));
        lastBegun = now;
    }

    /** No answer came within the bound; one may come yet. Answers what is to be said about it; null: nothing. */
    @Nullable
    Notice unanswered(boolean writes, Moment now) {
        return outage("no answer within %.0f ms".formatted(boundNanos / MILLI), writes, now);
    }

    /**
     * Answers what is to be said about it; null: nothing.
     *
     * @param failure why it failed; null when it did not
     */
    @Nullable
    Notice ended(long access, @Nullable String failure, Moment now) {
        Access ended = open.remove(access);
        if (ended == null) {
            return null;
        }
        long nanos = ended.begun().nanosUntil(now);
        latest[(int) (count++ % LATEST)] = nanos;
        boolean late = nanos >= boundNanos;
        boolean close = 2 * nanos > boundNanos;
        slow += late ? 1 : 0;
        near += close ? 1 : 0;
        if (failure != null) {
            failed++;
            return outage(failure, ended.writes(), now);
        }
        boolean failsToWrite = endsByWrite && !ended.writes();
        if (late || !failsToWrite) {
            trouble = late ? "an access took %.0f ms".formatted(nanos / MILLI) : null;
        }
        endsByWrite &= late || !ended.writes();
        if (late) {
            boolean isUnsafe = ended.writes() && !compares; // a second client may hold the lease
            return (isUnsafe ? alarms : delays).isDue(now) ? overrun(nanos, isUnsafe) : null;
        }
        if (outageTold && !failsToWrite) {
            outageTold = false;
            return new Notice(Level.INFO, "%s works again".formatted(store));
        }
        return close && warnings.isDue(now) ? warning(nanos) : null;
    }

    /** The first of a row of failures is told; a store that comes and goes is heard of once a minute. */
    private @Nullable Notice outage(String text, boolean writes, Moment now) {
        trouble = text;
        endsByWrite |= writes;
        if (outageTold || !outages.isDue(now)) {
            return null;
        }
        outageTold = true;
        return new Notice(
                Level.WARN,
                "An access to %s failed: %s. Leases are neither taken nor renewed while that goes on; failures are not logged again until it works"
                        .formatted(store, text));
    }

    /** A read, or a write that compares, does no harm when it is late: a slow machine at a start is no error. */
    private Notice overrun(long nanos, boolean isUnsafe) {
        return new Notice(
                isUnsafe ? Level.ERROR : Level.WARN,
                ("An access to %s took %.0f ms, and the access bound is %.0f ms: it counts as failed, and %s while this"
                                + " goes on. Find out what is slow, the store, the way to it or this machine, or raise accessBound on all clients, with all of them stopped")
                        .formatted(
                                store,
                                nanos / MILLI,
                                boundNanos / MILLI,
                                isUnsafe
                                        ? "leases in this store are not safe"
                                        : "leases are neither taken nor renewed by it"));
    }

    private Notice warning(long nanos) {
        return new Notice(
                Level.WARN,
                ("An access to %s took %.0f ms, more than half of the access bound of %.0f ms: find out what is slow, or raise"
                                + " accessBound on all clients, with all of them stopped")
                        .formatted(store, nanos / MILLI, boundNanos / MILLI));
    }

    /** Of the latest accesses; zeros when there were none. What was wrong a while ago, with nothing asked since, is not known to be so. */
    StoreView view(@Nullable String problem, long conflicts, Moment now) {
        boolean known = lastBegun != null && lastBegun.nanosUntil(now) < OnceAMinute.NANOS;
        long[] sorted = Arrays.copyOf(latest, (int) Math.min(count, LATEST));
        Arrays.sort(sorted);
        return new StoreView(
                store,
                boundNanos,
                count,
                quantile(sorted, MEDIAN),
                quantile(sorted, TAIL),
                quantile(sorted, 1),
                near,
                slow,
                failed,
                conflicts,
                known ? trouble : null,
                problem);
    }

    private static long quantile(long[] sorted, double share) {
        return sorted.length == 0 ? 0 : sorted[Math.max(0, (int) Math.ceil(share * sorted.length) - 1)];
    }
}
