package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.NodeView.PeerClock;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What this node knows of the other members' wall clocks. Each was asked once, and from then on its clock is followed by this
 * node's monotonic clock, so a change of the own wall clock shows at once.
 */
final class Comparisons {

    /** How many questions to a peer may wait for an answer. */
    private static final int OPEN = 8;

    /**
     * @param asked before the clock was read, so when this counts no more, nothing counts that it showed before then
     * @param wallMicros what the peer's clock showed
     * @param at when, half of the way back earlier than the answer came
     * @param errorMicros by how much it may have been something else
     */
    private record Measured(Moment asked, long wallMicros, Moment at, long errorMicros) {}

    private static final class Peer {
        private final Map<Long, Moment> open = new LinkedHashMap<>();
        private @Nullable Measured measured;
    }

    private final Bound bound;
    private final Quorum quorum;
    private final Map<NodeId, Peer> peers = new TreeMap<>();
    private long ids;

    /** @param firstId drawn, so that no answer to an earlier life of this node is taken for one to this */
    Comparisons(Bound bound, Quorum quorum, NodeId self, long firstId) {
        this.ids = firstId;
        this.bound = bound;
        this.quorum = quorum;
        for (NodeId acceptor : quorum.acceptors()) {
            if (!acceptor.equals(self)) {
                peers.put(acceptor, new Peer());
            }
        }
    }

    /** The number of a new question to that peer, which leaves now. */
    long ask(NodeId peer, Reading now) {
        Map<Long, Moment> open = open(peer);
        if (open.size() >= OPEN) {
            open.remove(open.keySet().iterator().next());
        }
        open.put(++ids, now.moment());
        return ids;
    }

    private Map<Long, Moment> open(NodeId peer) {
        Peer asked = peers.get(peer);
        if (asked == null) {
            throw new IllegalArgumentException(peer + " is no other member of this cell");
        }
        return asked.open;
    }

    /** Of two comparisons the one that is known better counts, as long as the other is not much older. */
    void onCompared(NodeId from, long id, long wallMicros, Reading now) {
        Peer peer = peers.get(from);
        Moment asked = peer == null ? null : peer.open.remove(id);
        if (peer == null || asked == null) {
            return;
        }
        long roundTrip = asked.nanosUntil(now.moment());
        Measured fresh = new Measured(
                asked,
                wallMicros,
                now.moment().plusNanos(-(roundTrip / 2)),
                roundTrip / 2_000 + 1 + bound.comparisonErrorMicros());
        Measured old = peer.measured;
        if (old == null
                || isOld(old, now)
                || contradicts(fresh, old, now)
                || uncertainty(fresh, now) <= uncertainty(old, now)) {
            peer.measured = fresh;
        }
    }

    /** What must not be: one of the clocks was set, or stood still. What is seen now counts. */
    private static boolean contradicts(Measured fresh, Measured old, Reading now) {
        return Math.abs(offset(fresh, now) - offset(old, now)) > uncertainty(fresh, now) + uncertainty(old, now);
    }

    private boolean isOld(Measured measured, Reading now) {
        return measured.at().nanosUntil(now.moment()) > bound.validityNanos() / 2;
    }

    /** How far the peer's clock is ahead of the own one. */
    private static long offset(Measured measured, Reading now) {
        return measured.wallMicros() + measured.at().nanosUntil(now.moment()) / 1_000 - now.wallMicros();
    }

    private static long uncertainty(Measured measured, Reading now) {
        long age = measured.at().nanosUntil(now.moment()) / 1_000;
        return measured.errorMicros() + (long) (2 * Bound.RATE * age);
    }

    /** Half of the bound, because any two nodes that take part are compared by way of a third. */
    private boolean isWithinHalfOfBound(Measured measured, Reading now) {
        return Math.abs(offset(measured, now)) + uncertainty(measured, now) <= bound.micros() / 2;
    }

    private boolean counts(Measured measured, Reading now) {
        return measured.asked().nanosUntil(now.moment()) <= bound.validityNanos();
    }

    /** Whether the clocks of a majority, this node's included, are known to be near this node's. */
    boolean hasMajority(Reading now) {
        int near = 1;
        for (Peer peer : peers.values()) {
            Measured measured = peer.measured;
            if (measured != null && counts(measured, now) && isWithinHalfOfBound(measured, now)) {
                near++;
            }
        }
        return near >= quorum.majority();
    }

    /** When a majority may be missing without any further event; null when it never is, as in a cell of one. */
    @Nullable
    Moment validUntil(Reading now) {
        List<Long> left = new ArrayList<>();
        for (Peer peer : peers.values()) {
            Measured measured = peer.measured;
            if (measured != null && counts(measured, now) && isWithinHalfOfBound(measured, now)) {
                long young = bound.validityNanos() - measured.asked().nanosUntil(now.moment());
                long room = bound.micros() / 2 - Math.abs(offset(measured, now)) - uncertainty(measured, now);
                left.add(Math.min(young, (long) (room * 1_000 / (2 * Bound.RATE))) + 1);
            }
        }
        int needed = quorum.majority() - 1;
        if (needed == 0 || left.size() < needed) {
            return null;
        }
        left.sort(Comparator.reverseOrder());
        return now.moment().plusNanos(left.get(needed - 1));
    }

    List<PeerClock> view(Reading now) {
        List<PeerClock> clocks = new ArrayList<>();
        peers.forEach((node, peer) -> {
            Measured measured = peer.measured;
            if (measured != null && counts(measured, now)) {
                clocks.add(new PeerClock(node, offset(measured, now), uncertainty(measured, now)));
            }
        });
        return clocks;
    }

    /** The clock that is farthest off, of those that are known not to be near enough; null when there is none. */
    @Nullable
    PeerClock worst(Reading now) {
        return view(now).stream()
                .filter(clock -> Math.abs(clock.offsetMicros()) + clock.uncertaintyMicros() > bound.micros() / 2)
                .max(Comparator.comparingLong(clock -> Math.abs(clock.offsetMicros()) + clock.uncertaintyMicros()))
                .orElse(null);
    }

    void clear() {
        peers.values().forEach(peer -> {
            peer.open.clear();
            peer.measured = null;
        });
    }
}
