package io.paxoslease.spring.autoconfigure;

import io.paxoslease.NodeStartException;
import io.paxoslease.PaxosLease;
import org.springframework.context.SmartLifecycle;

/** Starts the node before, and stops it after, all beans that may use its leases. */
final class PaxosLeaseLifecycle implements SmartLifecycle {

    /** Lower phases are left for beans that an application needs even before leases. */
    static final int PHASE = Integer.MIN_VALUE + 1000;

    private final PaxosLease node;

    PaxosLeaseLifecycle(PaxosLease node) {
        this.node = node;
    }

    @Override
    public void start() {
        StandaloneWarning.warn(node.options(), getClass().getClassLoader());
        node.start();
        try {
            new Admission(node).await();
        } catch (NodeStartException refused) {
            node.stop();
            throw refused;
        }
    }

    @Override
    public void stop() {
        node.stop();
    }

    @Override
    public boolean isRunning() {
        return node.isRunning();
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
