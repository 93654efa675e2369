package io.paxoslease.benchmarks;

import java.util.Arrays;

/** The main class: {@code java -jar benchmarks.jar acquire|handover|contend|takeover|inspect [--option=value ...]}. */
public final class Benchmarks {

    private static final String USAGE = """
            java -jar benchmarks.jar acquire   latency of acquire and release beside a bare TCP round trip
                --rounds=5 --slices=8 --slice-ms=250 --warm-up-s=10
            java -jar benchmarks.jar handover  from a release on one node to the grant on another that waits
                --rounds=5 --round-s=6 --hold-ms=2 --warm-up-s=10
            java -jar benchmarks.jar contend   threads of two nodes lock one key as fast as they can
                --rounds=5 --round-s=6 --threads=4 --warm-up-s=10
            java -jar benchmarks.jar takeover  from the stop or kill of the leader's process to the next grant
                --runs=20 --lease-ms=2000
            java -jar benchmarks.jar inspect   acquire and release while somebody lists many leases
                --leases=100000 --slices=20 --slice-ms=500 --every-ms=100 --lease-s=90""";

    private Benchmarks() {}

    /** Runs one benchmark. */
    public static void main(String... args) throws Exception {
        String name = args.length == 0 ? "" : args[0];
        String[] rest = args.length == 0 ? args : Arrays.copyOfRange(args, 1, args.length);
        try {
            switch (name) {
                case "acquire" -> AcquireBenchmark.run(Options.parse(AcquireBenchmark.DEFAULTS, rest));
                case "handover" -> HandoverBenchmark.run(Options.parse(HandoverBenchmark.DEFAULTS, rest));
                case "contend" -> ContendBenchmark.run(Options.parse(ContendBenchmark.DEFAULTS, rest));
                case "takeover" -> TakeoverBenchmark.run(Options.parse(TakeoverBenchmark.DEFAULTS, rest));
                case "inspect" -> InspectBenchmark.run(Options.parse(InspectBenchmark.DEFAULTS, rest));
                default -> throw new IllegalArgumentException("Which benchmark? '%s' is none".formatted(name));
            }
        } catch (IllegalArgumentException wrong) {
            System.err.printf("%s%n%n%s%n", wrong.getMessage(), USAGE);
            System.exit(2);
        }
    }
}
