package io.paxoslease.benchmarks;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.paxos.Ballot;
import io.paxoslease.protocol.paxos.Node;
import io.paxoslease.protocol.paxos.PaxosMessage;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What many leases cost, all with names of 16 bytes: the heap of an acceptor that remembers leases of others; the heap of a node
 * that holds leases and renews them; and the processor time of a cell of three whose first node holds idle leases.
 */
final class ManyBenchmark {

    static final Map<String, Integer> DEFAULTS =
            Map.of("known", 10_000_000, "held", 1_000_000, "idle", 10_000, "idle-s", 20, "lease-s", 3);

    private static final PrintStream OUT = System.out;
    private static final long SETTLE_MILLIS = 5_000;
    private static final Pattern LOOP = Pattern.compile("paxoslease-(\\w+)-\\d");

    private ManyBenchmark() {}

    static void run(Options options) throws InterruptedException {
        Machine.describe(OUT);
        OUT.printf("largest heap: %,d MiB%n%n", Runtime.getRuntime().maxMemory() >> 20);
        known(options.get("known"));
        held(options.get("held"));
        idle(options.get("idle"), options.get("idle-s"), Duration.ofSeconds(options.get("lease-s")));
    }

    private static String name(int i) {
        return "resource%08d".formatted(i);
    }

    private static long heap() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    private static void report(String what, int leases, long bytes) {
        OUT.printf(
                "%-42s %,12d leases %,8d MiB %7.1f bytes each%n", what, leases, bytes >> 20, (double) bytes / leases);
    }

    private static void known(int leases) {
        NodeId self = new NodeId("a");
        NodeId other = new NodeId("b");
        Timing timing = new Timing(Duration.ofHours(1), 0.1);
        Reading now = new Reading(new Moment(System.nanoTime()), System.currentTimeMillis() * 1_000);
        long before = heap();
        Node node = new Node(
                self,
                new Quorum(List.of(self, other, new NodeId("c"))),
                timing,
                null,
                () -> new Incarnation(1, System.nanoTime()),
                new SplittableRandom(1),
                now);
        Ballot ballot = new Ballot(now.wallMicros() + 1, new Incarnation(2, 2));
        long hour = Duration.ofHours(1).toNanos();
        long begin = System.nanoTime();
        for (int i = 0; i < leases; i++) {
            node.step(new Event.Received(other, new PaxosMessage.Propose(name(i), ballot, hour, i)), now);
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        report("an acceptor knows leases of others", leases, heap() - before);
        OUT.printf("%-42s %,12.0f proposals a second%n", "", leases / seconds);
        if (node.nextDeadline() == null) {
            throw new IllegalStateException("The node is gone");
        }
    }

    private static void held(int leases) throws InterruptedException {
        PaxosLeaseOptions options = PaxosLeaseOptions.builder("one")
                .leaseTime(Duration.ofSeconds(60))
                .maxLeaseTime(Duration.ofSeconds(60))
                .build();
        try (PaxosLease node = PaxosLease.create(options)) {
            node.start();
            long before = heap();
            hold(node, leases);
            Thread.sleep(30_000); // every lease has been renewed
            report("a node holds and renews, acceptor included", leases, heap() - before);
            OUT.printf("%-42s %,12d held%n", "", node.monitor().heldLeases());
        }
    }

    private static void hold(PaxosLease node, int leases) throws InterruptedException {
        List<CompletableFuture<Lease>> asked = new ArrayList<>();
        for (int i = 0; i < leases; i++) {
            asked.add(node.acquire(name(i), AcquireOptions.renewing()));
            if (asked.size() == 1_000) {
                asked.forEach(CompletableFuture::join);
                asked.clear();
            }
        }
        asked.forEach(CompletableFuture::join);
    }

    private static void idle(int leases, int seconds, Duration leaseTime) throws InterruptedException {
        try (LocalCell cell = LocalCell.start(leaseTime)) {
            warmUp(cell.node(0));
            Thread.sleep(SETTLE_MILLIS);
            Map<String, Double> nothing = cpuMillisPerSecond(seconds);
            hold(cell.node(0), leases);
            Thread.sleep(10 * SETTLE_MILLIS); // renewals are compiled too
            long before = extensions(cell);
            Map<String, Double> holding = cpuMillisPerSecond(seconds);
            double messages = (double) (extensions(cell) - before) / seconds;
            holding.forEach((who, millis) -> OUT.printf(
                    "idle, lease time %d s, %,d leases: %-22s %6.2f ms of processor time a second above %.2f%n",
                    leaseTime.toSeconds(),
                    leases,
                    who,
                    millis - nothing.getOrDefault(who, 0.0),
                    nothing.getOrDefault(who, 0.0)));
            OUT.printf("%.1f renewal messages a second%n", messages);
        }
    }

    private static long extensions(LocalCell cell) {
        return cell.node(0).monitor().messagesSent().getOrDefault("extend", 0L);
    }

    /** Code that runs often is compiled before anything is measured. */
    private static void warmUp(PaxosLease node) throws InterruptedException {
        for (int i = 0; i < 20_000; i++) {
            LocalCell.acquire(node).release();
        }
    }

    /** Of each node's event loop, and of everything else in this process, the collector and the compiler above all. */
    private static Map<String, Double> cpuMillisPerSecond(int seconds) throws InterruptedException {
        Map<String, Long> before = Machine.cpuNanosByThread();
        Thread.sleep(seconds * 1_000L);
        Map<String, Double> spent = new TreeMap<>();
        Machine.cpuNanosByThread().forEach((thread, nanos) -> {
            Matcher loop = LOOP.matcher(thread);
            String who = loop.lookingAt() ? "event loop of node " + loop.group(1) : "everything else";
            spent.merge(who, (nanos - before.getOrDefault(thread, 0L)) / 1e6 / seconds, Double::sum);
        });
        return spent;
    }
}
