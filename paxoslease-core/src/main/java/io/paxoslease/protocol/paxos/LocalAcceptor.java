package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import org.jspecify.annotations.Nullable;

/**
 * What a proposer may know of its own node's acceptor without a message: hints, as all that is known of acceptors. A node that has
 * none, or one that is silent, knows nothing.
 */
final class LocalAcceptor {

    private final NodeId self;
    private @Nullable Acceptor acceptor;

    LocalAcceptor(NodeId self) {
        this.self = self;
    }

    void is(@Nullable Acceptor own) {
        acceptor = own;
    }

    /** Whether others wait for the resource there. */
    boolean isWanted(String resource, Reading now) {
        return acceptor != null && acceptor.notifier().isWanted(resource, now);
    }

    /**
     * The counter of another node that has become the holder there, or has renewed, within that time: it is alive, and others know
     * of it or soon will. Zero when there is none.
     */
    long freshRecordOfOther(String resource, long nanos, Reading now) {
        AcceptorSlot slot = acceptor == null ? null : acceptor.live(resource, now.moment());
        if (slot == null || self.equals(slot.ownerNode)) {
            return 0;
        }
        return slot.heardAt().nanosUntil(now.moment()) <= nanos ? slot.counter : 0;
    }

    /** The node whose turn comes first there, as of its last request; null: none waits. */
    @Nullable
    NodeId firstWaiter(String resource) {
        return acceptor == null ? null : acceptor.notifier().lastFirst(resource);
    }

    /** How many other nodes wait for a hint that the resource is free, and are not queued. */
    int waitingForHint(String resource, Reading now) {
        return acceptor == null ? 0 : acceptor.notifier().waitingForHint(resource, now);
    }

    /** The highest counter of a proposal that it keeps for another, to look at it when the lease is released; zero: it keeps none. */
    long highestKept(String resource, Reading now) {
        return acceptor == null ? 0 : acceptor.notifier().highestKept(resource, now);
    }

    /** The highest counter seen there (P0), of ballots that count or will count. */
    long highestSeen(String resource, Reading now) {
        return acceptor == null ? 0 : acceptor.highestSeen(resource, now);
    }
}
