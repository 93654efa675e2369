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

            MeasuredProcess.Cost none = cost(member);
            print("no clients", none);
            int count = options.get("clients");
            for (int i = 0; i < count; i++) {
                client();
            }
            for (PaxosLease client : clients) {
                LocalCell.awaitReady(client);
            }
            MeasuredProcess.Cost idle = cost(member);
            print(count + " idle clients", idle);
            printForEach(count, idle, none);
            List<CompletableFuture<Lease>> leases = new ArrayList<>();
            for (PaxosLease client : clients) {
                leases.add(
                        client.acquire("lease of " + client.monitor().options().nodeId(), AcquireOptions.renewing()));
            }
            for (CompletableFuture<Lease> lease : leases) {
                lease.get(1, TimeUnit.MINUTES);
            }
            MeasuredProcess.Cost holding = cost(member);
            print("with a lease each", holding);
            printForEach(count, holding, none);
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

    private MeasuredProcess.Cost cost(MeasuredProcess member) throws IOException, InterruptedException {
        return member.cost(options.get("warm-up-s"), options.get("measure-s"));
    }

    private static void print(String what, MeasuredProcess.Cost cost) {
        System.out.printf(
                "%-20s heap %6.1f MB, processor %7.2f ms a second; load %s%n",
                what, cost.heap() / 1e6, cost.processorMicros() / 1e3, Machine.load());
    }

    private static void printForEach(int clients, MeasuredProcess.Cost cost, MeasuredProcess.Cost without) {
        System.out.printf(
                "%-20s heap %6.1f KB, processor %7.1f us a second%n",
                "  for each client",
                (cost.heap() - without.heap()) / 1e3 / clients,
                (cost.processorMicros() - without.processorMicros()) / clients);
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
