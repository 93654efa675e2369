package io.paxoslease.benchmarks;

import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.monitor.PeerStatus;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.transport.CellConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What connected clients cost a member, idle and with a lease each, in processor time and heap; and how soon all of them are back when it
 * is killed and started again.
 */
final class HerdBenchmark {

    static final Map<String, Integer> DEFAULTS = Map.of(
            "clients",
            5_000,
            "tls",
            0,
            "heap-mb",
            512,
            "restarts",
            3,
            "limit-s",
            120,
            "urgent",
            0,
            "warm-up-s",
            30,
            "measure-s",
            30);

    private static final String UNDER_TEST = "a";
    private static final String PEER = "b";
    private static final long LOOK_MILLIS = 10;
    private static final long REST_SECONDS = 3;

    private final Options options;
    private final Map<String, String> members = FreePorts.forNodes(UNDER_TEST, PEER, "c");
    private final @Nullable Path keys;

    private HerdBenchmark(Options options) throws IOException, InterruptedException {
        this.options = options;
        this.keys = options.get("tls") == 0 ? null : SelfSigned.make();
    }

    static void run(Options options) throws Exception {
        Machine.describe(System.out);
        new HerdBenchmark(options).measure();
    }

    private MeasuredProcess launch() throws IOException {
        return MeasuredProcess.launch("-Xmx%dm".formatted(options.get("heap-mb")), UNDER_TEST, members, keys);
    }

    private Herd herd() {
        PaxosLeaseOptions like = MeasuredProcess.options(PEER, members, keys);
        CellConfig config = new CellConfig(
                like.cell(),
                members.keySet().stream().map(NodeId::new).toList(),
                like.maxLeaseTime(),
                like.clockDrift());
        InetSocketAddress told = Objects.requireNonNull(like.peers().get(UNDER_TEST));
        return new Herd(
                config,
                new NodeId(UNDER_TEST),
                new InetSocketAddress(told.getHostString(), told.getPort()),
                options.get("clients"),
                keys == null ? null : SelfSigned.context(keys),
                options.get("urgent") == 0);
    }

    private void measure() throws Exception {
        MeasuredProcess member = launch();
        try (PaxosLease peer = PaxosLease.create(MeasuredProcess.options(PEER, members, keys))) {
            peer.start();
            MeasuredProcess.Cost none = cost(member);
            System.out.printf(
                    "no clients: heap %.1f MB, processor %.2f ms a second%n",
                    none.heap() / 1e6, none.processorMicros() / 1e3);
            try (Herd herd = herd()) {
                await("the first time", herd, peer, member);
                print("idle", cost(member), none);
                herd.lease();
                long before = herd.renewals();
                print("with a lease each", cost(member), none);
                System.out.printf(
                        "renewals: %.2f of each a second%n",
                        (herd.renewals() - before)
                                / (double) options.get("clients")
                                / (options.get("warm-up-s") + options.get("measure-s")));
                restart(member, herd, peer);
            }
        } finally {
            member.close();
        }
    }

    private MeasuredProcess.Cost cost(MeasuredProcess member) throws IOException, InterruptedException {
        return member.cost(options.get("warm-up-s"), options.get("measure-s"));
    }

    private void print(String what, MeasuredProcess.Cost cost, MeasuredProcess.Cost without) {
        int clients = options.get("clients");
        System.out.printf(
                "%s: heap %.1f KB a client, processor %.1f us a second and client; load %s%n",
                what,
                (cost.heap() - without.heap()) / 1e3 / clients,
                (cost.processorMicros() - without.processorMicros()) / clients,
                Machine.load());
    }

    private void restart(MeasuredProcess first, Herd herd, PaxosLease peer) throws Exception {
        MeasuredProcess member = first;
        try {
            for (int i = 0; i < options.get("restarts"); i++) {
                TimeUnit.SECONDS.sleep(REST_SECONDS);
                member.close();
                member = launch();
                await("after a restart", herd, peer, member);
            }
        } finally {
            member.close();
        }
    }

    /** From when the first one is welcome: by then the process listens. */
    private void await(String when, Herd herd, PaxosLease peer, MeasuredProcess member) throws Exception {
        int all = options.get("clients");
        while (herd.welcomed() == all) { // the end of the process has not been noticed yet
            TimeUnit.MILLISECONDS.sleep(1);
        }
        long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(options.get("limit-s"));
        long first = 0;
        long half = 0;
        long ofPeer = 0;
        long attempts = 0;
        long broken = 0;
        int least = all;
        int welcomed = herd.welcomed();
        while ((welcomed < all || ofPeer == 0) && System.nanoTime() < limit) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            welcomed = herd.welcomed();
            long now = System.nanoTime();
            if (first == 0 && welcomed > least) {
                first = now;
                attempts = herd.attempts();
                broken = herd.broken();
            }
            least = Math.min(least, welcomed);
            half = half == 0 && first != 0 && welcomed >= all / 2 ? now : half;
            ofPeer = ofPeer == 0 && first != 0 && reachesTheMeasured(peer) ? now : ofPeer;
        }
        System.out.printf(
                "%s: half of %d clients within %.2f s, %d within %.2f s; the other member within %.2f s; %d attempts, of which %d broken off; processor %.2f s since its start, heap %.1f MB%n",
                when,
                all,
                (half - first) / 1e9,
                welcomed,
                (System.nanoTime() - first) / 1e9,
                (ofPeer - first) / 1e9,
                herd.attempts() - attempts,
                herd.broken() - broken,
                member.processorNanos() / 1e9,
                member.heap() / 1e6);
    }

    private static boolean reachesTheMeasured(PaxosLease node) {
        List<PeerStatus> peers = node.monitor().peers();
        return peers.stream().anyMatch(peer -> peer.nodeId().equals(UNDER_TEST) && peer.connected());
    }
}
