package io.paxoslease.protocol;

import io.paxoslease.protocol.watch.WatchedResource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a {@link LeaseAlgorithm} wants done. */
public sealed interface Effect {

    /** Send a message. Loss, delay, repetition and reordering are fine. */
    record Send(NodeId to, Message message) implements Effect {}

    /**
     * The request is granted: a tenure begins.
     *
     * @param token its fencing token, which also names it
     * @param until the holder's deadline on both clocks
     * @param askedAt when the round that led to it began; after a wait in line, when the line moved
     */
    record Granted(long requestId, String resource, long token, Reading until, Moment askedAt) implements Effect {}

    /** The request is over without a lease. */
    record Denied(
            long requestId,
            String resource,
            Denial reason,
            @Nullable NodeId holder) implements Effect {}

    /** Why a request was denied. */
    enum Denial {
        /** Another holds the lease. */
        HELD,
        /** No majority answered. */
        NO_MAJORITY,
        /** A majority answered, but ballots of others kept coming first. */
        CONTENDED,
        /** The time to wait was over. */
        TIMED_OUT,
        /** The cell does not serve such a request: the lease time or this node's clock is out of bounds. */
        REFUSED,
        /** The members keep no more leases of this client, or have no room for them. */
        TOO_MANY,
        /** The node is stopping. */
        STOPPED,
        /** The store that leases are kept in did not answer, or not in time. */
        NO_STORE,
        /** What the store has for the lease is nothing that a client of this kind wrote. */
        UNREADABLE,
        /** Another client with this node's id is alive. */
        DUPLICATE,
        /** A client of the store is alive that writes leases by another form, or with another access bound. */
        INCOMPATIBLE,
        /** The store has lost writes that this client knows of: what is held by them must be over first. */
        RESTORED
    }

    /**
     * A tenure's deadline moved; it is not suspect.
     *
     * @param until the holder's deadline on both clocks
     * @param askedAt when the round that led to it began
     */
    record Extended(String resource, long token, Reading until, Moment askedAt) implements Effect {}

    /**
     * The same for all tenures of a list. When it is said again of a list of that number, nothing was said of any one of them
     * in between that changes its end: an end that they share may be moved for all of them.
     */
    record ExtendedTogether(TenureList tenures, Reading until, Moment askedAt) implements Effect {}

    /** A tenure must not be relied on until it is extended, which ends the doubt. */
    record Suspected(String resource, long token) implements Effect {}

    /** A tenure ended without having been given up. */
    record Lost(String resource, long token, Loss reason) implements Effect {}

    /** Why a tenure was lost. */
    enum Loss {
        /** The deadline came. */
        EXPIRED,
        /** The clocks disagreed, and no majority confirmed the tenure. */
        SUSPENDED,
        /** This node's wall clock is not within the bound that the algorithm relies on. Never from PaxosLease. */
        CLOCK
    }

    /**
     * Another node waits for the lease of this tenure. A hint: it may come more than once, late, or without a reason. Answered
     * by {@link Event.GiveUp} or {@link Event.InUse}.
     *
     * @param first the node whose turn comes first, as far as is known; null: unknown
     */
    record Wanted(String resource, long token, @Nullable NodeId first) implements Effect {

        public Wanted(String resource, long token) {
            this(resource, token, null);
        }
    }

    /**
     * The answer to {@link Event.Nominate}.
     *
     * @param answered whether a majority has answered
     * @param waiting who waits, of the nodes that were asked about
     */
    record Nominated(long requestId, boolean answered, List<Waiting> waiting) implements Effect {
        public Nominated {
            waiting = List.copyOf(waiting);
        }

        /**
         * A node that waits for the lease.
         *
         * @param sinceMicros when it began to want the lease, in microseconds since 1970 by its own wall clock or that of the members
         * @param queued whether a majority has queued its proposal
         */
        public record Waiting(NodeId node, long sinceMicros, boolean queued) {}
    }

    /** The answer to {@link Event.Renew}. */
    record Renewed(long requestId, boolean extended) implements Effect {}

    /**
     * A proposer's counters are ahead of this node's wall clock by more than half of what is accepted (section 7).
     *
     * @param aheadMicros by how much
     */
    record ClockAhead(NodeId proposer, long aheadMicros) implements Effect {}

    /**
     * No ballot counter is right for a majority of the acceptors: their wall clocks are too far apart (section 7).
     *
     * @param resource what cannot be granted for that reason; it is so for every resource
     * @param allowedMicros how far apart the clocks of a majority may be
     * @param offsets of the acceptors that refused
     */
    record ClocksApart(String resource, long allowedMicros, List<Offset> offsets) implements Effect {
        public ClocksApart {
            offsets = List.copyOf(offsets);
        }

        /**
         * An acceptor's wall clock, as far as its refusal tells.
         *
         * @param aheadMicros by how much it is ahead of this node's; negative: behind
         */
        public record Offset(NodeId acceptor, long aheadMicros) {}
    }

    /**
     * Something that people should know of.
     *
     * @param level how urgently an operator has to act
     */
    record Notice(Level level, String text) implements Effect {

        /** As in a log. */
        public enum Level {
            /** Something is well again. */
            INFO,
            /** An operator may have to act. */
            WARN,
            /** An operator has to act. */
            ERROR
        }
    }

    /**
     * This node's wall clock is not known to be within the bound that the algorithm relies on, so it takes no part; or it is
     * again. Never from PaxosLease.
     *
     * @param wasSet whether that is because it was set; told once each time
     * @param worst the clock that is farthest from it, told as soon as one is known to be too far; null when none is: too few could
     *     be compared, or were since it was set
     */
    record ClockBound(boolean kept, boolean wasSet, NodeView.@Nullable PeerClock worst) implements Effect {}

    /** What is known now of the other members' wall clocks; told whenever one of them was compared. Never from PaxosLease. */
    record ClocksCompared(List<NodeView.PeerClock> clocks) implements Effect {
        public ClocksCompared {
            clocks = List.copyOf(clocks);
        }
    }

    /**
     * What has changed of a watched prefix (section 10).
     *
     * @param all whether the changes are all that is known: nothing else is held
     * @param current whether a majority tells of each change; else what is known grows old
     */
    record Watched(String prefix, boolean all, boolean current, List<WatchedResource> changes) implements Effect {
        public Watched {
            changes = List.copyOf(changes);
        }
    }

    /** The answer to {@link Event.QueryHolder}: what is known now is as certain as it gets. */
    record HolderKnown(long requestId) implements Effect {}
}
