package io.paxoslease.locks;

import io.paxoslease.node.NodeRuntime;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The timer of one lock that checks its idle lease. It runs on the thread of the lease's node; at most one is set at a time. */
@SuppressWarnings("serial") // made for use, not to be stored
final class IdleTimer extends AtomicReference<@Nullable NodeRuntime> {

    private final transient LockLease lease;

    IdleTimer(LockLease lease) {
        this.lease = lease;
    }

    /** Has the lease checked after that time by the node's clock, unless a timer is set there. */
    void start(NodeRuntime node, long nanos) {
        NodeRuntime set = get();
        if (set != node && compareAndSet(set, node)) {
            boolean started = false;
            try {
                node.later(() -> fire(node), nanos);
                started = true;
            } finally {
                if (!started) { // the next use starts one
                    compareAndSet(node, null);
                }
            }
        }
    }

    private void fire(NodeRuntime node) {
        if (compareAndSet(node, null)) {
            lease.onTimer();
        }
    }
}
