package io.paxoslease.locks;

import io.paxoslease.node.NodeRuntime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Looks once a second for threads that have ended without unlocking, while locks have leases. On the thread of the leases' node, by its
 * clock; of more than {@value #MOST} leases it looks at that many a second.
 */
@SuppressWarnings("serial") // made for use, not to be stored
final class LockWatch extends AtomicReference<@Nullable NodeRuntime> {

    private static final int MOST = 10_000;
    private static final long PERIOD_NANOS = 1_000_000_000;

    /** What a thread may have left behind. */
    interface Watched {

        /** Whether its thread has ended. Any thread may ask. */
        boolean isOrphaned();

        /** Gives it up if its thread has ended. Never waits for a thread. */
        boolean closeIfAbandoned();
    }

    private final transient Set<Watched> leases = ConcurrentHashMap.newKeySet();
    /** Those that are looked at next. */
    private transient Iterator<Watched> cursor = Collections.emptyIterator();

    void add(Watched lease, NodeRuntime node) {
        leases.add(lease);
        start(node);
    }

    void remove(Watched lease) {
        leases.remove(lease);
    }

    /** Unless it is set there already. */
    private void start(NodeRuntime node) {
        NodeRuntime set = get();
        if (set != node && compareAndSet(set, node)) {
            boolean started = false;
            try {
                node.later(() -> look(node), PERIOD_NANOS);
                started = true;
            } finally {
                if (!started) { // the next lease starts it
                    compareAndSet(node, null);
                }
            }
        }
    }

    private void look(NodeRuntime node) {
        if (compareAndSet(node, null)) {
            try {
                dead().forEach(Watched::closeIfAbandoned);
            } finally {
                if (!leases.isEmpty()) {
                    start(node);
                }
            }
        }
    }

    /** Whose threads have ended. */
    private synchronized List<Watched> dead() {
        Iterator<Watched> all = cursor.hasNext() ? cursor : leases.iterator();
        List<Watched> dead = new ArrayList<>();
        for (int i = 0; i < MOST && all.hasNext(); i++) {
            Watched lease = all.next();
            if (lease.isOrphaned()) {
                dead.add(lease);
            }
        }
        cursor = all.hasNext() ? all : Collections.emptyIterator(); // one at its end refers to the last lease
        return dead;
    }
}
