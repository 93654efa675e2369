package io.paxoslease.benchmarks;

import java.io.IOException;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;

/**
 * How long nobody leads after the leader's process was stopped (SIGTERM) or killed (SIGKILL). Three processes, one node
 * each; a process that was ended is back, connected and out of quarantine before the next run.
 */
final class TakeoverBenchmark {

    static final Map<String, Integer> DEFAULTS =
            Map.of("runs", 20, "lease-ms", 3000, "pause-ms", 1000, "resignations", 20);

    private static final int UNMEASURED = 9;
    /** Whoever has resigned stands again after a second: until then there is one candidate less. */
    private static final int ALL_STAND_MILLIS = 1_500;

    private static final int SPREAD_MILLIS = 1_000;

    private final PrintStream out = System.out;
    private final TakeoverProcesses processes;
    private final int leaseMillis;

    private TakeoverBenchmark(TakeoverProcesses processes, int leaseMillis) {
        this.processes = processes;
        this.leaseMillis = leaseMillis;
    }

    static void run(Options options) throws IOException, InterruptedException {
        Machine.describe(System.out);
        int runs = options.get("runs");
        int leaseMillis = options.get("lease-ms");
        System.out.printf("%d runs of each, lease time and longest lease %d ms, milliseconds%n%n", runs, leaseMillis);
        try (TakeoverProcesses processes = new TakeoverProcesses(leaseMillis)) {
            processes.startAll();
            TakeoverBenchmark benchmark = new TakeoverBenchmark(processes, leaseMillis);
            double[] resignations = benchmark.resignations(options.get("resignations"));
            benchmark.once(false);
            double[] stops = new double[runs];
            double[] kills = new double[runs];
            int lost = 0;
            for (int run = 0; run < runs; run++) {
                lost += benchmark.pause(options.get("pause-ms")) ? 1 : 0;
                stops[run] = benchmark.once(false);
                kills[run] = benchmark.once(true);
            }
            benchmark.print("given up", resignations);
            benchmark.print("graceful stop (SIGTERM)", stops);
            benchmark.print("kill (SIGKILL)", kills);
            System.out.printf(
                    "stopped for %d ms (SIGSTOP, then SIGCONT): leadership changed in %d of %d runs%n",
                    options.get("pause-ms"), lost, runs);
            System.out.printf("load average %s%n", Machine.load());
        }
    }

    /** One take-over, in milliseconds, at a moment that has nothing to do with the leader's renewals. */
    private double once(boolean forcibly) throws IOException, InterruptedException {
        Thread.sleep(ThreadLocalRandom.current().nextInt(leaseMillis));
        String leader = processes.leader();
        long nanos = processes.end(leader, forcibly);
        processes.start(leader);
        return nanos / 1e6;
    }

    /** Of processes that have all led before: the first time, a process loads its code. */
    private double[] resignations(int runs) throws IOException, InterruptedException {
        for (int i = 0; i < UNMEASURED; i++) {
            resign();
        }
        double[] millis = new double[runs];
        for (int run = 0; run < runs; run++) {
            millis[run] = resign();
        }
        return millis;
    }

    private double resign() throws IOException, InterruptedException {
        Thread.sleep(ALL_STAND_MILLIS + ThreadLocalRandom.current().nextInt(SPREAD_MILLIS));
        return processes.resign(processes.leader()) / 1e6;
    }

    private boolean pause(int millis) throws IOException, InterruptedException {
        Thread.sleep(ThreadLocalRandom.current().nextInt(leaseMillis));
        return processes.pause(processes.leader(), millis, leaseMillis);
    }

    private void print(String what, double[] millis) {
        double[] sorted = millis.clone();
        Arrays.sort(sorted);
        out.printf(
                "%-24s median %.1f, best %.1f, worst %.1f%n",
                what, Latency.median(millis), sorted[0], sorted[sorted.length - 1]);
        out.println("  " + Arrays.stream(millis).mapToObj("%.1f"::formatted).collect(Collectors.joining(" ")));
    }
}
