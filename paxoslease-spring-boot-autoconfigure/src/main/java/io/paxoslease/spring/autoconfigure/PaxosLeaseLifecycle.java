package io.paxoslease.spring.autoconfigure;

import io.paxoslease.NodeStartException;
import io.paxoslease.PaxosLease;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/** Starts the node before, and stops it after, all beans that may use its leases. */
final class PaxosLeaseLifecycle implements SmartLifecycle {

    /** Lower phases are left for beans that an application needs even before leases. */
    static final int PHASE = Integer.MIN_VALUE + 1000;

    private final PaxosLease node;
    private final @Nullable String aloneBecause;

    /** @param aloneBecause why the node is standalone although that is not configured; null if it is configured, or not so */
    PaxosLeaseLifecycle(PaxosLease node, @Nullable String aloneBecause) {
        this.node = node;
        this.aloneBecause = aloneBecause;
    }

    @Override
    public void start() {
        StandaloneWarning.warn(
                node.monitor().options(), aloneBecause, getClass().getClassLoader());
        node.start();
        try {
            new Admission(node.monitor()).await();
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
        return node.monitor().isRunning();
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
