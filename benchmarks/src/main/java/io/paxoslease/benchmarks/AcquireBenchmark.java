package io.paxoslease.benchmarks;

import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * One thread acquires and releases one lease of a cell of three in a closed loop. In between, slice by slice in the same
 * process and on the same cores, the bare round trip that nothing can beat.
 */
final class AcquireBenchmark {

    static final Map<String, Integer> DEFAULTS = Map.of("rounds", 5, "slices", 8, "slice-ms", 250, "warm-up-s", 10);

    private static final double P50 = 50;
    private static final double P99 = 99;

    private final PrintStream out = System.out;
    private final PaxosLease node;
    private final TcpRoundTrip tcp;
    private final int rounds;
    private final int slices;
    private final long sliceNanos;
    private final Latency fromCaller;
    private final Latency onLoop;
    private final Latency acquire;
    private final Latency pair;

    private AcquireBenchmark(PaxosLease node, TcpRoundTrip tcp, int rounds, int slices, long sliceNanos) {
        this.node = node;
        this.tcp = tcp;
        this.rounds = rounds;
        this.slices = slices;
        this.sliceNanos = sliceNanos;
        this.fromCaller = new Latency("TCP from a caller", rounds);
        this.onLoop = new Latency("TCP on the loop", rounds);
        this.acquire = new Latency("acquire", rounds);
        this.pair = new Latency("acquire+release", rounds);
    }

    static void run(Options options) throws InterruptedException {
        Machine.describe(System.out);
        long sliceNanos = TimeUnit.MILLISECONDS.toNanos(options.get("slice-ms"));
        long warmUpNanos = TimeUnit.SECONDS.toNanos(options.get("warm-up-s"));
        try (LocalCell cell = LocalCell.start();
                TcpRoundTrip tcp = new TcpRoundTrip()) {
            int turns = (int) Math.max(1, warmUpNanos / (3 * sliceNanos));
            new AcquireBenchmark(cell.node(0), tcp, 1, turns, sliceNanos).round(0);
            AcquireBenchmark measured =
                    new AcquireBenchmark(cell.node(0), tcp, options.get("rounds"), options.get("slices"), sliceNanos);
            measured.measure();
        }
    }

    private void measure() throws InterruptedException {
        out.printf("%d rounds of %d slices of each kind, microseconds%n%n", rounds, slices);
        out.printf("%-7s", "round");
        kinds().forEach(each -> out.printf(" |%19s", each.name()));
        out.printf(" |%17s |%5s%n%-7s", "p50 / p50 caller", "load", "");
        kinds().forEach(each -> out.printf(" |%9s %9s", "p50", "p99"));
        out.printf(" |%8s %8s |%n", "acquire", "pair");
        for (int round = 0; round < rounds; round++) {
            round(round);
            print(round);
        }
        out.printf("%-7s", "median");
        kinds().forEach(each -> out.printf(" |%s", Latency.cell(each.medianMicros(P50), each.medianMicros(P99))));
        out.printf(" |%s%n%-7s", ratios(median(acquire), median(pair)), "count");
        kinds().forEach(each -> out.printf(" |%19d", each.count()));
        out.println();
    }

    private void print(int round) {
        out.printf("%-7d", round + 1);
        kinds().forEach(each -> out.printf(" |%s", Latency.cell(each.micros(round, P50), each.micros(round, P99))));
        out.printf(" |%s |%5s%n", ratios(ratio(acquire, round), ratio(pair, round)), Machine.load());
    }

    private List<Latency> kinds() {
        return List.of(fromCaller, onLoop, acquire, pair);
    }

    private double ratio(Latency latency, int round) {
        return latency.micros(round, P50) / fromCaller.micros(round, P50);
    }

    /** The median of the rounds' ratios: each compares what ran side by side. */
    private double median(Latency latency) {
        double[] values = new double[rounds];
        Arrays.setAll(values, round -> ratio(latency, round));
        return Latency.median(values);
    }

    private static String ratios(double acquire, double pair) {
        return String.format(Locale.ROOT, "%8.2f %8.2f", acquire, pair);
    }

    private void round(int round) throws InterruptedException {
        for (int slice = 0; slice < slices; slice++) {
            pingFromHere(fromCaller.round(round));
            acquireAndRelease(acquire.round(round), pair.round(round));
            tcp.onLoop(onLoop.round(round), sliceNanos);
        }
    }

    private void pingFromHere(Histogram histogram) throws InterruptedException {
        long begin = System.nanoTime();
        long end = begin + sliceNanos;
        while (begin - end < 0) {
            tcp.fromCaller();
            long done = System.nanoTime();
            histogram.recordValue(done - begin);
            begin = done;
        }
    }

    private void acquireAndRelease(Histogram acquired, Histogram released) throws InterruptedException {
        long begin = System.nanoTime();
        long end = begin + sliceNanos;
        while (begin - end < 0) {
            Lease lease = LocalCell.acquire(node);
            long granted = System.nanoTime();
            lease.release();
            long done = System.nanoTime();
            acquired.recordValue(granted - begin);
            released.recordValue(done - begin);
            begin = done;
        }
    }
}
