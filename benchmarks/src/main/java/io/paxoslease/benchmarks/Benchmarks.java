package io.paxoslease.benchmarks;

import java.util.Arrays;

/** The main class: {@code java -jar benchmarks.jar} and one of the names below. */
public final class Benchmarks {

    private static final String USAGE = """
            java -jar benchmarks.jar acquire   latency of acquire and release beside a bare TCP round trip
                --rounds=5 --slices=8 --slice-ms=250 --warm-up-s=10
            java -jar benchmarks.jar handover  from a release on one node to the grant on another that waits
                --rounds=5 --round-s=6 --hold-ms=2 --warm-up-s=10
            java -jar benchmarks.jar contend   threads of two nodes lock one key as fast as they can
                --rounds=5 --round-s=6 --threads=4 --warm-up-s=10 [--clients=1]
            java -jar benchmarks.jar takeover  from the end, stop or kill of the leader's process to the next grant
                --runs=20 --lease-ms=3000 --pause-ms=1000 --resignations=20
            java -jar benchmarks.jar inspect   acquire and release while somebody lists many leases
                --leases=100000 --slices=20 --slice-ms=500 --every-ms=100 --lease-s=90
            java -jar benchmarks.jar throughput  many callers of one node acquire and release leases of their own
                --callers=64 --keys=8192 --rounds=5 --round-s=5 --warm-up-s=30 [--changing=1] [--stranger=1]
            java -Xmx1g -jar benchmarks.jar many   heap and processor time of many leases, one part after the other
                --known=10000000 --held=1000000 --idle=10000 --idle-s=20 --lease-s=3
            java -Xmx3g -jar benchmarks.jar cliffs   rates at ever larger numbers of locks, keys, leases, waiters, threads and owners
                --locks=1000000 --leases=1000000 --waiters=10000 --threads=1000 --owners=1000000
                --first=1000 --measure-ms=2000 --rounds=3
            java -jar benchmarks.jar algorithms   PaxosLease, Flease and leases in shared storage, side by side
                --lease-ms=3000 --warm-up-s=10 --acquire-s=10 --handover-s=15 --held=100 --hold-s=20 --runs=10
            java -jar benchmarks.jar sockets   a bare round trip over the JDK's sockets and over Linux' own
                --rounds=10 --slice-ms=2000
            java -jar benchmarks.jar storage-access  how long accesses to stores take on this machine
                --accesses=2000 --warm-up=500 [--directory=/mnt/shared] [--postgres=jdbc:postgresql://...]
            java -jar benchmarks.jar storage-scale  accesses and times of a lease when many others are in the same store
                --few=10 --some=1000 --many=10000 --samples=30 --bound-ms=500 [--directory=/mnt/shared] [--postgres=jdbc:postgresql://...]
            java -jar benchmarks.jar storage-study  leases in shared storage under contention, simulated
                --runs=1000 --machine-runs=50 --seed=2004
            java -jar benchmarks.jar strangers   memory, threads and descriptors of a node under strangers' connections
                --strangers=2000 --addresses=8 --flood-s=30 --rest-s=10
            java -jar benchmarks.jar flood   an honest client while other clients flood the members, one kind of message after the other
                --attackers=8 --flood-s=10 --warm-up-s=5 --heap-mb=256 --lease-ms=3000 --leases=8 --every-ms=5 [--first=1 --last=16]
            java -Xss256k -jar benchmarks.jar clients   heap and processor time of a member per client; hand-overs between clients
                --clients=1000 --warm-up-s=60 --measure-s=30 --rounds=5 --round-s=5 --heap-mb=64 [--tls=1]
            java -jar benchmarks.jar herd   what connected clients cost a member, and how soon all are back when it was restarted
                --clients=5000 --restarts=3 --heap-mb=512 --warm-up-s=30 --measure-s=30 --limit-s=120 [--tls=1] [--urgent=1]
            java -jar benchmarks.jar shards    for how long shards have no owner when a process is stopped or killed, and how many move
                --processes=8 --shards=256 --runs=20 --lease-ms=3000 --settle-ms=3000 --work-ms=10
            java -jar benchmarks.jar starter   what the starter adds to a web application: start-up, threads, memory, jar
                --runs=20 --rest-s=5
            java -jar benchmarks.jar jmh [regex]   codec, acceptor and locks without a network, with JMH and its options""";

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
                case "many" -> ManyBenchmark.run(Options.parse(ManyBenchmark.DEFAULTS, rest));
                case "cliffs" -> CliffsBenchmark.run(Options.parse(CliffsBenchmark.DEFAULTS, rest));
                case "algorithms" -> AlgorithmsBenchmark.run(Options.parse(AlgorithmsBenchmark.DEFAULTS, rest));
                case "sockets" -> SocketsBenchmark.run(Options.parse(SocketsBenchmark.DEFAULTS, rest));
                case "storage-access" -> StorageAccessBenchmark.run(rest);
                case "storage-scale" -> StorageScaleBenchmark.run(System.out, rest);
                case "storage-study" -> StorageStudy.run(Options.parse(StorageStudy.DEFAULTS, rest));
                case "strangers" -> StrangersBenchmark.run(Options.parse(StrangersBenchmark.DEFAULTS, rest));
                case "flood" -> FloodBenchmark.run(Options.parse(FloodBenchmark.DEFAULTS, rest));
                case "clients" -> ClientsBenchmark.run(Options.parse(ClientsBenchmark.DEFAULTS, rest));
                case "herd" -> HerdBenchmark.run(Options.parse(HerdBenchmark.DEFAULTS, rest));
                case "shards" -> ShardsBenchmark.run(rest);
                case "starter" -> StarterBenchmark.run(Options.parse(StarterBenchmark.DEFAULTS, rest));
                case "jmh" -> org.openjdk.jmh.Main.main(rest);
                case "inspect" -> InspectBenchmark.run(Options.parse(InspectBenchmark.DEFAULTS, rest));
                case "throughput" -> ThroughputBenchmark.run(Options.parse(ThroughputBenchmark.DEFAULTS, rest));
                default -> throw new IllegalArgumentException("Which benchmark? '%s' is none".formatted(name));
            }
        } catch (IllegalArgumentException wrong) {
            System.err.printf("%s%n%n%s%n", wrong.getMessage(), USAGE);
            System.exit(2);
        }
    }
}
