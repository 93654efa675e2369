package io.paxoslease.benchmarks;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
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
        try (MeasuredProcess process = MeasuredProcess.launch("-Xmx256m", UNDER_TEST, members, keys);
                PaxosLease b = PaxosLease.create(MeasuredProcess.options("b", members, keys));
                PaxosLease c = PaxosLease.create(MeasuredProcess.options("c", members, keys))) {
            b.start();
            c.start();
            LocalCell.awaitReady(b);
            LocalCell.awaitReady(c);
            TimeUnit.SECONDS.sleep(options.get("rest-s"));
            process.footprint().print("before");
            flood(process, b, members, keys != null);
            TimeUnit.SECONDS.sleep(options.get("rest-s"));
            process.footprint().print(options.get("rest-s") + " s after");
            System.out.printf(
                    "members that b reaches then: %d of %d%n",
                    b.monitor().status().reachable(), members.size());
        }
    }

    private void flood(MeasuredProcess process, PaxosLease member, Map<String, String> members, boolean tls)
            throws Exception {
        String address = Objects.requireNonNull(members.get(UNDER_TEST));
        int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
        int missed = 0;
        int seconds = options.get("flood-s");
        try (Strangers strangers = new Strangers(port, options.get("strangers"), options.get("addresses"), tls)) {
            MeasuredProcess.Footprint most = new MeasuredProcess.Footprint(0, 0, 0);
            for (int i = 0; i < seconds; i++) {
                TimeUnit.SECONDS.sleep(1);
                most = most.max(process.footprint());
                Optional<Lease> lease = member.tryAcquire(
                        "probe",
                        AcquireOptions.builder().maxWait(Duration.ofSeconds(1)).build());
                missed += lease.isEmpty() ? 1 : 0;
                lease.ifPresent(Lease::release);
            }
            most.print("during, the most");
            System.out.printf(
                    "%d strangers at a time, %,d connections in %d s; %d of %d leases were not granted meanwhile%n",
                    options.get("strangers"), strangers.made(), seconds, missed, seconds);
        }
    }
}
