package io.paxoslease.benchmarks;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.NodeMode;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What clients cost a member: processor time and heap of a process with one, without clients, with idle ones, and with as many that hold
 * a lease each. The other two members and the clients run here. Before that hand-overs between two members and between two clients, in
 * turns.
 */
final class ClientsBenchmark {

    static final Map<String, Integer> DEFAULTS = Map.of(
            "clients", 1_000, "warm-up-s", 60, "measure-s", 30, "rounds", 5, "round-s", 5, "tls", 0, "heap-mb", 64);

    private static final String UNDER_TEST = "a";
    private static final long HOLD_NANOS = 2_000_000;
    private static final double P50 = 50;

    private final Options options;
    private final Map<String, String> members = FreePorts.forNodes(UNDER_TEST, "b", "c");
    private final List<PaxosLease> clients = new ArrayList<>();
    private final @Nullable Path keys;

    private ClientsBenchmark(Options options) throws IOException, InterruptedException {
        this.options = options;
        this.keys = options.get("tls") == 0 ? null : SelfSigned.make();
    }

    private MeasuredProcess launch() throws IOException {
        return MeasuredProcess.launch("-Xmx%dm".formatted(options.get("heap-mb")), UNDER_TEST, members, keys);
    }

    static void run(Options options) throws Exception {
        Machine.describe(System.out);
        new ClientsBenchmark(options).measure();
    }

    private void measure() throws Exception {
        try (MeasuredProcess member = launch();
                PaxosLease b = PaxosLease.create(MeasuredProcess.options("b", members, keys));
                PaxosLease c = PaxosLease.create(MeasuredProcess.options("c", members, keys))) {
            b.start();
            c.start();
            LocalCell.awaitReady(b);
            LocalCell.awaitReady(c);
            handOvers(List.of(b, c), List.of(client(), client()));
            clients.forEach(PaxosLease::stop);
            clients.clear();

            Sample none = sample(member);
            none.print("no clients");
            int count = options.get("clients");
            for (int i = 0; i < count; i++) {
                client();
            }
            for (PaxosLease client : clients) {
                LocalCell.awaitReady(client);
            }
            Sample idle = sample(member);
            idle.print(count + " idle clients");
            idle.printForEach(count, none);
            List<CompletableFuture<Lease>> leases = new ArrayList<>();
            for (PaxosLease client : clients) {
                leases.add(client.acquire("lease of " + client.options().nodeId(), AcquireOptions.renewing()));
            }
            for (CompletableFuture<Lease> lease : leases) {
                lease.get(1, TimeUnit.MINUTES);
            }
            Sample holding = sample(member);
            holding.print("with a lease each");
            holding.printForEach(count, none);
            long held = leases.stream().filter(each -> each.join().isHeld()).count();
            System.out.printf("leases held in the end: %d of %d%n", held, count);
        } finally {
            clients.forEach(PaxosLease::stop);
        }
    }

    private PaxosLease client() {
        PaxosLease client = PaxosLease.create(PaxosLeaseOptions.builder("client-" + clients.size())
                .mode(NodeMode.CLIENT)
                .application("benchmark")
                .peers(members)
                .leaseTime(MeasuredProcess.LONGEST_LEASE)
                .maxLeaseTime(MeasuredProcess.LONGEST_LEASE)
                .tls(keys == null ? null : SelfSigned.tls(keys))
                .build());
        client.start();
        clients.add(client);
        return client;
    }

    /** Of a while. */
    private record Sample(long heap, double processorMicrosASecond) {

        void print(String what) {
            System.out.printf(
                    "%-20s heap %6.1f MB, processor %7.2f ms a second; load %s%n",
                    what, heap / 1e6, processorMicrosASecond / 1e3, Machine.load());
        }

        void printForEach(int clients, Sample without) {
            System.out.printf(
                    "%-20s heap %6.1f KB, processor %7.1f us a second%n",
                    "  for each client",
                    (heap - without.heap) / 1e3 / clients,
                    (processorMicrosASecond - without.processorMicrosASecond) / clients);
        }
    }

    private Sample sample(MeasuredProcess member) throws IOException, InterruptedException {
        TimeUnit.SECONDS.sleep(options.get("warm-up-s"));
        long begin = System.nanoTime();
        long before = member.processorNanos();
        TimeUnit.SECONDS.sleep(options.get("measure-s"));
        double spent = member.processorNanos() - before;
        double micros = spent * 1e6 / (System.nanoTime() - begin);
        return new Sample(member.heap(), micros);
    }

    private void handOvers(List<PaxosLease> ofMembers, List<PaxosLease> ofClients) throws Exception {
        for (PaxosLease client : ofClients) {
            LocalCell.awaitReady(client);
        }
        int rounds = options.get("rounds");
        Latency members = new Latency("members", rounds);
        Latency clients = new Latency("clients", rounds);
        HandoverBenchmark.pass(ofMembers, HOLD_NANOS, new Histogram(3), options.get("round-s"));
        HandoverBenchmark.pass(ofClients, HOLD_NANOS, new Histogram(3), options.get("round-s"));
        for (int round = 0; round < rounds; round++) {
            HandoverBenchmark.pass(ofMembers, HOLD_NANOS, members.round(round), options.get("round-s"));
            HandoverBenchmark.pass(ofClients, HOLD_NANOS, clients.round(round), options.get("round-s"));
            System.out.printf(
                    "hand-over, p50: between members %7.1f us, between clients %7.1f us%n",
                    members.micros(round, P50), clients.micros(round, P50));
        }
        System.out.printf(
                "median of rounds: %7.1f us and %7.1f us%n", members.medianMicros(P50), clients.medianMicros(P50));
    }
}
