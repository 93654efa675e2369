package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.TrackedResource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One round: a read of the register, then a write. Answers are counted by sender. */
final class Attempt {

    enum Kind {
        ACQUIRE,
        RENEW,
        RELEASE
    }

    enum Phase {
        READING,
        WRITING
    }

    final long id;
    final Kind kind;
    final Round round;
    final long leaseNanos;
    final Reading startedAt;
    final List<TrackedResource.Renewal> renewals = new ArrayList<>(0);
    private final Quorum quorum;
    private final Set<NodeId> agreed = new HashSet<>();
    private final Set<NodeId> refused = new HashSet<>();

    Phase phase = Phase.READING;
    Moment timeout;
    /** The highest round that a refusal named. */
    Round highest = Round.NONE;
    /** A hint said that the lease is free. */
    boolean freed;

    private Stored latest = Stored.NOTHING;
    private int haveLatest;
    private @Nullable Value proposed;
    private @Nullable Reading decidedAt;

    Attempt(long id, Kind kind, Round round, long leaseNanos, Quorum quorum, Reading now, long phaseNanos) {
        this.id = id;
        this.kind = kind;
        this.round = round;
        this.leaseNanos = leaseNanos;
        this.quorum = quorum;
        this.startedAt = now;
        this.timeout = now.moment().plusNanos(phaseNanos);
    }

    boolean isEcho(FleaseMessage.Reply reply) {
        return reply.attempt() == id && reply.round().equals(round);
    }

    boolean isAgreement(FleaseMessage.Reply reply) {
        return (reply instanceof FleaseMessage.ReadAck && phase == Phase.READING)
                || (reply instanceof FleaseMessage.WriteAck && phase == Phase.WRITING);
    }

    /** A sender counts once, however often it answers. */
    boolean agreed(NodeId from) {
        return agreed.add(from);
    }

    boolean hasAgreed(NodeId from) {
        return agreed.contains(from);
    }

    void refused(NodeId from, Round highestThere) {
        refused.add(from);
        highest = Round.later(highest, highestThere);
    }

    boolean hasMajority() {
        return agreed.size() >= quorum.majority();
    }

    /** Whether a majority cannot agree any more, not counting on who is absent. */
    boolean isRuledOut(Set<NodeId> absent) {
        long left = quorum.acceptors().stream()
                .filter(acceptor -> !refused.contains(acceptor))
                .filter(acceptor -> agreed.contains(acceptor) || !absent.contains(acceptor))
                .count();
        return left < quorum.majority();
    }

    boolean wasRefused() {
        return !refused.isEmpty();
    }

    /** Of what a majority has, that of the highest round counts. */
    void read(Stored stored) {
        if (stored.written().isAbove(latest.written())) {
            latest = stored;
            haveLatest = 0;
        }
        if (stored.written().equals(latest.written())) {
            haveLatest++;
        }
    }

    Stored latest() {
        return latest;
    }

    /** Whether a majority has it, so that it need not be written again. */
    boolean isLatestDecided() {
        return haveLatest >= quorum.majority();
    }

    void startWriting(Value value, Reading now, long phaseNanos) {
        phase = Phase.WRITING;
        agreed.clear();
        refused.clear();
        proposed = value;
        decidedAt = now;
        timeout = now.moment().plusNanos(phaseNanos);
    }

    Value proposed() {
        return Objects.requireNonNull(proposed, "nothing is proposed before it is written");
    }

    /** When the end was chosen. */
    Reading decidedAt() {
        return Objects.requireNonNull(decidedAt, "nothing is decided before it is written");
    }

    /** The end of what is proposed, on both of this node's clocks. */
    Reading until() {
        Reading from = decidedAt();
        long left = proposed().endMicros() - from.wallMicros();
        return new Reading(from.moment().plusNanos(left * 1_000), proposed().endMicros());
    }
}
