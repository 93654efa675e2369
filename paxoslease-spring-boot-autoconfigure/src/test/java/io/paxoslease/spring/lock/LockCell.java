package io.paxoslease.spring.lock;

import static org.awaitility.Awaitility.await;

import io.paxoslease.LockOptions;
import io.paxoslease.NodeStatus;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.PeerStatus;
import io.paxoslease.spring.autoconfigure.TestCell;
import java.time.Duration;
import java.util.List;

/** Three running nodes over TCP on loopback, for locks. */
final class LockCell implements AutoCloseable {

    /** Outlasts a pause of a busy machine. */
    static final Duration LEASE_TIME = Duration.ofSeconds(1);

    static final Duration MAX_LEASE_TIME = Duration.ofSeconds(3);

    private final List<PaxosLease> nodes;

    LockCell() {
        TestCell cell = new TestCell(3);
        nodes = cell.nodes().stream()
                .map(id -> PaxosLease.create(PaxosLeaseOptions.builder(id)
                        .peers(cell.peers())
                        .cell("locks")
                        .leaseTime(LEASE_TIME)
                        .maxLeaseTime(MAX_LEASE_TIME)
                        .build()))
                .toList();
        start();
    }

    PaxosLease node(int index) {
        return nodes.get(index % nodes.size());
    }

    /** A new registry on that node; any number is one. */
    PaxosLeaseLockRegistry registry(int index) {
        return registry(index, LockOptions.renewing());
    }

    PaxosLeaseLockRegistry registry(int index, LockOptions options) {
        return new PaxosLeaseLockRegistry(node(index), options);
    }

    /** Starts what does not run, until all of it serves. */
    void start() {
        nodes.forEach(PaxosLease::start);
        await().until(() -> nodes.stream().map(PaxosLease::status).allMatch(LockCell::serves));
    }

    private static boolean serves(NodeStatus status) {
        return status.state() == NodeStatus.State.SERVING
                && status.peers().stream().allMatch(PeerStatus::connected);
    }

    @Override
    public void close() {
        nodes.forEach(PaxosLease::stop);
    }
}
