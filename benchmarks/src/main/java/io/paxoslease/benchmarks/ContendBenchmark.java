package io.paxoslease.benchmarks;

import io.paxoslease.locks.LeaseLock;
import io.paxoslease.locks.LeaseLocks;
import io.paxoslease.locks.LockOptions;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;

/**
 * Threads of two nodes lock and unlock one key as fast as they can. A hand-over is a lock whose holder before was on the
 * other node; its gap runs from just before the unlock there to the return of the lock here. Locks that went to the same
 * node again are counted apart: many of them mean that one node starves the other.
 */
final class ContendBenchmark {

    static final Map<String, Integer> DEFAULTS = Map.of("rounds", 5, "round-s", 6, "threads", 4, "warm-up-s", 10);

    private static final int NODES = 2;
    private static final double P50 = 50;
    private static final double P99 = 99;

    private final List<LeaseLock> locks;
    private final int threads;
    private final LongAdder sameNode = new LongAdder();

    // Written and read by whoever holds the lock.
    private volatile int lastHolder = -1;
    private volatile long releasedAt;

    private ContendBenchmark(List<LeaseLock> locks, int threads) {
        this.locks = locks;
        this.threads = threads;
    }

    static void run(Options options) throws InterruptedException, ExecutionException {
        PrintStream out = System.out;
        Machine.describe(out);
        int rounds = options.get("rounds");
        int threads = options.get("threads");
        int seconds = options.get("round-s");
        out.printf("%d rounds of %d s, %d threads on each of two nodes, microseconds%n%n", rounds, seconds, threads);
        try (LocalCell cell = LocalCell.start()) {
            List<LeaseLock> locks = new ArrayList<>();
            for (int i = 0; i < NODES; i++) {
                locks.add(new LeaseLocks(cell.node(i), LockOptions.renewing()).get(LocalCell.RESOURCE));
            }
            Latency gaps = new Latency("gap", rounds);
            new ContendBenchmark(locks, threads).contend(new Histogram(3), options.get("warm-up-s"));
            out.printf(
                    "%-7s |%9s %9s %9s |%14s %13s |%5s%n",
                    "round", "p50", "p99", "max", "hand-overs / s", "same node / s", "load");
            for (int round = 0; round < rounds; round++) {
                ContendBenchmark benchmark = new ContendBenchmark(locks, threads);
                benchmark.contend(gaps.round(round), seconds);
                out.printf(
                        Locale.ROOT,
                        "%-7d |%s %9.1f |%14.1f %13.1f |%5s%n",
                        round + 1,
                        Latency.cell(gaps.micros(round, P50), gaps.micros(round, P99)),
                        gaps.micros(round, 100),
                        (double) gaps.round(round).getTotalCount() / seconds,
                        (double) benchmark.sameNode.sum() / seconds,
                        Machine.load());
            }
            out.printf("%-7s |%s%n", "median", Latency.cell(gaps.medianMicros(P50), gaps.medianMicros(P99)));
        }
    }

    private void contend(Histogram histogram, int seconds) throws InterruptedException, ExecutionException {
        ExecutorService pool = Executors.newFixedThreadPool(NODES * threads);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < NODES * threads; i++) {
                int node = i % NODES;
                running.add(pool.submit(() -> lockAndUnlock(node, histogram, end)));
            }
            for (Future<?> each : running) {
                each.get();
            }
        } finally {
            pool.shutdownNow();
        }
    }

    private void lockAndUnlock(int node, Histogram histogram, long end) {
        LeaseLock lock = locks.get(node);
        while (System.nanoTime() - end < 0) {
            lock.lock();
            try {
                long granted = System.nanoTime();
                if (lastHolder == 1 - node) {
                    histogram.recordValue(granted - releasedAt);
                } else if (lastHolder == node) {
                    sameNode.increment();
                }
                lastHolder = node;
                releasedAt = System.nanoTime();
            } finally {
                lock.unlock();
            }
        }
    }
}
