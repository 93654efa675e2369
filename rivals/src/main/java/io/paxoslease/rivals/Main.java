package io.paxoslease.rivals;

import io.paxoslease.rivals.contenders.Contenders;
import io.paxoslease.rivals.report.Environment;
import io.paxoslease.rivals.report.Report;
import io.paxoslease.rivals.report.Samples;
import io.paxoslease.rivals.report.Tables;
import io.paxoslease.rivals.shards.Spread;
import java.io.IOException;
import java.util.Arrays;

/** The main class: {@code java -jar rivals.jar all|report|<workload> [--option=value ...]}. */
public final class Main {

    private static final String USAGE = """
            java -jar rivals.jar all          every workload, every contender
            java -jar rivals.jar WORKLOAD     uncontended, own-keys, contended, fail-over, idle, memory or sessions
                --only=ours,redisson          these contenders only (and the floor)
                --results=rivals/target/results
                --rounds=3 --warm-up-s=3 --measure-s=4         the first three workloads
                --runs=3 --graceful-runs=5                     fail-over
                --held=10000 --idle-s=20 --idle-warm-up-s=45   idle
                --locks=100000                                 memory
                --sessions=2000 --sessions-warm-up-s=20 --idle-s=20    sessions
                --heap-mb=1024                                 the largest heap of a process with clients
            java -jar rivals.jar shards       work spread over processes that are stopped and killed: PaxosLease and Hazelcast
                --processes=8 --shards=256 --runs=20 --lease-ms=3000 --settle-ms=3000 --work-ms=10
            java -jar rivals.jar report       puts the results into docs/performance.md
                --results=rivals/target/results --docs=docs
            java -jar rivals.jar list         the contenders, and what is missing on this machine""";

    private Main() {}

    /** Runs one command. */
    public static void main(String... args) throws IOException, InterruptedException {
        String command = args.length == 0 ? "" : args[0];
        try {
            if (command.equals("shards")) {
                Spread.run(Arrays.copyOfRange(args, 1, args.length));
                System.exit(0);
            }
            RunOptions options = RunOptions.parse(args.length == 0 ? args : Arrays.copyOfRange(args, 1, args.length));
            switch (command) {
                case "all" -> run(options, args, Workload.values());
                case "report" -> Report.write(options.results(), options.docs());
                case "list" -> list();
                default -> run(options, args, Workload.of(command));
            }
        } catch (IllegalArgumentException wrong) {
            System.err.printf("%s%n%n%s%n", wrong.getMessage(), USAGE);
            System.exit(2);
        }
        // Libraries leave threads behind.
        System.exit(0);
    }

    private static void list() {
        for (Contender contender : Contenders.all()) {
            System.out.printf(
                    "%-14s %s; %s%n",
                    contender.name(),
                    contender.title(),
                    contender.backend().missing().orElseGet(contender::settings));
        }
    }

    private static void run(RunOptions options, String[] args, Workload... workloads)
            throws IOException, InterruptedException {
        try (Workspace workspace = new Workspace()) {
            Lab lab = new Lab(options, workspace);
            for (Workload workload : workloads) {
                Environment environment = Environment.begin(String.join(" ", args));
                Samples samples = lab.run(workload);
                environment.write(options.results(), workload);
                samples.write(Lab.file(options.results(), workload));
                System.out.printf("%n## %s%n%n%s%n", workload.title(), Tables.markdown(workload, samples));
            }
        }
    }
}
