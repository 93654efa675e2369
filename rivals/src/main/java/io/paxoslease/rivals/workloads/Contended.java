package io.paxoslease.rivals.workloads;

import io.paxoslease.rivals.Client;
import io.paxoslease.rivals.Mutex;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;

/**
 * Threads of two instances lock and unlock one key in a closed loop. A hand-over is a lock whose holder before was in the
 * other instance; its gap runs from just before the unlock there to the return of the lock here.
 */
public final class Contended {

    private static final int THREADS = 8;
    private static final int DIGITS = 3;
    private static final double MICRO = 1_000;
    private static final double MILLI = 1_000_000;

    /** What one thread saw. */
    private record Share(int instance, long locks, long longestWaitNanos, Histogram gaps) {}

    private final List<Client> clients;
    private final AtomicInteger inside = new AtomicInteger();
    private final LongAdder overlaps = new LongAdder();

    // Written and read by whoever holds the lock.
    private volatile int lastHolder = -1;
    private volatile long releasedAt;

    private Contended(List<Client> clients) {
        this.clients = clients;
    }

    /** Runs for the two times, in milliseconds, and measures in the second. */
    public static Map<String, Double> run(List<Client> clients, long warmUpMillis, long millis) throws Exception {
        new Contended(clients).contend(warmUpMillis);
        return new Contended(clients).contend(millis);
    }

    private Map<String, Double> contend(long millis) throws InterruptedException, ExecutionException {
        return figures(Crew.run(THREADS, millis, this::compete), millis);
    }

    private Share compete(int thread, long end) throws Exception {
        int instance = thread % clients.size();
        Mutex mutex = clients.get(instance).mutex("contended");
        Histogram gaps = new Histogram(DIGITS);
        long locks = 0;
        long longest = 0;
        long asked = System.nanoTime();
        while (asked - end < 0) {
            mutex.lock();
            long granted = System.nanoTime();
            longest = Math.max(longest, granted - asked);
            if (inside.incrementAndGet() != 1) {
                overlaps.increment();
            }
            if (lastHolder >= 0 && lastHolder != instance) {
                gaps.recordValue(Math.max(0, granted - releasedAt));
            }
            lastHolder = instance;
            locks++;
            inside.decrementAndGet();
            releasedAt = System.nanoTime();
            mutex.unlock();
            asked = System.nanoTime();
        }
        return new Share(instance, locks, longest, gaps);
    }

    private Map<String, Double> figures(List<Share> shares, long millis) {
        Histogram gaps = new Histogram(DIGITS);
        long[] perInstance = new long[clients.size()];
        for (Share share : shares) {
            gaps.add(share.gaps());
            perInstance[share.instance()] += share.locks();
        }
        long[] perThread = shares.stream().mapToLong(Share::locks).toArray();
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("handovers-per-s", gaps.getTotalCount() * 1000.0 / millis);
        figures.put("gap-p50-us", gaps.getTotalCount() == 0 ? Double.NaN : gaps.getValueAtPercentile(50) / MICRO);
        figures.put("gap-p99-us", gaps.getTotalCount() == 0 ? Double.NaN : gaps.getValueAtPercentile(99) / MICRO);
        figures.put("locks-per-s", shares.stream().mapToLong(Share::locks).sum() * 1000.0 / millis);
        figures.put(
                "longest-wait-ms",
                shares.stream().mapToLong(Share::longestWaitNanos).max().orElse(0) / MILLI);
        figures.put("jain-instances", Statistics.jain(perInstance));
        figures.put("jain-threads", Statistics.jain(perThread));
        figures.put("overlaps", (double) overlaps.sum());
        return figures;
    }
}
