package io.paxoslease.testing;

import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.monitor.NodeMonitor;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.monitor.PeerStatus;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/** A cell of its own over loopback TCP. Closing it stops what still runs. */
public final class TestCell implements AutoCloseable {

    private static final AtomicInteger cells = new AtomicInteger();

    private final String name = "test-" + cells.incrementAndGet();
    private final Duration leaseTime;
    private final Map<String, String> addresses = new LinkedHashMap<>();
    private final Map<String, PaxosLease> nodes = new LinkedHashMap<>();

    private TestCell(Duration leaseTime, String... ids) {
        this.leaseTime = leaseTime;
        for (String id : ids) {
            addresses.put(id, "127.0.0.1:" + FreePorts.next());
        }
    }

    /** The given time is the lease time and the cell's maximum. Nothing is started yet. */
    public static TestCell of(Duration leaseTime, String... ids) {
        return new TestCell(leaseTime, ids);
    }

    /** Nodes a, b and c, started and connected. */
    public static TestCell started(Duration leaseTime) {
        TestCell cell = of(leaseTime, "a", "b", "c");
        cell.addresses.keySet().forEach(cell::start);
        cell.awaitServing();
        return cell;
    }

    public String name() {
        return name;
    }

    public Map<String, String> addresses() {
        return Map.copyOf(addresses);
    }

    public PaxosLeaseOptions.Builder options(String id) {
        return PaxosLeaseOptions.builder(id)
                .peers(addresses)
                .cell(name)
                .leaseTime(leaseTime)
                .maxLeaseTime(leaseTime);
    }

    public PaxosLease start(String id) {
        return start(options(id).build());
    }

    public PaxosLease start(PaxosLeaseOptions options) {
        return start(PaxosLease.create(options));
    }

    public PaxosLease start(PaxosLease node) {
        node.start();
        nodes.put(node.monitor().options().nodeId(), node);
        return node;
    }

    public PaxosLease node(String id) {
        return Objects.requireNonNull(nodes.get(id), id);
    }

    /** Until every running node serves and reaches every other running one. */
    public void awaitServing() {
        Eventually.until("the cell serves", () -> nodes.values().stream()
                .map(PaxosLease::monitor)
                .filter(NodeMonitor::isRunning)
                .map(NodeMonitor::status)
                .allMatch(status -> status.state() == NodeStatus.State.SERVING
                        && status.peers().stream().allMatch(this::isConnectedIfRunning)));
    }

    private boolean isConnectedIfRunning(PeerStatus peer) {
        PaxosLease node = nodes.get(peer.nodeId());
        return peer.connected() || node == null || !node.monitor().isRunning();
    }

    @Override
    public void close() {
        nodes.values().forEach(PaxosLease::stop);
    }
}
