package io.paxoslease.benchmarks;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.random.RandomGenerator;

/**
 * The study of the paper on leases in shared storage, simulated: n clients start together, each holds the lease once for Delta
 * and releases it. Accesses are exponentially distributed with mean 1, delta is 2, Delta is 1. Mean delay until the first holds,
 * which is to grow like ln n, and until all have held, which is to grow like n + ln n.
 */
final class StorageStudy {

    static final Map<String, Integer> DEFAULTS = Map.of("runs", 1_000, "machine-runs", 50, "seed", 2004);

    /** delta. */
    static final double ACCESS_BOUND = 2;
    /** Delta: how long each holds. */
    static final double HOLD = 1;

    private static final double[] CONTENDERS = {1, 2, 4, 8, 16, 32, 64, 128};
    /** The machine polls, which takes its time to simulate. */
    private static final int FEWER = 6;

    /** Clients that start together, in simulated time. */
    interface Contenders {

        /**
         * Lets so many contend until all have held.
         *
         * @param held told of each that comes to hold the lease, when it does
         */
        void run(int contenders, IntConsumer held);

        double now();
    }

    private final PrintStream out;
    private final int runs;
    private final int machineRuns;
    private final long seed;
    private final LinePlot first = new LinePlot(
            "Until the first holds", "mean delay, in mean access times, by contenders (logarithmic)", CONTENDERS, true);
    private final LinePlot all =
            new LinePlot("Until all have held", "mean delay, in mean access times, by contenders", CONTENDERS, false);

    private StorageStudy(PrintStream out, int runs, int machineRuns, long seed) {
        this.out = out;
        this.runs = runs;
        this.machineRuns = machineRuns;
        this.seed = seed;
    }

    static void run(Options options) throws IOException {
        StorageStudy study =
                new StorageStudy(System.out, options.get("runs"), options.get("machine-runs"), options.get("seed"));
        study.out.printf(
                "%d runs of each as in the paper, %d of each with this library's machine, seed %d; times in mean access times%n%n",
                options.get("runs"), options.get("machine-runs"), options.get("seed"));
        study.measure("as in the paper", "paper", CONTENDERS.length, study.runs, PaperContenders::new);
        study.measure(
                "this library, reading and writing",
                "ours",
                FEWER,
                study.machineRuns,
                random -> new MachineContenders(random, false));
        study.measure(
                "this library, comparing and setting",
                "other",
                FEWER,
                study.machineRuns,
                random -> new MachineContenders(random, true));
        Path directory = Path.of("target");
        Files.createDirectories(directory);
        Files.writeString(directory.resolve("storage-first.svg"), study.first.svg());
        Files.writeString(directory.resolve("storage-all.svg"), study.all.svg());
        study.out.printf("Plots: %s/storage-first.svg, storage-all.svg%n", directory);
    }

    private void measure(
            String name, String style, int sizes, int repetitions, Function<RandomGenerator, Contenders> kind) {
        double[] contenders = Arrays.copyOf(CONTENDERS, sizes);
        double[] firsts = new double[sizes];
        double[] alls = new double[sizes];
        out.printf("%s%n%12s |%12s %12s |%10s%n", name, "contenders", "first holds", "all have", "at once");
        for (int i = 0; i < sizes; i++) {
            int n = (int) contenders[i];
            SplittableRandom random = new SplittableRandom(seed + 1_000_003L * n);
            int overlapping = 0;
            for (int run = 0; run < repetitions; run++) {
                Outcome outcome = new Outcome(kind.apply(random.split()));
                outcome.run(n);
                firsts[i] += outcome.first / repetitions;
                alls[i] += outcome.last / repetitions;
                overlapping += outcome.overlaps ? 1 : 0;
            }
            out.printf(Locale.ROOT, "%12d |%12.2f %12.1f |%10d%n", n, firsts[i], alls[i], overlapping);
        }
        LeastSquares byLog = new LeastSquares(contenders, firsts, StorageStudy::one, Math::log);
        LeastSquares byCount = new LeastSquares(contenders, alls, StorageStudy::one, n -> n, Math::log);
        String firstFit = text("%.2f + %.2f ln n", byLog);
        String allFit = text("%.1f + %.2f n + %.2f ln n", byCount);
        out.printf(Locale.ROOT, "first: %s (R2 %.4f)%n", firstFit, byLog.explained());
        out.printf(Locale.ROOT, "all:   %s (R2 %.5f)%n%n", allFit, byCount.explained());
        first.add(name + ": " + firstFit, firsts, byLog::at, style);
        all.add(name + ": " + allFit, alls, byCount::at, style);
    }

    private static double one(double n) {
        return 1;
    }

    private static String text(String format, LeastSquares fit) {
        Object[] factors = new Object[format.split("%", -1).length - 1];
        for (int i = 0; i < factors.length; i++) {
            factors[i] = fit.factor(i);
        }
        return String.format(Locale.ROOT, format, factors).replace("+ -", "- ").replaceFirst("^-(0\\.0+ )", "$1");
    }

    /** What one run came to. */
    private static final class Outcome {

        private final Contenders contenders;
        private double first = -1;
        private double last;
        private boolean overlaps;

        private Outcome(Contenders contenders) {
            this.contenders = contenders;
        }

        private void run(int n) {
            contenders.run(n, client -> {
                double now = contenders.now();
                overlaps |= first >= 0 && now < last + HOLD;
                first = first < 0 ? now : first;
                last = now;
            });
        }
    }
}
