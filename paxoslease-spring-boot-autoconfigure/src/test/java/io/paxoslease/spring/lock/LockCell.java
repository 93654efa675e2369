package io.paxoslease.spring.lock;

import static org.awaitility.Awaitility.await;

import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.flease.FleaseOptions;
import io.paxoslease.locks.LockOptions;
import io.paxoslease.monitor.NodeMonitor;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.monitor.PeerStatus;
import io.paxoslease.spring.autoconfigure.TestCell;
import io.paxoslease.storage.StorageOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

/** Three running nodes, for locks: over TCP on loopback, or clients of one store. */
final class LockCell implements AutoCloseable {

    /** Outlasts a pause of a busy machine. */
    static final Duration LEASE_TIME = Duration.ofSeconds(1);

    static final Duration MAX_LEASE_TIME = Duration.ofSeconds(3);

    private final List<PaxosLease> nodes;

    /** That run PaxosLease. */
    LockCell() {
        this(LEASE_TIME);
    }

    /** That run PaxosLease; no lease is longer than {@link #MAX_LEASE_TIME}. */
    LockCell(Duration leaseTime) {
        this((builder, peers) -> builder.peers(peers).leaseTime(leaseTime));
    }

    private LockCell(BiFunction<PaxosLeaseOptions.Builder, Map<String, String>, PaxosLeaseOptions.Builder> how) {
        TestCell cell = new TestCell(3);
        nodes = cell.nodes().stream()
                .map(id -> how.apply(
                                PaxosLeaseOptions.builder(id)
                                        .cell("locks")
                                        .leaseTime(LEASE_TIME)
                                        .maxLeaseTime(MAX_LEASE_TIME),
                                cell.peers())
                        .build())
                .map(PaxosLease::create)
                .toList();
        start();
    }

    static LockCell ofFlease() {
        FleaseOptions flease =
                FleaseOptions.builder().clockBound(Duration.ofMillis(200)).build();
        return new LockCell((builder, peers) -> builder.peers(peers).algorithm(flease));
    }

    static LockCell ofStore(StorageOptions store) {
        return new LockCell((builder, peers) -> builder.algorithm(store));
    }

    PaxosLease node(int index) {
        return nodes.get(index % nodes.size());
    }

    /** A new registry on that node; any number is one. */
    PaxosLeaseLockRegistry registry(int index) {
        return registry(index, LockOptions.defaults());
    }

    PaxosLeaseLockRegistry registry(int index, LockOptions options) {
        return new PaxosLeaseLockRegistry(node(index), options);
    }

    /** Starts the nodes that do not run, and waits until all serve. */
    void start() {
        nodes.forEach(PaxosLease::start);
        await().until(() ->
                nodes.stream().map(PaxosLease::monitor).map(NodeMonitor::status).allMatch(LockCell::serves));
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
