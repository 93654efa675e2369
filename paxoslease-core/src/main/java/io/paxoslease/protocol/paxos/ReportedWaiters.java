package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage.Wanted;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What acceptors have said of those who wait for a lease that this node holds or is about to hold (W1), if it has no acceptor of its own
 * that knows. Hints. A few at most, as there are few acceptors, for as long as the tenure lasts.
 */
final class ReportedWaiters {

    /** Of proposals that are queued; zero: none is known. */
    private long highestQueued;

    private @Nullable NodeId first;
    /** One waits to hear that the lease is free, and is not queued. */
    private boolean waits;
    /** Those who asked once have not been answered there. */
    private final List<NodeId> asking = new ArrayList<>(1);

    void add(NodeId acceptor, Wanted wanted) {
        highestQueued = Math.max(highestQueued, wanted.highestQueued());
        first = wanted.first() == null ? first : wanted.first();
        if (!wanted.asking()) {
            waits |= wanted.highestQueued() == 0;
        } else if (!asking.contains(acceptor)) {
            asking.add(acceptor);
        }
    }

    /** Whether one is to be told that the lease is free, rather than granted it. */
    boolean isForHint() {
        return highestQueued == 0 && (waits || !asking.isEmpty());
    }

    /** Whose turn comes first, as was told last; null: unknown. */
    @Nullable
    NodeId first() {
        return first;
    }

    long highestQueued() {
        return highestQueued;
    }

    /** Answers which acceptors are to hear that the lease is in use, once. */
    List<NodeId> takeAsking() {
        List<NodeId> taken = List.copyOf(asking);
        asking.clear();
        return taken;
    }
}
