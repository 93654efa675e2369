package io.paxoslease.benchmarks;

import io.paxoslease.PaxosLease;
import io.paxoslease.locks.LeaseLock;
import io.paxoslease.locks.LeaseLocks;
import io.paxoslease.locks.LockOptions;
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
 * node again are counted apart: many of them mean that one node starves the other. Two members, and if wanted two clients in turns with
 * them.
 */
final class ContendBenchmark {

    static final Map<String, Integer> DEFAULTS =
            Map.of("rounds", 5, "round-s", 6, "threads", 4, "warm-up-s", 10, "clients", 0);

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

    /** Two nodes that contend, and what came of it. */
    private static final class Pair {

        private final String name;
        private final List<LeaseLock> locks;
        private final Latency gaps;
        private final double[] rates;

        /** @param resource another one for each pair, as locks are retained after a round */
        Pair(String name, List<PaxosLease> nodes, String resource, int rounds) {
            this.name = name;
            this.locks = nodes.stream()
                    .map(node -> new LeaseLocks(node, LockOptions.defaults()).get(resource))
                    .toList();
            this.gaps = new Latency(name, rounds);
            this.rates = new double[rounds];
        }

        void contend(int round, int threads, int seconds) throws InterruptedException, ExecutionException {
            ContendBenchmark benchmark = new ContendBenchmark(locks, threads);
            benchmark.contend(gaps.round(round), seconds);
            rates[round] = (double) gaps.round(round).getTotalCount() / seconds;
            System.out.printf(
                    Locale.ROOT,
                    "%-15s |%s %9.1f |%14.1f %13.1f |%5s%n",
                    name + " " + (round + 1),
                    Latency.cell(gaps.micros(round, P50), gaps.micros(round, P99)),
                    gaps.micros(round, 100),
                    rates[round],
                    (double) benchmark.sameNode.sum() / seconds,
                    Machine.load());
        }

        void printMedian() {
            System.out.printf(
                    Locale.ROOT,
                    "%-15s |%s %9s |%14.1f%n",
                    name + " median",
                    Latency.cell(gaps.medianMicros(P50), gaps.medianMicros(P99)),
                    "",
                    Latency.median(rates));
        }
    }

    static void run(Options options) throws InterruptedException, ExecutionException {
        Machine.describe(System.out);
        int rounds = options.get("rounds");
        int threads = options.get("threads");
        int seconds = options.get("round-s");
        System.out.printf(
                "%d rounds of %d s, %d threads on each of two nodes, microseconds%n%n", rounds, seconds, threads);
        try (LocalCell cell = LocalCell.start()) {
            List<Pair> pairs = new ArrayList<>();
            pairs.add(new Pair("members", List.of(cell.node(0), cell.node(1)), LocalCell.RESOURCE, rounds));
            if (options.get("clients") > 0) {
                List<PaxosLease> clients = List.of(cell.startClient("y"), cell.startClient("z"));
                pairs.add(new Pair("clients", clients, LocalCell.RESOURCE + " of clients", rounds));
            }
            for (Pair pair : pairs) {
                new ContendBenchmark(pair.locks, threads).contend(new Histogram(3), options.get("warm-up-s"));
            }
            System.out.printf(
                    "%-15s |%9s %9s %9s |%14s %13s |%5s%n",
                    "round", "p50", "p99", "max", "hand-overs / s", "same node / s", "load");
            for (int round = 0; round < rounds; round++) {
                for (Pair pair : pairs) {
                    pair.contend(round, threads, seconds);
                }
            }
            pairs.forEach(Pair::printMedian);
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
