package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.NodeView.PeerClock;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Whether this node's wall clock may be relied on: it was not set, and a majority is known to be near it. */
final class Clocks {

    private static final long INTERVAL = 1_000_000_000L;
    private static final int TIMES_IN_VALIDITY = 4;

    private final Bound bound;
    private final Comparisons comparisons;
    private final OwnClock own;
    private final List<NodeId> peers;
    /** Before it, none of the peers is told what the clock shows: they may know what it showed before. */
    private @Nullable Moment answersFrom;

    private Moment asksAt;

    /**
     * @param startedAt when an earlier life of this node may have answered last; null when there was none
     * @param firstId where the numbers of this life's questions begin
     */
    Clocks(Bound bound, Quorum quorum, NodeId self, @Nullable Moment startedAt, long firstId, Reading now) {
        this.bound = bound;
        this.comparisons = new Comparisons(bound, quorum, self, firstId);
        this.own = new OwnClock(bound, now);
        this.peers = quorum.acceptors().stream()
                .filter(acceptor -> !acceptor.equals(self))
                .toList();
        this.answersFrom = startedAt == null ? null : startedAt.plusNanos(bound.unansweredNanos());
        this.asksAt = now.moment();
    }

    /** Whether the clock was set since the last call. If so, nothing that was measured counts any more. */
    boolean wasSet(Reading now) {
        boolean set = own.wasSet(now);
        if (set) {
            distrust(now);
        }
        return set;
    }

    void distrust(Reading now) {
        comparisons.clear();
        answersFrom = now.moment().plusNanos(bound.unansweredNanos());
        asksAt = now.moment();
    }

    boolean areWithinBound(Reading now) {
        return comparisons.hasMajority(now);
    }

    /** Whether a peer that compares is answered. */
    boolean answers(Reading now) {
        return answersFrom == null || !now.moment().isBefore(answersFrom);
    }

    /** Asks all peers, if it is time. */
    void askIfDue(Reading now, BiConsumer<NodeId, FleaseMessage> out) {
        if (peers.isEmpty() || now.moment().isBefore(asksAt)) {
            return;
        }
        peers.forEach(peer -> ask(peer, now, out));
        long interval = Math.min(INTERVAL, bound.validityNanos() / TIMES_IN_VALIDITY);
        asksAt = now.moment().plusNanos(areWithinBound(now) ? interval : interval / TIMES_IN_VALIDITY);
    }

    void ask(NodeId peer, Reading now, BiConsumer<NodeId, FleaseMessage> out) {
        out.accept(peer, new FleaseMessage.Compare(comparisons.ask(peer, now)));
    }

    void onCompared(NodeId from, FleaseMessage.Compared answer, Reading now) {
        comparisons.onCompared(from, answer.id(), answer.wallMicros(), now);
    }

    List<PeerClock> view(Reading now) {
        return comparisons.view(now);
    }

    @Nullable
    PeerClock worst(Reading now) {
        return comparisons.worst(now);
    }

    /** When to look again; null in a cell of one. */
    @Nullable
    Moment nextDeadline(Reading now) {
        if (peers.isEmpty()) {
            return null;
        }
        Moment end = comparisons.validUntil(now);
        return end == null ? asksAt : Moment.earlier(asksAt, end);
    }
}
