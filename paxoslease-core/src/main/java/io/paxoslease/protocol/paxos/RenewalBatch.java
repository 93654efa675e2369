package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Backoff;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.EffectBuffer;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.TenureList;
import io.paxoslease.protocol.paxos.PaxosMessage.Extend;
import io.paxoslease.protocol.paxos.PaxosMessage.Extended;
import io.paxoslease.protocol.paxos.PaxosMessage.Extension;
import io.paxoslease.protocol.paxos.PaxosMessage.InMode;
import io.paxoslease.protocol.paxos.PaxosMessage.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Leases of one lease time that are renewed together (P4, EXTEND). Each has its own deadline, and leaves the batch as soon as
 * something happens to it alone. What was sent under a batch id never changes: a lease that leaves makes a gap, and the next round
 * has a new id.
 */
final class RenewalBatch extends BatchTimes {

    final Incarnation incarnation;
    final long leaseNanos;
    private final Quorum quorum;

    /** In the order in which they were sent; null where one has left. */
    private final List<@Nullable Claim> members = new ArrayList<>();

    private int size;
    /** Under which acceptors know the members; unnumbered when they have changed. */
    private long batchId = Extend.UNNUMBERED;
    /** When all members under that id end, once they end at the same time; null until then, and when they change. */
    private @Nullable SharedDeadline end;
    /** The acceptors that know the members under the id. */
    private final AcceptorSet knownBy;
    /** The last round; its answers may still come. Null: there was none, or a lease has joined since. */
    private @Nullable Round round;
    /** The id of the last round, whatever has joined since; zero when there was none. */
    private long lastAttempt;

    RenewalBatch(Incarnation incarnation, long leaseNanos, Quorum quorum, Moment renewAt) {
        super(renewAt);
        this.incarnation = incarnation;
        this.leaseNanos = leaseNanos;
        this.quorum = quorum;
        this.knownBy = new AcceptorSet(quorum);
    }

    void add(Claim claim) {
        claim.joined(this, members.size());
        members.add(claim);
        round = null; // P5: the answers to what was sent without it count for nothing
        added(claim, size++ == 0);
        change();
    }

    void remove(Claim claim) {
        members.set(claim.placeInBatch(), null);
        claim.leftBatch();
        size--;
        removed(claim);
        change();
    }

    /** The members are others, and the deadline that those before shared never moves again. */
    private void change() {
        batchId = Extend.UNNUMBERED;
        end = null;
    }

    int size() {
        return size;
    }

    /** P1: a round begins, and answers to the one before are answers to nothing. */
    void begin(long attempt, LongSupplier batchIds, Reading now) {
        if (batchId == Extend.UNNUMBERED) {
            close();
            batchId = batchIds.getAsLong();
            knownBy.clear();
        }
        round = new Round(attempt, leaseNanos, quorum, now);
        lastAttempt = attempt;
    }

    /** Closes the gaps: no answer to the old order counts any more. */
    private void close() {
        members.removeIf(member -> member == null);
        for (int i = 0; i < members.size(); i++) {
            Objects.requireNonNull(members.get(i)).joined(this, i);
        }
    }

    /** The id of the last round; zero when there was none. */
    long attempt() {
        return lastAttempt;
    }

    boolean hasAnswered(NodeId acceptor) {
        return round != null && round.yes.contains(acceptor);
    }

    boolean isKnownBy(NodeId acceptor) {
        return knownBy.contains(acceptor);
    }

    /** Whether the members are those that were sent in the last round. */
    boolean isAsSent() {
        return batchId != Extend.UNNUMBERED;
    }

    /** What the round asks of an acceptor that knows the members by their id. R8: a batch is of one mode, as its rounds are. */
    Request byId() {
        return InMode.of(quorum, new Extend(incarnation, attempt(), leaseNanos, batchId, List.of()));
    }

    /** What the round asks of any other. */
    Request inFull() {
        List<Extension> extensions = new ArrayList<>(size);
        present().forEach(member -> extensions.add(new Extension(member.resource, member.held().counter)));
        return InMode.of(quorum, new Extend(incarnation, attempt(), leaseNanos, batchId, extensions));
    }

    /** The acceptor has forgotten the members; false when the answer is for another round. */
    boolean isForgottenBy(NodeId acceptor, PaxosMessage.UnknownBatch unknown) {
        if (!incarnation.equals(unknown.incarnation()) || unknown.attempt() != attempt()) {
            return false;
        }
        knownBy.remove(acceptor);
        return round != null && isAsSent() && timeout != null && !hasAnswered(acceptor);
    }

    /**
     * P3, P5: an acceptor has extended the members that it does not report as missing. Those that it does leave the batch before a
     * majority is counted, so every lease that stays is extended at each acceptor that is counted.
     *
     * @return the members that have left; null when the answer is not for this round
     */
    @Nullable
    List<Claim> take(NodeId from, Extended extended) {
        Round current = round;
        if (current == null
                || extended.attempt() != current.id
                || !incarnation.equals(extended.incarnation())
                || current.yes.contains(from)) {
            return null;
        }
        if (isAsSent()) {
            knownBy.add(from);
        }
        List<Claim> missing = new ArrayList<>(0);
        for (int position : extended.missing()) {
            Claim claim = member(position);
            if (claim != null) {
                remove(claim);
                missing.add(claim);
            }
        }
        current.agreed(from);
        return missing;
    }

    boolean hasQuorumBeforeDeadline(Reading now) {
        return round != null && round.hasQuorumBeforeDeadline(now);
    }

    /**
     * P3, P4: a majority has extended all members that are left: so are their tenures.
     *
     * @return whether they share one end from now on: then each is renewed until it is given up
     */
    boolean extend(EffectBuffer out, Reading now) {
        Round current = Objects.requireNonNull(round);
        renewAt = Backoff.renewal(current.startedAt(), leaseNanos);
        if (end != null) {
            end.extend(current, renewAt, now);
        } else if (extendEach(current, now)) {
            share(current.until);
        }
        if (end != null) {
            out.emit(new Effect.ExtendedTogether(end.tenures, end.until(), current.startedAt()));
        } else {
            out.expect(size);
            for (Claim member : present()) {
                Tenure tenure = member.held();
                out.emit(new Effect.Extended(member.resource, tenure.token, tenure.until(), current.startedAt()));
            }
        }
        noneEndsBefore = current.until; // no tenure ends before that, some may end later
        return end != null;
    }

    /** Whether all of the batch are renewed and end at the same time now. */
    private boolean extendEach(Round current, Reading now) {
        boolean same = isAsSent();
        for (Claim member : present()) {
            Tenure tenure = member.held();
            tenure.extend(current, renewAt, now);
            same &= tenure.renewed && tenure.until().equals(current.until);
        }
        return same;
    }

    /** As long as the batch stays as it is, its tenures are extended by one move. */
    private void share(Reading until) {
        List<String> resources = new ArrayList<>(size);
        long[] tokens = new long[size];
        for (Claim member : present()) {
            Tenure tenure = member.held();
            tokens[resources.size()] = tenure.token;
            resources.add(member.resource);
        }
        SharedDeadline shared = new SharedDeadline(new TenureList(batchId, resources, tokens), until, renewAt);
        present().forEach(member -> member.held().share(shared));
        end = shared;
    }

    /** The member at a place of what was sent; null when it has left. */
    @Nullable
    Claim member(int position) {
        return position < members.size() ? members.get(position) : null;
    }

    /** A copy of those that have not left. */
    List<Claim> present() {
        List<Claim> present = new ArrayList<>(size);
        for (Claim member : members) {
            if (member != null) {
                present.add(member);
            }
        }
        return present;
    }
}
