package io.paxoslease.benchmarks;

import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Two nodes of a cell of three pass one lease to and fro, a thread for each. Measured: from just before the release on
 * one node to the return of the other's call, which has waited since before. Who has released asks again only when the
 * other has got it, so nobody competes.
 */
final class HandoverBenchmark {

    static final Map<String, Integer> DEFAULTS = Map.of("rounds", 5, "round-s", 6, "hold-ms", 2, "warm-up-s", 10);

    private static final double P50 = 50;
    private static final double P99 = 99;
    private static final int NOBODY = -1;

    /** Two. */
    private final List<PaxosLease> nodes;

    private final long holdNanos;
    private final Semaphore[] turns = {new Semaphore(0), new Semaphore(0)};

    // Written and read by whoever holds the lease.
    private volatile int lastHolder = NOBODY;
    private volatile long releasedAt;

    private HandoverBenchmark(List<PaxosLease> nodes, long holdNanos) {
        this.nodes = nodes;
        this.holdNanos = holdNanos;
    }

    static void run(Options options) throws InterruptedException, ExecutionException {
        PrintStream out = System.out;
        Machine.describe(out);
        int rounds = options.get("rounds");
        long holdNanos = TimeUnit.MILLISECONDS.toNanos(options.get("hold-ms"));
        out.printf(
                "%d rounds of %d s, each holder keeps the lease for %d ms, microseconds%n%n",
                rounds, options.get("round-s"), options.get("hold-ms"));
        try (LocalCell cell = LocalCell.start()) {
            Latency latency = new Latency("hand-over", rounds);
            pass(cell, holdNanos, new Histogram(3), options.get("warm-up-s"));
            out.printf("%-7s |%9s %9s %9s |%11s |%5s%n", "round", "p50", "p99", "max", "hand-overs", "load");
            for (int round = 0; round < rounds; round++) {
                pass(cell, holdNanos, latency.round(round), options.get("round-s"));
                out.printf(
                        "%-7d |%s %9.1f |%11d |%5s%n",
                        round + 1,
                        Latency.cell(latency.micros(round, P50), latency.micros(round, P99)),
                        latency.micros(round, 100),
                        latency.round(round).getTotalCount(),
                        Machine.load());
            }
            out.printf(
                    "%-7s |%s %9.1f |%11d |%n",
                    "median",
                    Latency.cell(latency.medianMicros(P50), latency.medianMicros(P99)),
                    latency.medianMicros(100),
                    latency.count() / rounds);
        }
    }

    /** From releases on one of two nodes to the grants on the other, in nanoseconds. */
    static void pass(LocalCell cell, long holdNanos, Histogram histogram, int seconds)
            throws InterruptedException, ExecutionException {
        pass(cell.nodes(), holdNanos, histogram, seconds);
    }

    /** The same between the first two of these. */
    static void pass(List<PaxosLease> nodes, long holdNanos, Histogram histogram, int seconds)
            throws InterruptedException, ExecutionException {
        new HandoverBenchmark(nodes, holdNanos).pass(histogram, seconds);
    }

    private void pass(Histogram histogram, int seconds) throws InterruptedException, ExecutionException {
        ExecutorService threads = Executors.newFixedThreadPool(turns.length);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        try {
            Future<?> one = threads.submit(() -> holdByTurns(0, histogram, end));
            Future<?> other = threads.submit(() -> holdByTurns(1, histogram, end));
            one.get();
            other.get();
        } finally {
            threads.shutdownNow();
        }
    }

    private Void holdByTurns(int me, Histogram histogram, long end) throws InterruptedException {
        PaxosLease node = nodes.get(me);
        int other = 1 - me;
        while (System.nanoTime() - end < 0) {
            Lease lease = LocalCell.acquire(node);
            long granted = System.nanoTime();
            if (lastHolder == other) {
                histogram.recordValue(granted - releasedAt);
                turns[other].release();
            }
            LockSupport.parkNanos(holdNanos);
            lastHolder = me;
            releasedAt = System.nanoTime();
            lease.release();
            turns[me].acquire();
        }
        turns[other].release();
        return null;
    }
}
