package io.paxoslease.benchmarks;

import io.paxoslease.PaxosLease;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/** What the starter adds to a web application: the same application with it and without it, in turns. On Linux. */
final class StarterBenchmark {

    static final Map<String, Integer> DEFAULTS = Map.of("runs", 20, "rest-s", 5);

    private static final String UNDER_TEST = "a";
    private static final double MEGA = 1_000_000;

    private final Options options;
    private final Map<String, String> members = FreePorts.forNodes(UNDER_TEST, "b", "c");
    private final Map<Variant, List<Run>> runs = new EnumMap<>(Variant.class);

    private StarterBenchmark(Options options) {
        this.options = options;
        for (Variant variant : Variant.values()) {
            runs.put(variant, new ArrayList<>());
        }
    }

    /** The application, and where the build puts it. */
    private enum Variant {
        WITHOUT("application"),
        WITH("application-with-starter");

        private final String module;

        Variant(String module) {
            this.module = module;
        }

        Path jar() throws IOException {
            Path target = Path.of("benchmarks", module, "target");
            if (Files.isDirectory(target)) {
                try (var jars = Files.newDirectoryStream(target, "*-exec.jar")) {
                    for (Path jar : jars) {
                        return jar;
                    }
                }
            }
            throw new IllegalArgumentException(
                    "There is no jar in %s: call mvn package, and this in the directory of the project"
                            .formatted(target));
        }
    }

    /** One start of the application, ready and after its rest. */
    private record Run(
            double readySeconds, double processorSeconds, MeasuredProcess.Footprint footprint, double heapMegabytes) {}

    static void run(Options options) throws Exception {
        Machine.describe(System.out);
        new StarterBenchmark(options).measure();
    }

    private void measure() throws Exception {
        try (PaxosLease b = PaxosLease.create(MeasuredProcess.options("b", members, null));
                PaxosLease c = PaxosLease.create(MeasuredProcess.options("c", members, null))) {
            b.start();
            c.start();
            LocalCell.awaitServing(b);
            LocalCell.awaitServing(c);
            for (Variant variant : Variant.values()) {
                start(variant); // reads the jar from disk, and is not counted
            }
            for (int run = 0; run < options.get("runs"); run++) {
                for (Variant variant : Variant.values()) {
                    runs.getOrDefault(variant, List.of()).add(start(variant));
                }
            }
        }
        print();
    }

    private Run start(Variant variant) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of("--server.port=0", "--paxoslease.node-id=" + UNDER_TEST));
        arguments.add("--paxoslease.max-lease-time=" + MeasuredProcess.LONGEST_LEASE.toSeconds() + "s");
        arguments.add("--paxoslease.cell=paxoslease");
        members.forEach((id, address) -> arguments.add("--paxoslease.peers." + id + "=" + address));
        long begin = System.nanoTime();
        try (MeasuredProcess process = MeasuredProcess.launch(variant.jar(), arguments)) {
            process.awaitLine("ready"::equals);
            double ready = (System.nanoTime() - begin) / 1e9;
            double processor = process.processorNanos() / 1e9;
            TimeUnit.SECONDS.sleep(options.get("rest-s"));
            return new Run(ready, processor, process.footprint(), process.heap() / MEGA);
        }
    }

    private void print() throws IOException {
        System.out.printf(
                Locale.ROOT,
                "%nmedians of %d runs of each, in turns; after %d s of rest: threads, memory%n",
                options.get("runs"),
                options.get("rest-s"));
        System.out.printf("%-26s %10s %10s %10s %8s%n", "", "without", "with", "more", "ratio");
        print("ready after (s)", Run::readySeconds);
        print("processor until then (s)", Run::processorSeconds);
        print("threads", run -> run.footprint().threads());
        print("resident memory (MB)", run -> run.footprint().rssMegabytes());
        print("heap in use (MB)", Run::heapMegabytes);
        print("jar (MB)", Files.size(Variant.WITHOUT.jar()) / MEGA, Files.size(Variant.WITH.jar()) / MEGA);
        System.out.printf(
                Locale.ROOT,
                "ready after, from the fastest to the slowest: without %s, with %s%n",
                range(Variant.WITHOUT),
                range(Variant.WITH));
        System.out.println("load average " + Machine.load());
    }

    private String range(Variant variant) {
        double[] sorted = sorted(variant, Run::readySeconds);
        return "%.2f to %.2f s".formatted(sorted[0], sorted[sorted.length - 1]);
    }

    private void print(String what, ToDoubleFunction<Run> figure) {
        print(what, Latency.median(sorted(Variant.WITHOUT, figure)), Latency.median(sorted(Variant.WITH, figure)));
    }

    private static void print(String what, double without, double with) {
        System.out.printf(
                Locale.ROOT, "%-26s %10.2f %10.2f %10.2f %8.2f%n", what, without, with, with - without, with / without);
    }

    private double[] sorted(Variant variant, ToDoubleFunction<Run> figure) {
        return runs.getOrDefault(variant, List.of()).stream()
                .mapToDouble(figure)
                .sorted()
                .toArray();
    }
}
