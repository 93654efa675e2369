package io.paxoslease.benchmarks;

import io.paxoslease.AcquireOptions;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * Many callers of one node of a cell of three, each in a closed loop over leases of its own: acquire over the network,
 * release. First a thread for each caller, then as many chains of futures. All three nodes run in this process, so that what
 * is used of the processor is the whole cell's.
 */
final class ThroughputBenchmark {

    static final Map<String, Integer> DEFAULTS =
            Map.of("callers", 64, "keys", 8192, "rounds", 5, "round-s", 5, "warm-up-s", 30);

    private static final Duration LEASE_TIME = Duration.ofSeconds(3);
    private static final AcquireOptions HOW = AcquireOptions.renewing();
    private static final double P50 = 50;
    private static final double P99 = 99;
    private static final double MICRO = 1_000;

    private final PrintStream out = System.out;
    private final PaxosLease node;
    private final List<List<String>> keys;

    private ThroughputBenchmark(PaxosLease node, int callers, int keys) {
        this.node = node;
        this.keys = IntStream.range(0, callers)
                .mapToObj(caller -> IntStream.iterate(caller, i -> i < Math.max(keys, callers), i -> i + callers)
                        .mapToObj("key-%012d"::formatted)
                        .toList())
                .toList();
    }

    /** What one round of one kind came to. */
    private record Figures(double perSecond, double p50, double p99, double messages, double cpuMicros) {}

    /** One caller, who goes through its keys. */
    private final class Caller {

        private final List<String> own;
        private final long end;
        private final CountDownLatch done;
        private final Histogram latency = new Histogram(3);
        private int next;
        private long began;

        Caller(List<String> own, long end, CountDownLatch done) {
            this.own = own;
            this.end = end;
            this.done = done;
        }

        private boolean begin() {
            began = System.nanoTime();
            if (began - end < 0) {
                return true;
            }
            done.countDown();
            return false;
        }

        private String key() {
            String key = own.get(next);
            next = (next + 1) % own.size();
            return key;
        }

        void asThread() {
            try {
                while (begin()) {
                    node.tryAcquire(key(), HOW).orElseThrow().release();
                    latency.recordValue(System.nanoTime() - began);
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException("Nobody interrupts a caller", e);
            }
        }

        void asChain() {
            if (begin()) {
                node.acquire(key(), HOW).thenAccept(lease -> {
                    lease.release();
                    latency.recordValue(System.nanoTime() - began);
                    asChain();
                });
            }
        }
    }

    static void run(Options options) throws InterruptedException {
        Machine.describe(System.out);
        List<PaxosLease> cell = start();
        try {
            ThroughputBenchmark benchmark =
                    new ThroughputBenchmark(cell.get(0), options.get("callers"), options.get("keys"));
            long warmUp = TimeUnit.SECONDS.toNanos(options.get("warm-up-s")) / 2;
            benchmark.round(true, warmUp);
            benchmark.round(false, warmUp);
            benchmark.measure(options.get("rounds"), options.get("round-s"));
        } finally {
            cell.forEach(PaxosLease::close);
        }
    }

    private static List<PaxosLease> start() throws InterruptedException {
        Map<String, String> peers = FreePorts.forNodes("a", "b", "c");
        List<PaxosLease> cell = peers.keySet().stream()
                .map(name -> PaxosLease.create(PaxosLeaseOptions.builder(name)
                        .peers(peers)
                        .leaseTime(LEASE_TIME)
                        .maxLeaseTime(LEASE_TIME)
                        .build()))
                .toList();
        cell.forEach(PaxosLease::start);
        for (PaxosLease node : cell) {
            LocalCell.awaitReady(node);
        }
        return cell;
    }

    private void measure(int rounds, int seconds) throws InterruptedException {
        out.printf("%d callers, rounds of %d s of each kind%n%n", keys.size(), seconds);
        out.printf(
                "%-8s %-7s |%10s |%10s %10s |%9s |%9s |%5s%n",
                "kind", "round", "pairs/s", "p50 us", "p99 us", "messages", "cpu us", "load");
        List<Figures> threads = new ArrayList<>();
        List<Figures> chains = new ArrayList<>();
        for (int round = 1; round <= rounds; round++) {
            threads.add(print("threads", Integer.toString(round), round(true, TimeUnit.SECONDS.toNanos(seconds))));
            chains.add(print("chains", Integer.toString(round), round(false, TimeUnit.SECONDS.toNanos(seconds))));
        }
        print("threads", "median", median(threads));
        print("chains", "median", median(chains));
    }

    private Figures print(String kind, String round, Figures figures) {
        out.printf(
                "%-8s %-7s |%,10.0f |%,10.1f %,10.1f |%9.2f |%9.1f |%5s%n",
                kind,
                round,
                figures.perSecond(),
                figures.p50(),
                figures.p99(),
                figures.messages(),
                figures.cpuMicros(),
                Machine.load());
        return figures;
    }

    private static Figures median(List<Figures> rounds) {
        return new Figures(
                Latency.median(rounds.stream().mapToDouble(Figures::perSecond).toArray()),
                Latency.median(rounds.stream().mapToDouble(Figures::p50).toArray()),
                Latency.median(rounds.stream().mapToDouble(Figures::p99).toArray()),
                Latency.median(rounds.stream().mapToDouble(Figures::messages).toArray()),
                Latency.median(rounds.stream().mapToDouble(Figures::cpuMicros).toArray()));
    }

    private Figures round(boolean threads, long nanos) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(keys.size());
        long messages = messages();
        long cpu = Machine.cpuNanos();
        long begin = System.nanoTime();
        List<Caller> callers =
                keys.stream().map(own -> new Caller(own, begin + nanos, done)).toList();
        for (Caller caller : callers) {
            if (threads) {
                new Thread(caller::asThread, "caller").start();
            } else {
                caller.asChain();
            }
        }
        if (!done.await(2 * nanos + LEASE_TIME.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new IllegalStateException("A caller failed");
        }
        double seconds = (System.nanoTime() - begin) / (double) TimeUnit.SECONDS.toNanos(1);
        cpu = Machine.cpuNanos() - cpu;
        messages = messages() - messages;
        Histogram all = new Histogram(3);
        callers.forEach(caller -> all.add(caller.latency));
        double pairs = all.getTotalCount();
        return new Figures(
                pairs / seconds,
                all.getValueAtPercentile(P50) / MICRO,
                all.getValueAtPercentile(P99) / MICRO,
                messages / pairs,
                cpu / MICRO / pairs);
    }

    /** What the callers' node sent and received. */
    private long messages() {
        return sum(node.messagesSent()) + sum(node.messagesReceived());
    }

    private static long sum(Map<String, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }
}
