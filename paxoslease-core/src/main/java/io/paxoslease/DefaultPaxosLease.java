package io.paxoslease;

import io.paxoslease.monitor.NodeMonitor;
import io.paxoslease.node.LocalNode;
import io.paxoslease.node.NodeHandle;
import io.paxoslease.watch.LeaseWatch;
import io.paxoslease.watch.LeaseWatchListener;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The node as applications see it. Everything is done by {@link LocalNode}. */
final class DefaultPaxosLease implements PaxosLease, NodeHandle {

    static {
        LocalNode.makeHandlesWith(DefaultPaxosLease::new);
    }

    private final LocalNode node;

    private DefaultPaxosLease(LocalNode node) {
        this.node = node;
    }

    static PaxosLease create(PaxosLeaseOptions options) {
        return LocalNode.create(options).handle();
    }

    @Override
    public LocalNode node() {
        return node;
    }

    @Override
    public void start() {
        node.start();
    }

    @Override
    public void stop() {
        node.stop();
    }

    @Override
    public CompletableFuture<Lease> acquire(String resource, AcquireOptions how) {
        return node.acquire(resource, how);
    }

    @Override
    public Optional<Lease> tryAcquire(String resource, AcquireOptions how) throws InterruptedException {
        return node.tryAcquire(resource, how);
    }

    @Override
    public LeaseWatch watch(String prefix, LeaseWatchListener listener) {
        return node.watch(prefix, listener);
    }

    @Override
    public NodeMonitor monitor() {
        return node;
    }

    @Override
    public NodeAdmin admin() {
        return node;
    }

    @Override
    public MaxRegisters registers() {
        return node;
    }

    @Override
    public String toString() {
        return "PaxosLease[%s]".formatted(node.options().nodeId());
    }
}
