package io.paxoslease.benchmarks;

import io.paxoslease.AcquireOptions;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * Many callers of one node of a cell of three, each in a closed loop over leases of its own: acquire over the network,
 * release. First a thread for each caller, then as many chains of futures. All three nodes run in this process, so that what
 * is used of the processor is the whole cell's. On request, the same in turns in a second cell, whose members change all the time, and in
 * one beside which a node with another list of members runs.
 */
final class ThroughputBenchmark {

    static final Map<String, Integer> DEFAULTS = Map.of(
            "callers", 64, "keys", 8192, "rounds", 5, "round-s", 5, "warm-up-s", 30, "changing", 0, "stranger", 0);

    private static final Duration LEASE_TIME = Duration.ofSeconds(3);
    private static final AcquireOptions HOW = AcquireOptions.renewing();
    private static final double P50 = 50;
    private static final double P99 = 99;
    private static final double MICRO = 1_000;

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

    /** What goes on in a cell while it is called. */
    private enum Beside {
        NOTHING(""),
        /** One member is of the next generation, and the others never follow, so that it is not sealed. */
        CHANGE("changing"),
        /** A node that lists itself as a fourth member dials the three. */
        STRANGER("stranger");

        private final String option;

        Beside(String option) {
            this.option = option;
        }
    }

    /** One way to call one cell. */
    private record Kind(String name, ThroughputBenchmark cell, boolean threads) {

        static List<Kind> of(String suffix, ThroughputBenchmark cell) {
            return List.of(new Kind("threads" + suffix, cell, true), new Kind("chains" + suffix, cell, false));
        }
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
        List<PaxosLease> nodes = new ArrayList<>();
        try {
            List<Kind> kinds = new ArrayList<>();
            for (Beside beside : Beside.values()) {
                if (beside == Beside.NOTHING || options.get(beside.option) > 0) {
                    PaxosLease node = start(beside, nodes);
                    kinds.addAll(Kind.of(
                            beside == Beside.NOTHING ? "" : ", " + beside.option,
                            new ThroughputBenchmark(node, options.get("callers"), options.get("keys"))));
                }
            }
            for (Kind kind : kinds) {
                kind.cell().round(kind.threads(), TimeUnit.SECONDS.toNanos(options.get("warm-up-s")) / 2);
            }
            measure(kinds, options);
        } finally {
            nodes.forEach(PaxosLease::close);
        }
    }

    /**
     * Starts a cell of three.
     *
     * @param all where its nodes are added
     * @return the callers' node
     */
    private static PaxosLease start(Beside beside, List<PaxosLease> all) throws InterruptedException {
        Map<String, String> four = FreePorts.forNodes("a", "b", "c", "d");
        Map<String, String> peers = new LinkedHashMap<>(four);
        peers.remove("d");
        List<PaxosLease> cell = new ArrayList<>();
        for (String name : peers.keySet()) {
            PaxosLeaseOptions.Builder options = options(name, peers);
            if (beside == Beside.CHANGE && name.equals("c")) {
                options.generation(2).previousPeers(peers);
            }
            cell.add(PaxosLease.create(options.build()));
        }
        all.addAll(cell);
        cell.forEach(PaxosLease::start);
        for (PaxosLease node : cell) {
            LocalCell.awaitReady(node);
        }
        if (beside == Beside.STRANGER) {
            PaxosLease stranger = PaxosLease.create(options("d", four).build());
            all.add(stranger);
            stranger.start();
            for (PaxosLease node : cell) {
                LocalCell.await(node, status -> status.otherConfiguration() != null);
            }
        }
        return cell.get(0);
    }

    private static PaxosLeaseOptions.Builder options(String name, Map<String, String> peers) {
        return PaxosLeaseOptions.builder(name)
                .peers(peers)
                .leaseTime(LEASE_TIME)
                .maxLeaseTime(LEASE_TIME);
    }

    private static void measure(List<Kind> kinds, Options options) throws InterruptedException {
        int seconds = options.get("round-s");
        System.out.printf("%d callers, rounds of %d s of each kind%n%n", options.get("callers"), seconds);
        System.out.printf(
                "%-17s %-7s |%10s |%10s %10s |%9s |%9s |%5s%n",
                "kind", "round", "pairs/s", "p50 us", "p99 us", "messages", "cpu us", "load");
        Map<Kind, List<Figures>> figures = new LinkedHashMap<>();
        for (int round = 1; round <= options.get("rounds"); round++) {
            for (Kind kind : kinds) {
                Figures measured = kind.cell().round(kind.threads(), TimeUnit.SECONDS.toNanos(seconds));
                figures.computeIfAbsent(kind, none -> new ArrayList<>())
                        .add(print(kind.name(), Integer.toString(round), measured));
            }
        }
        figures.forEach((kind, rounds) -> print(kind.name(), "median", median(rounds)));
    }

    private static Figures print(String kind, String round, Figures figures) {
        System.out.printf(
                "%-17s %-7s |%,10.0f |%,10.1f %,10.1f |%9.2f |%9.1f |%5s%n",
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
        return sum(node.monitor().messagesSent()) + sum(node.monitor().messagesReceived());
    }

    private static long sum(Map<String, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }
}
