package io.paxoslease.benchmarks;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.NodeMode;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.monitor.PeerStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** Three nodes in this process, over loopback TCP. */
final class LocalCell implements AutoCloseable {

    static final String RESOURCE = "benchmark";

    private static final Duration LEASE_TIME = Duration.ofSeconds(2);

    private final List<PaxosLease> nodes;
    private final List<PaxosLease> clients = new ArrayList<>();

    private LocalCell(List<PaxosLease> nodes) {
        this.nodes = nodes;
    }

    /** Starts the nodes, and waits until every one of them answers. */
    static LocalCell start() throws InterruptedException {
        return start(LEASE_TIME);
    }

    /** The same with another lease time. */
    static LocalCell start(Duration leaseTime) throws InterruptedException {
        return start(leaseTime, Agreement.PAXOSLEASE, MeetingPlace.NONE);
    }

    /** The same, agreeing by that. */
    static LocalCell start(Duration leaseTime, Agreement agreement, MeetingPlace place) throws InterruptedException {
        Map<String, String> peers = FreePorts.forNodes("a", "b", "c");
        LocalCell cell = new LocalCell(peers.keySet().stream()
                .map(name -> PaxosLease.create(agreement.options(name, peers, place, leaseTime)))
                .toList());
        cell.nodes.forEach(PaxosLease::start);
        for (PaxosLease node : cell.nodes) {
            awaitReady(node);
        }
        return cell;
    }

    /** Waits until the node serves and has a connection with every peer. */
    static void awaitReady(PaxosLease node) throws InterruptedException {
        await(node, status -> status.peers().stream().allMatch(PeerStatus::connected));
    }

    /** Waits until the node serves, with whichever peers. */
    static void awaitServing(PaxosLease node) throws InterruptedException {
        await(node, status -> true);
    }

    /** Waits until the node serves, and that is so. */
    static void await(PaxosLease node, Predicate<NodeStatus> what) throws InterruptedException {
        NodeStatus status = node.monitor().status();
        while (status.state() != NodeStatus.State.SERVING || !what.test(status)) {
            Thread.sleep(5);
            status = node.monitor().status();
        }
    }

    /** One more instance, which has no vote; it is connected with every member. */
    PaxosLease startClient(String id) throws InterruptedException {
        PaxosLeaseOptions like = node(0).monitor().options();
        PaxosLeaseOptions.Builder options = PaxosLeaseOptions.builder(id)
                .mode(NodeMode.CLIENT)
                .leaseTime(like.leaseTime())
                .maxLeaseTime(like.maxLeaseTime());
        like.peers().forEach((member, at) -> options.peer(member, at.getHostString() + ":" + at.getPort()));
        PaxosLease client = PaxosLease.create(options.build());
        clients.add(client);
        client.start();
        awaitReady(client);
        return client;
    }

    List<PaxosLease> nodes() {
        return nodes;
    }

    PaxosLease node(int index) {
        return nodes.get(index);
    }

    /** Takes the lease and renews it; waits as long as it takes. */
    static Lease acquire(PaxosLease node) throws InterruptedException {
        return acquire(node, RESOURCE);
    }

    /** The same of another resource. */
    static Lease acquire(PaxosLease node, String resource) throws InterruptedException {
        Optional<Lease> lease = node.tryAcquire(resource, AcquireOptions.renewing());
        return lease.orElseThrow(() -> new IllegalStateException("A wait without a limit ended without a lease"));
    }

    @Override
    public void close() {
        clients.forEach(PaxosLease::close);
        nodes.forEach(PaxosLease::close);
    }
}
