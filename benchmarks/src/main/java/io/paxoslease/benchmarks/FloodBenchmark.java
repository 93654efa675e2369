package io.paxoslease.benchmarks;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.NodeMode;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.Histogram;

/**
 * What an honest client notices of clients that flood the members: three members in processes of their own, and for each kind of message a
 * crowd of attackers, each connected to every member. The honest client keeps renewed leases, and acquires and releases other ones.
 */
final class FloodBenchmark {

    static final Map<String, Integer> DEFAULTS = Map.of(
            "attackers",
            8,
            "flood-s",
            10,
            "warm-up-s",
            5,
            "heap-mb",
            256,
            "lease-ms",
            3_000,
            "leases",
            8,
            "every-ms",
            5,
            "first",
            1,
            "last",
            Flood.Kind.values().length);

    private static final String[] MEMBERS = {"a", "b", "c"};

    private final Options options;
    private final Map<String, String> members = FreePorts.forNodes(MEMBERS);
    private final AtomicInteger lost = new AtomicInteger();

    private FloodBenchmark(Options options) {
        this.options = options;
    }

    static void run(Options options) throws Exception {
        Machine.describe(System.out);
        System.out.printf(
                "%-16s %9s %9s %9s %7s %6s %8s %9s %9s %8s%n",
                "flood of",
                "p50, us",
                "p99, us",
                "max, ms",
                "probes",
                "failed",
                "lost",
                "CPU, ms/s",
                "MB/s",
                "heap, MB");
        Flood.Kind[] kinds = Flood.Kind.values();
        for (int i = options.get("first"); i <= Math.min(options.get("last"), kinds.length); i++) {
            new FloodBenchmark(options).measure(kinds[i - 1]);
        }
    }

    private void measure(Flood.Kind kind) throws Exception {
        List<MeasuredProcess> processes = new ArrayList<>();
        try (PaxosLease honest = PaxosLease.create(honest())) {
            for (String member : MEMBERS) {
                processes.add(
                        MeasuredProcess.launch("-Xmx%dm".formatted(options.get("heap-mb")), member, members, null));
            }
            honest.start();
            for (int i = 0; i < options.get("leases"); i++) {
                Lease lease =
                        honest.acquire("kept-" + i, AcquireOptions.renewing()).get(60, TimeUnit.SECONDS);
                lease.onLost((gone, reason) -> lost.incrementAndGet());
            }
            probe(honest, options.get("warm-up-s"), new Histogram(3));
            try (MeasuredProcess flood = Flood.launch(kind, members, options.get("attackers"))) {
                Histogram latency = new Histogram(3);
                long written = flood.ask();
                long before = System.nanoTime();
                long cpu = processes.get(0).processorNanos();
                int failed = probe(honest, options.get("flood-s"), latency);
                cpu = processes.get(0).processorNanos() - cpu;
                double seconds = (System.nanoTime() - before) / 1e9;
                int lostThen = lost.get();
                System.out.printf(
                        "%-16s %9.0f %9.0f %9.1f %7d %6d %8d %9.0f %9.2f ",
                        kind,
                        latency.getValueAtPercentile(50) / 1e3,
                        latency.getValueAtPercentile(99) / 1e3,
                        latency.getMaxValue() / 1e6,
                        latency.getTotalCount(),
                        failed,
                        lostThen,
                        cpu / 1e6 / seconds,
                        (flood.ask() - written) / seconds / 1e6);
            }
            System.out.printf("%8s%n", heap(processes.get(0)));
        } finally {
            processes.forEach(MeasuredProcess::close);
        }
    }

    private static String heap(MeasuredProcess process) {
        try {
            return String.valueOf(process.heap() / 1_000_000);
        } catch (IOException ended) {
            return "ended";
        }
    }

    private PaxosLeaseOptions honest() {
        return PaxosLeaseOptions.builder("honest")
                .mode(NodeMode.CLIENT)
                .peers(members)
                .maxLeaseTime(MeasuredProcess.LONGEST_LEASE)
                .leaseTime(Duration.ofMillis(options.get("lease-ms")))
                .build();
    }

    /** Acquires and releases a lease again and again, and answers how often it was not granted in a second. */
    private int probe(PaxosLease honest, int seconds, Histogram latency) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        int failed = 0;
        for (int i = 0; System.nanoTime() < end; i++) {
            long begin = System.nanoTime();
            Optional<Lease> lease = honest.tryAcquire(
                    "probe-" + i % 1_000,
                    AcquireOptions.builder().maxWait(Duration.ofSeconds(1)).build());
            latency.recordValue(System.nanoTime() - begin);
            failed += lease.isEmpty() ? 1 : 0;
            lease.ifPresent(Lease::release);
            TimeUnit.MILLISECONDS.sleep(options.get("every-ms"));
        }
        return failed;
    }
}
