package io.paxoslease.spring.test;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * The shards that the test has not granted. Another node holds their leases, without participating in their groups: so the
 * application sees that they have an owner, and does not ask for them again and again while the clock moves. Used by the
 * test's thread.
 */
final class UngrantedShards {

    private final PaxosLease peer;
    private final Grants grants;
    private final Map<String, Integer> counts = new TreeMap<>();
    /** Leases that the peer holds, or waits for. */
    private final Map<String, CompletableFuture<Lease>> leases = new TreeMap<>();

    UngrantedShards(PaxosLease peer, Grants grants) {
        this.peer = peer;
        this.grants = grants;
    }

    /** The name of the lease of a shard. */
    static String resource(String group, int index) {
        return prefix(group) + index;
    }

    private static String prefix(String group) {
        return "shard:" + group + "/";
    }

    /** None of the group's shards is granted. Call {@link #hold} then. */
    void add(String group, int count) {
        counts.put(group, count);
        grants.control(prefix(group));
    }

    /** The peer asks for all that is not granted and that it does not hold, if it runs. It queues for what the application holds. */
    void hold() {
        if (!peer.monitor().isRunning()) {
            return;
        }
        counts.forEach((group, count) -> {
            for (int index = 0; index < count; index++) {
                String resource = resource(group, index);
                CompletableFuture<Lease> asked = leases.get(resource);
                if (!grants.isGranted(resource) && (asked == null || isOver(asked))) {
                    leases.put(resource, peer.acquire(resource, AcquireOptions.renewing()));
                }
            }
        });
    }

    /** By a stop of the peer. */
    private static boolean isOver(CompletableFuture<Lease> asked) {
        return asked.isCompletedExceptionally()
                || (asked.isDone() && !asked.join().isHeld());
    }

    /** The peer gives these up. */
    void release(Set<String> resources) {
        for (String resource : resources) {
            CompletableFuture<Lease> asked = leases.remove(resource);
            if (asked != null && !asked.cancel(false) && !asked.isCompletedExceptionally()) {
                asked.join().release();
            }
        }
    }
}
