package io.paxoslease.benchmarks;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Does anything become slow when there is much of it? Walks through sizes, each ten times the one before, and prints the rate of one
 * operation at each size and its ratio to the rate at the first size. Flat is a ratio that stays near one; a cliff is one that
 * falls with the size. All of it runs on nodes of one member, so that no network hides the cost.
 */
final class CliffsBenchmark {

    static final Map<String, Integer> DEFAULTS = Map.of(
            "locks",
            1_000_000,
            "leases",
            1_000_000,
            "waiters",
            10_000,
            "threads",
            1_000,
            "owners",
            1_000_000,
            "first",
            1_000,
            "measure-ms",
            2_000,
            "rounds",
            3);

    private static final PrintStream OUT = System.out;

    /** Something there can be any number of, and an operation that should cost the same however many there are. */
    interface Load extends AutoCloseable {

        /** Makes it so many. */
        void growTo(int size) throws InterruptedException;

        /**
         * Does the operation until that moment of {@link System#nanoTime}.
         *
         * @return how often
         */
        long run(long end) throws InterruptedException;

        @Override
        default void close() {}
    }

    private final int first;
    private final long nanos;
    private final int rounds;

    private CliffsBenchmark(Options options) {
        this.first = options.get("first");
        this.nanos = TimeUnit.MILLISECONDS.toNanos(options.get("measure-ms"));
        this.rounds = options.get("rounds");
    }

    static void run(Options options) throws InterruptedException {
        Machine.describe(OUT);
        OUT.printf("largest heap: %,d MiB%n%n", Runtime.getRuntime().maxMemory() >> 20);
        OUT.printf("%-58s %12s %14s %7s %6s%n", "", "of them", "a second", "ratio", "load");
        CliffsBenchmark benchmark = new CliffsBenchmark(options);
        int locks = options.get("locks");
        int leases = options.get("leases");
        benchmark.walk("locks held: lock and unlock a new key", locks, new CliffLoads.LocksHeld());
        benchmark.walk("keys ever used: lock and unlock a new key", locks, new CliffLoads.KeysUsed());
        benchmark.walk("leases held: acquire and release another", leases, new CliffLoads.LeasesHeld());
        benchmark.walk("leases held: status of a page of 100, number held", leases, new CliffLoads.StatusOfMany());
        benchmark.walk(
                "requests that wait for one lease: pass it on", options.get("waiters"), new CliffLoads.Waiting());
        benchmark.walk("threads at one lock: lock and unlock", options.get("threads"), new CliffLoads.Threads());
        benchmark.walk("owners at an acceptor: propose", options.get("owners"), new CliffLoads.Owners());
    }

    /** From the first size to the largest, each ten times the one before. */
    static List<Integer> sizes(int first, int most) {
        List<Integer> sizes = new ArrayList<>();
        for (long size = Math.min(first, most); size < most; size *= 10) {
            sizes.add((int) size);
        }
        sizes.add(most);
        return sizes;
    }

    private void walk(String what, int most, Load load) throws InterruptedException {
        double rateOfFirst = 0;
        try (load) {
            for (int size : sizes(Math.min(first, Math.max(1, most / 100)), most)) {
                load.growTo(size);
                load.run(System.nanoTime() + nanos); // compiled, and settled, at this size
                double rate = rate(load);
                rateOfFirst = rateOfFirst == 0 ? rate : rateOfFirst;
                OUT.printf(
                        Locale.ROOT,
                        "%-58s %,12d %,14.0f %7.2f %6s%n",
                        what,
                        size,
                        rate,
                        rate / rateOfFirst,
                        Machine.load());
            }
        }
        System.gc();
    }

    private double rate(Load load) throws InterruptedException {
        double[] rates = new double[rounds];
        for (int i = 0; i < rounds; i++) {
            long begin = System.nanoTime();
            long count = load.run(begin + nanos);
            rates[i] = count * 1e9 / (System.nanoTime() - begin);
        }
        return Latency.median(rates);
    }
}
