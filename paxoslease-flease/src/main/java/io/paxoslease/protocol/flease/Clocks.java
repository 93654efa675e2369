package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.MessageSink;
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
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Whether this node's wall clock may be relied on: it was not set, and a majority is known to be near it. Each of the other members was
 * asked once, and from then on its clock is followed by this node's monotonic clock, so a change of the own wall clock shows at once.
 */
final class Clocks {

    private static final long INTERVAL = 1_000_000_000L;
    private static final int TIMES_IN_VALIDITY = 4;
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

    private final TimeRules bound;
    private final Quorum quorum;
    private final OwnClock own;
    private final Map<NodeId, Peer> peers = new TreeMap<>();
    private long ids;
    /** Before it, none of the peers is told what the clock shows: they may know what it showed before. */
    private @Nullable Moment answersFrom;

    private Moment asksAt;

    /**
     * @param startedAt when an earlier life of this node may have answered last; null when there was none
     * @param firstId drawn, so that no answer to an earlier life of this node is taken for one to this
     */
    Clocks(TimeRules bound, Quorum quorum, NodeId self, @Nullable Moment startedAt, long firstId, Reading now) {
        this.bound = bound;
        this.quorum = quorum;
        this.own = new OwnClock(bound, now);
        this.ids = firstId;
        quorum.acceptors().forEach(acceptor -> peers.put(acceptor, new Peer()));
        peers.remove(self);
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
        peers.replaceAll((node, peer) -> new Peer());
        answersFrom = now.moment().plusNanos(bound.unansweredNanos());
        asksAt = now.moment();
    }

    /** Another process may have told peers what the clock shows, until then. */
    void outlive(Moment answered) {
        Moment from = answered.plusNanos(bound.unansweredNanos());
        answersFrom = answersFrom == null ? from : Moment.later(answersFrom, from);
    }

    /** Whether a peer that compares is answered. */
    boolean answers(Reading now) {
        return answersFrom == null || !now.moment().isBefore(answersFrom);
    }

    /** Asks all peers, if it is time. */
    void askIfDue(Reading now, MessageSink out) {
        if (peers.isEmpty() || now.moment().isBefore(asksAt)) {
            return;
        }
        peers.keySet().forEach(peer -> out.send(peer, ask(peer, now)));
        long interval = Math.min(INTERVAL, bound.validityNanos() / TIMES_IN_VALIDITY);
        asksAt = now.moment().plusNanos(areWithinBound(now, 0) ? interval : interval / TIMES_IN_VALIDITY);
    }

    /** A new question to that peer, which leaves now. */
    FleaseMessage.Compare ask(NodeId peer, Reading now) {
        Map<Long, Moment> open = Objects.requireNonNull(peers.get(peer), "not another member").open;
        if (open.size() >= OPEN) {
            open.remove(open.keySet().iterator().next());
        }
        open.put(++ids, now.moment());
        return new FleaseMessage.Compare(ids);
    }

    /** Of two comparisons the one that is known better counts, as long as the other is not much older. */
    void onCompared(NodeId from, FleaseMessage.Compared answer, Reading now) {
        Peer peer = peers.get(from);
        Moment asked = peer == null ? null : peer.open.remove(answer.id());
        if (peer == null || asked == null) {
            return;
        }
        long roundTrip = asked.nanosUntil(now.moment());
        Measured fresh = new Measured(
                asked,
                answer.wallMicros(),
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
        return measured.errorMicros() + (long) (2 * TimeRules.RATE * age);
    }

    /** Half of the bound, because any two nodes that take part are compared by way of a third. */
    private boolean isWithinHalfOfBound(Measured measured, long spareMicros, Reading now) {
        return Math.abs(offset(measured, now)) + uncertainty(measured, now) <= bound.micros() / 2 - spareMicros;
    }

    private boolean counts(Measured measured, Reading now) {
        return measured.asked().nanosUntil(now.moment()) <= bound.validityNanos();
    }

    /** Of the peer's clock, if it is known to be near this node's. */
    private @Nullable Measured near(Peer peer, long spareMicros, Reading now) {
        Measured measured = peer.measured;
        return measured != null && counts(measured, now) && isWithinHalfOfBound(measured, spareMicros, now)
                ? measured
                : null;
    }

    /** Whether the clocks of a majority, this node's included, are known to be near this node's, with so much to spare. */
    boolean areWithinBound(Reading now, long spareMicros) {
        int near = 1;
        for (Peer peer : peers.values()) {
            near += near(peer, spareMicros, now) == null ? 0 : 1;
        }
        return near >= quorum.majority();
    }

    /** When to look again; null in a cell of one. */
    @Nullable
    Moment nextDeadline(Reading now) {
        return peers.isEmpty() ? null : Moment.earliest(asksAt, validUntil(now));
    }

    /** When a majority may be missing without any further event; null when it is missing now, and in a cell of one. */
    @Nullable
    Moment validUntil(Reading now) {
        List<Long> left = new ArrayList<>();
        for (Peer peer : peers.values()) {
            Measured near = near(peer, 0, now);
            if (near != null) {
                long young = bound.validityNanos() - near.asked().nanosUntil(now.moment());
                long room = bound.micros() / 2 - Math.abs(offset(near, now)) - uncertainty(near, now);
                left.add(Math.min(young, (long) (room * 1_000 / (2 * TimeRules.RATE))) + 1);
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
}
