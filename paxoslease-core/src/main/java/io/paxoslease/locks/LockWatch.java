package io.paxoslease.locks;

import io.paxoslease.node.NodeRuntime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Looks once a second for threads that have ended without unlocking, while locks have leases. On the thread of the leases' node, by its
 * clock; of more than {@value #MOST} leases it looks at that many a second.
 */
final class LockWatch {

    private static final int MOST = 10_000;
    private static final long PERIOD_NANOS = 1_000_000_000;

    /** What a thread may have left behind. */
    interface Watched {

        /** Whether its thread has ended. Any thread may ask. */
        boolean isOrphaned();

        /** Gives it up if its thread has ended. Never waits for a thread. */
        boolean closeIfAbandoned();
    }

    private final Set<Watched> leases = ConcurrentHashMap.newKeySet();
    /** Those that are looked at next. */
    private Iterator<Watched> cursor = Collections.emptyIterator();

    private final SingleTimer timer = new SingleTimer(this::look);

    void add(Watched lease, NodeRuntime node) {
        leases.add(lease);
        timer.start(node, PERIOD_NANOS);
    }

    void remove(Watched lease) {
        leases.remove(lease);
    }

    private void look(NodeRuntime node) {
        try {
            dead().forEach(Watched::closeIfAbandoned);
        } finally {
            if (!leases.isEmpty()) {
                timer.start(node, PERIOD_NANOS);
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
