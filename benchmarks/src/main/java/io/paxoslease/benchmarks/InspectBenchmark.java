package io.paxoslease.benchmarks;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Does looking at a node disturb it? One thread acquires and releases one lease of a cell that has many, in slices: by turns
 * with nobody looking, and while another thread lists all leases and reads a page of them, as the actuator endpoint does.
 */
final class InspectBenchmark {

    static final Map<String, Integer> DEFAULTS =
            Map.of("leases", 100_000, "slices", 20, "slice-ms", 500, "every-ms", 100, "lease-s", 90);

    private static final int PAGE = 100;
    private static final int AT_ONCE = 500;
    private static final double P50 = 50;
    private static final double P99 = 99;

    private final PaxosLease node;
    private final long sliceNanos;
    private final long everyMillis;
    private final Latency quiet = new Latency("nobody looks", 1);
    private final Latency watched = new Latency("somebody looks", 1);
    private final Latency reads = new Latency("one look", 1);

    private InspectBenchmark(PaxosLease node, long sliceNanos, long everyMillis) {
        this.node = node;
        this.sliceNanos = sliceNanos;
        this.everyMillis = everyMillis;
    }

    static void run(Options options) throws InterruptedException {
        PrintStream out = System.out;
        Machine.describe(out);
        int leases = options.get("leases");
        Duration leaseTime = Duration.ofSeconds(options.get("lease-s"));
        try (LocalCell cell = LocalCell.start(leaseTime)) {
            List<Lease> kept = new ArrayList<>(take(cell.node(0), "a", leases / 2, leaseTime));
            kept.addAll(take(cell.node(1), "b", leases - leases / 2, leaseTime));
            InspectBenchmark benchmark = new InspectBenchmark(
                    cell.node(0), TimeUnit.MILLISECONDS.toNanos(options.get("slice-ms")), options.get("every-ms"));
            out.printf(
                    "%d leases known, %d of them held here%n%n",
                    cell.node(0).monitor().resources().size(), leases / 2);
            benchmark.slice(new Histogram(3), new Histogram(3));
            for (int i = 0; i < options.get("slices"); i++) {
                benchmark.slice(benchmark.quiet.round(0), null);
                benchmark.slice(benchmark.watched.round(0), benchmark.reads.round(0));
            }
            int left = cell.node(0).monitor().resources().size();
            benchmark.print(out);
            out.printf("%n%d leases known at the end; %d were taken%n", left, kept.size());
        }
    }

    private static List<Lease> take(PaxosLease node, String prefix, int count, Duration leaseTime) {
        AcquireOptions how = AcquireOptions.fixed(leaseTime);
        List<Lease> taken = new ArrayList<>(count);
        for (int from = 0; from < count; from += AT_ONCE) {
            List<CompletableFuture<Lease>> batch = new ArrayList<>(AT_ONCE);
            for (int i = from; i < Math.min(from + AT_ONCE, count); i++) {
                batch.add(node.acquire(prefix + i, how));
            }
            batch.forEach(lease -> taken.add(lease.join()));
        }
        return taken;
    }

    /** @param looks where to record looks; null: nobody looks */
    private void slice(Histogram latencies, @Nullable Histogram looks) throws InterruptedException {
        Thread reader = new Thread(() -> look(looks), "reader");
        if (looks != null) {
            reader.start();
        }
        long begin = System.nanoTime();
        long end = begin + sliceNanos;
        while (begin - end < 0) {
            LocalCell.acquire(node).release();
            long done = System.nanoTime();
            latencies.recordValue(done - begin);
            begin = done;
        }
        reader.interrupt();
        reader.join();
    }

    private void look(@Nullable Histogram looks) {
        try {
            while (looks != null) {
                long begin = System.nanoTime();
                List<String> all = node.monitor().resources();
                node.monitor().status(all.subList(0, Math.min(PAGE, all.size())));
                looks.recordValue(System.nanoTime() - begin);
                Thread.sleep(everyMillis);
            }
        } catch (InterruptedException | RuntimeException over) {
            Thread.currentThread().interrupt();
        }
    }

    private void print(PrintStream out) {
        out.printf("%-16s |%9s %9s %9s |%9s   microseconds%n", "", "p50", "p99", "max", "count");
        for (Latency each : List.of(quiet, watched, reads)) {
            out.printf(
                    "%-16s |%s %9.1f |%9d%n",
                    each.name(),
                    Latency.cell(each.micros(0, P50), each.micros(0, P99)),
                    each.micros(0, 100),
                    each.count());
        }
        out.printf(
                "%n%-16s |%9.2f %9.2f%n",
                "looks / quiet",
                watched.micros(0, P50) / quiet.micros(0, P50),
                watched.micros(0, P99) / quiet.micros(0, P99));
    }
}
