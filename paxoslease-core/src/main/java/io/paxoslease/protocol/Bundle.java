package io.paxoslease.protocol;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Leases of one lease time that are renewed together (P4, EXTEND). One list names them all; each has its own deadline, and whatever
 * happens to one of them alone takes it out. A list that was sent never changes: who goes leaves a gap, who comes makes a new list.
 */
final class Bundle extends Timed {

    final Incarnation incarnation;
    final long leaseNanos;
    /** In the order of the list; null where one has left. */
    final List<@Nullable Claim> members = new ArrayList<>();

    int size;
    int bytes;
    /** The number of the list; unnumbered when it must be made anew. */
    long list = Message.Extend.UNNUMBERED;
    /** When all members under that number end, once they end at the same time; null until then, and when the list changes. */
    @Nullable
    SharedEnd end;
    /** Who has acknowledged the list under its number. */
    final Votes knownBy;

    /** The attempt of the last round; its answers may still come. */
    long attempt;

    @Nullable
    Reading until;
    /** When the round is over; null when a majority has answered. */
    @Nullable
    Moment timeout;

    final Votes answered;
    Moment renewAt;
    /** No member ends before that, on either clock; null: it is not known. */
    @Nullable
    Reading noneEndsBefore;

    int failures;

    Bundle(Incarnation incarnation, long leaseNanos, Quorum quorum, Moment renewAt) {
        this.incarnation = incarnation;
        this.leaseNanos = leaseNanos;
        this.knownBy = new Votes(quorum);
        this.answered = new Votes(quorum);
        this.renewAt = renewAt;
    }

    void add(Claim claim) {
        claim.bundle = this;
        claim.placeInBundle = members.size();
        members.add(claim);
        boundBy(claim);
        size++;
        bytes += sizeOf(claim);
        change();
    }

    /** The list is another one, and the end that those before shared never moves again. */
    private void change() {
        list = Message.Extend.UNNUMBERED;
        end = null;
    }

    private void boundBy(Claim claim) {
        Reading known = noneEndsBefore;
        if (claim.tenure != null && size == 0) {
            noneEndsBefore = claim.tenure.until();
        } else if (claim.tenure != null && known != null) {
            noneEndsBefore = known.earlierOfBoth(claim.tenure.until());
        }
    }

    void remove(Claim claim) {
        members.set(claim.placeInBundle, null);
        claim.bundle = null;
        size--;
        bytes -= sizeOf(claim);
        change();
    }

    /** Closes the gaps; only while no answer to the list may be told apart any more. */
    void close() {
        members.removeIf(member -> member == null);
        for (int i = 0; i < members.size(); i++) {
            Claim member = members.get(i);
            if (member != null) {
                member.placeInBundle = i;
            }
        }
    }

    /** At most so many bytes in a message: a character is three at most. */
    static int sizeOf(Claim claim) {
        return 9 + 3 * claim.resource.length();
    }

    /** Looks at every member. */
    void findEarliestEnd() {
        Reading earliest = null;
        for (Claim member : members) {
            if (member != null && member.tenure != null) {
                Reading until = member.tenure.until();
                earliest = earliest == null ? until : earliest.earlierOfBoth(until);
            }
        }
        noneEndsBefore = earliest;
    }

    @Nullable
    Claim member(int position) {
        return position < members.size() ? members.get(position) : null;
    }
}
