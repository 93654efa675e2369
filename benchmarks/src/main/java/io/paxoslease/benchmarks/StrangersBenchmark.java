package io.paxoslease.benchmarks;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What strangers cost a node: memory, threads and descriptors of a process with one node before, while and after strangers hold
 * as many connections to its port as they can, without and with TLS. The other two members run here. On Linux.
 */
final class StrangersBenchmark {

    static final Map<String, Integer> DEFAULTS =
            Map.of("strangers", 2_000, "addresses", 8, "flood-s", 30, "rest-s", 10);

    private static final String UNDER_TEST = "a";

    private final Options options;

    private StrangersBenchmark(Options options) {
        this.options = options;
    }

    /** Of a process, at one moment. */
    private record Footprint(long rssMegabytes, long threads, long descriptors) {

        static Footprint of(long pid) throws IOException {
            long rss = 0;
            long threads = 0;
            for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
                String[] words = line.split("\\s+", -1);
                rss = line.startsWith("VmRSS:") ? Long.parseLong(words[1]) / 1_024 : rss;
                threads = line.startsWith("Threads:") ? Long.parseLong(words[1]) : threads;
            }
            try (Stream<Path> descriptors = Files.list(Path.of("/proc/" + pid + "/fd"))) {
                return new Footprint(rss, threads, descriptors.count());
            }
        }

        Footprint max(Footprint other) {
            return new Footprint(
                    Math.max(rssMegabytes, other.rssMegabytes),
                    Math.max(threads, other.threads),
                    Math.max(descriptors, other.descriptors));
        }

        void print(String when) {
            System.out.printf(
                    "%-22s RSS %4d MB   %3d threads   %4d descriptors%n", when, rssMegabytes, threads, descriptors);
        }
    }

    static void run(Options options) throws Exception {
        Machine.describe(System.out);
        new StrangersBenchmark(options).measure(null);
        Path keys = SelfSigned.make();
        try {
            new StrangersBenchmark(options).measure(keys);
        } finally {
            Files.delete(keys);
        }
    }

    private void measure(@Nullable Path keys) throws Exception {
        System.out.printf("%n%s%n", keys == null ? "without TLS" : "with TLS");
        Map<String, String> members = FreePorts.forNodes(UNDER_TEST, "b", "c");
        Process process = launch(members, keys);
        try (PaxosLease b = PaxosLease.create(options("b", members, keys));
                PaxosLease c = PaxosLease.create(options("c", members, keys))) {
            b.start();
            c.start();
            LocalCell.awaitReady(b);
            LocalCell.awaitReady(c);
            TimeUnit.SECONDS.sleep(options.get("rest-s"));
            Footprint.of(process.pid()).print("before");
            flood(process, b, members, keys != null);
            TimeUnit.SECONDS.sleep(options.get("rest-s"));
            Footprint.of(process.pid()).print(options.get("rest-s") + " s after");
            System.out.printf(
                    "members that b reaches then: %d of %d%n", b.status().reachable(), members.size());
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private void flood(Process process, PaxosLease member, Map<String, String> members, boolean tls) throws Exception {
        String address = Objects.requireNonNull(members.get(UNDER_TEST));
        int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
        int missed = 0;
        int seconds = options.get("flood-s");
        try (Strangers strangers = new Strangers(port, options.get("strangers"), options.get("addresses"), tls)) {
            Footprint most = new Footprint(0, 0, 0);
            for (int i = 0; i < seconds; i++) {
                TimeUnit.SECONDS.sleep(1);
                most = most.max(Footprint.of(process.pid()));
                Optional<Lease> lease =
                        member.tryAcquire("probe", AcquireOptions.renewing().waitingAtMost(Duration.ofSeconds(1)));
                missed += lease.isEmpty() ? 1 : 0;
                lease.ifPresent(Lease::release);
            }
            most.print("during, the most");
            System.out.printf(
                    "%d strangers at a time, %,d connections in %d s; %d of %d leases were not granted meanwhile%n",
                    options.get("strangers"), strangers.made(), seconds, missed, seconds);
        }
    }

    private static Process launch(Map<String, String> members, @Nullable Path keys) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                "-cp",
                System.getProperty("java.class.path"),
                StrangersNode.class.getName(),
                UNDER_TEST,
                keys == null ? "" : keys.toString()));
        members.forEach((name, address) -> command.add(name + "=" + address));
        return new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    static PaxosLeaseOptions options(String id, Map<String, String> members, @Nullable Path keys) {
        return PaxosLeaseOptions.builder(id)
                .peers(members)
                .tls(keys == null ? null : SelfSigned.tls(keys))
                .build();
    }
}
