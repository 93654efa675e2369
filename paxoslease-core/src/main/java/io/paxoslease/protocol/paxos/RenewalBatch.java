package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timed;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Leases of one lease time that are renewed together (P4, EXTEND). Each has its own deadline, and leaves the batch as soon as
 * something happens to it alone. What was sent under a batch id never changes: a lease that leaves makes a gap, and the next round
 * has a new id.
 */
final class RenewalBatch extends Timed {

    final Incarnation incarnation;
    final long leaseNanos;
    /** In the order in which they were sent; null where one has left. */
    final List<@Nullable ResourceState> members = new ArrayList<>();

    int size;
    int bytes;
    /** Under which acceptors know the members; unnumbered when they have changed. */
    long batchId = PaxosMessage.Extend.UNNUMBERED;
    /** When all members under that id end, once they end at the same time; null until then, and when they change. */
    @Nullable
    SharedDeadline end;
    /** The acceptors that know the members under the id. */
    final AcceptorSet knownBy;

    /** The attempt of the last round; its answers may still come. */
    long attempt;

    @Nullable
    Reading until;
    /** When the round is over; null when a majority has answered. */
    @Nullable
    Moment timeout;

    final AcceptorSet answered;
    Moment renewAt;
    /** No member ends before that, on either clock; null: it is not known. */
    @Nullable
    Reading noneEndsBefore;

    int failures;

    RenewalBatch(Incarnation incarnation, long leaseNanos, Quorum quorum, Moment renewAt) {
        this.incarnation = incarnation;
        this.leaseNanos = leaseNanos;
        this.knownBy = new AcceptorSet(quorum);
        this.answered = new AcceptorSet(quorum);
        this.renewAt = renewAt;
    }

    void add(ResourceState state) {
        state.batch = this;
        state.placeInBatch = members.size();
        members.add(state);
        boundBy(state);
        size++;
        bytes += sizeOf(state);
        change();
    }

    /** The members are others, and the deadline that those before shared never moves again. */
    private void change() {
        batchId = PaxosMessage.Extend.UNNUMBERED;
        end = null;
    }

    private void boundBy(ResourceState state) {
        Reading known = noneEndsBefore;
        if (state.tenure != null && size == 0) {
            noneEndsBefore = state.tenure.until();
        } else if (state.tenure != null && known != null) {
            noneEndsBefore = known.earlierOfBoth(state.tenure.until());
        }
    }

    void remove(ResourceState state) {
        members.set(state.placeInBatch, null);
        state.batch = null;
        size--;
        bytes -= sizeOf(state);
        change();
    }

    /** Closes the gaps; only while no answer to the old order may come any more. */
    void close() {
        members.removeIf(member -> member == null);
        for (int i = 0; i < members.size(); i++) {
            ResourceState member = members.get(i);
            if (member != null) {
                member.placeInBatch = i;
            }
        }
    }

    /** At most so many bytes in a message: a character is three at most. */
    static int sizeOf(ResourceState state) {
        return 9 + 3 * state.resource.length();
    }

    /** Looks at every member. */
    void findEarliestEnd() {
        Reading earliest = null;
        for (ResourceState member : members) {
            if (member != null && member.tenure != null) {
                Reading until = member.tenure.until();
                earliest = earliest == null ? until : earliest.earlierOfBoth(until);
            }
        }
        noneEndsBefore = earliest;
    }

    @Nullable
    ResourceState member(int position) {
        return position < members.size() ? members.get(position) : null;
    }

    /** A copy of those that have not left. */
    List<ResourceState> present() {
        List<ResourceState> present = new ArrayList<>(size);
        for (ResourceState member : members) {
            if (member != null) {
                present.add(member);
            }
        }
        return present;
    }
}
