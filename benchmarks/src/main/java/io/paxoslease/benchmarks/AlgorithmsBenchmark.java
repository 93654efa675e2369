package io.paxoslease.benchmarks;

import io.paxoslease.Lease;
import java.io.IOException;
import java.io.PrintStream;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * PaxosLease, Flease and leases in shared storage, one after the other, with the same lease time: what it takes to acquire and
 * release, to hold, to hand over, and to go on after a crash.
 */
final class AlgorithmsBenchmark {

    static final Map<String, Integer> DEFAULTS = Map.of(
            "lease-ms",
            3000,
            "warm-up-s",
            10,
            "acquire-s",
            10,
            "handover-s",
            15,
            "hold-s",
            20,
            "held",
            100,
            "runs",
            10);

    private static final long HOLD_NANOS = 2_000_000;
    private static final int SPREAD_MILLIS = 1_000;
    /** Whoever has resigned stands again after a second. */
    private static final int ALL_STAND_MILLIS = 1_500;

    private static final int UNMEASURED_RESIGNATIONS = 3;
    private static final double MICRO = 1e3;
    private static final double MILLI = 1e6;

    private final PrintStream out = System.out;
    private final Options options;
    private final LocalStores stores;
    private final Duration leaseTime;

    private AlgorithmsBenchmark(Options options, LocalStores stores) {
        this.options = options;
        this.stores = stores;
        this.leaseTime = Duration.ofMillis(options.get("lease-ms"));
    }

    static void run(Options options) throws IOException, InterruptedException, ExecutionException, SQLException {
        Machine.describe(System.out);
        try (LocalStores stores = new LocalStores()) {
            new AlgorithmsBenchmark(options, stores).run();
        }
    }

    private void run() throws IOException, InterruptedException, ExecutionException {
        out.printf(
                "lease time and longest lease %d ms, access bound of the stores %d ms; messages between nodes, or accesses to the"
                        + " store%n%n",
                leaseTime.toMillis(), Agreement.ACCESS_BOUND.toMillis());
        out.printf("%-28s |%23s |%23s |%10s |%10s%n", "", "acquire, ms", "hand-over, ms", "messages", "messages");
        out.printf(
                "%-28s |%11s %11s |%11s %11s |%10s |%10s%n",
                "one process", "p50", "p99", "p50", "p99", "per pair", "held x s");
        for (Agreement agreement : Agreement.values()) {
            try (LocalCell cell = LocalCell.start(leaseTime, agreement, stores.place())) {
                measure(agreement, cell);
            }
        }
        out.printf("%n%-28s |%35s |%35s%n", "", "next leader after a kill, ms", "after giving up, ms");
        out.printf(
                "%-28s |%11s %11s %11s |%11s %11s %11s%n",
                "three processes", "median", "best", "worst", "median", "best", "worst");
        for (Agreement agreement : Agreement.values()) {
            takeOver(agreement);
        }
        out.printf("load average %s%n", Machine.load());
    }

    private void measure(Agreement agreement, LocalCell cell) throws InterruptedException, ExecutionException {
        acquire(cell, options.get("warm-up-s"), new Histogram(3));
        Histogram acquired = new Histogram(3);
        long before = messages(cell);
        long pairs = acquire(cell, options.get("acquire-s"), acquired);
        double perPair = (double) (messages(cell) - before) / pairs;
        Histogram handedOver = new Histogram(3);
        HandoverBenchmark.pass(cell, HOLD_NANOS, handedOver, options.get("handover-s"));
        out.printf(
                Locale.ROOT,
                "%-28s |%11.3f %11.3f |%11.3f %11.3f |%10.1f |%10.3f%n",
                agreement,
                acquired.getValueAtPercentile(50) / MILLI,
                acquired.getValueAtPercentile(99) / MILLI,
                handedOver.getValueAtPercentile(50) / MILLI,
                handedOver.getValueAtPercentile(99) / MILLI,
                perPair,
                hold(cell));
    }

    /** Answers how often it was acquired. */
    private static long acquire(LocalCell cell, int seconds, Histogram latency) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        long count = 0;
        for (long begin = System.nanoTime(); begin - end < 0; begin = System.nanoTime()) {
            Lease lease = LocalCell.acquire(cell.node(0));
            latency.recordValue(System.nanoTime() - begin);
            lease.release();
            count++;
        }
        return count;
    }

    /** Answers how many messages a held lease costs a second. */
    private double hold(LocalCell cell) throws InterruptedException {
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < options.get("held"); i++) {
            leases.add(LocalCell.acquire(cell.node(0), "held-" + i));
        }
        long before = messages(cell);
        long begin = System.nanoTime();
        Thread.sleep(TimeUnit.SECONDS.toMillis(options.get("hold-s")));
        double seconds = (System.nanoTime() - begin) / (MILLI * MICRO);
        double each = (messages(cell) - before) / seconds / leases.size();
        if (!leases.stream().allMatch(Lease::isHeld)) {
            throw new IllegalStateException("A lease was lost while it was held");
        }
        leases.forEach(Lease::release);
        return each;
    }

    private static long messages(LocalCell cell) {
        return cell.nodes().stream()
                .map(node -> node.monitor().messagesSent())
                .flatMap(counts -> counts.values().stream())
                .mapToLong(Long::longValue)
                .sum();
    }

    private void takeOver(Agreement agreement) throws IOException, InterruptedException {
        int runs = options.get("runs");
        double[] killed = new double[runs];
        double[] resigned = new double[runs];
        try (TakeoverProcesses processes = new TakeoverProcesses(options.get("lease-ms"), agreement, stores.place())) {
            processes.startAll();
            for (int run = -UNMEASURED_RESIGNATIONS; run < runs; run++) {
                Thread.sleep(ALL_STAND_MILLIS + ThreadLocalRandom.current().nextInt(SPREAD_MILLIS));
                double millis = processes.resign(processes.leader()) / MILLI;
                if (run >= 0) {
                    resigned[run] = millis;
                }
            }
            for (int run = 0; run < runs; run++) {
                Thread.sleep(ThreadLocalRandom.current().nextInt(options.get("lease-ms")));
                String leader = processes.leader();
                killed[run] = processes.end(leader, true) / MILLI;
                processes.start(leader);
            }
        }
        Histogram kills = histogram(killed);
        Histogram resignations = histogram(resigned);
        out.printf(
                Locale.ROOT,
                "%-28s |%11.1f %11.1f %11.1f |%11.1f %11.1f %11.1f%n",
                agreement,
                Latency.median(killed),
                kills.getMinNonZeroValue() / MICRO,
                kills.getMaxValue() / MICRO,
                Latency.median(resigned),
                resignations.getMinNonZeroValue() / MICRO,
                resignations.getMaxValue() / MICRO);
    }

    private static Histogram histogram(double[] millis) {
        Histogram histogram = new Histogram(3);
        for (double each : millis) {
            histogram.recordValue((long) (each * MICRO));
        }
        return histogram;
    }
}
