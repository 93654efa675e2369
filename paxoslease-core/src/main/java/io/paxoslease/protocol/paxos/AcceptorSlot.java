package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Invariants;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What an acceptor remembers of one resource: a record and a promise. Only the record excludes others. The promise makes tokens
 * increase and rejects late proposals of released tenures. A copy: {@link SlotTable} stores it.
 */
final class AcceptorSlot {

    /** The place of a resource without a slot. */
    static final int NOWHERE = -1;

    /** Where it is stored. */
    final int place;

    boolean hasPromise;
    long promised;

    @Nullable
    Incarnation promisedBy;

    /** The node that asked for the promise, or sent the release: the memory counts for it if there is no owner. */
    @Nullable
    NodeId promisedByNode;

    @Nullable
    Incarnation owner;

    @Nullable
    NodeId ownerNode;

    long counter;
    long deadline;
    long heardAt;

    AcceptorSlot(int place) {
        this.place = place;
    }

    boolean isLiveFor(Moment now) {
        return owner != null && now.isBefore(new Moment(deadline));
    }

    Moment deadline() {
        return new Moment(deadline);
    }

    /** A6: a record belongs to one incarnation of one node. Every HELD tells the incarnation, so the node must match too. */
    boolean isOwnedBy(NodeId node, Incarnation incarnation) {
        return incarnation.equals(owner) && node.equals(ownerNode);
    }

    /** Above the promise, or the promise itself again; without a promise, above the floor. */
    boolean isAcceptable(Ballot ballot, long floor) {
        long p = promisedCounter(floor);
        return ballot.counter() > p
                || (hasPromise && ballot.counter() == p && ballot.incarnation().equals(promisedBy));
    }

    /** A renewal must not lower the record's counter: a late release of the old counter would drop it. */
    boolean isAtLeastRecord(long ballotCounter) {
        return ballotCounter >= counter;
    }

    long promisedCounter(long floor) {
        return hasPromise ? promised : floor;
    }

    /** Accepting is also promising. A promise never decreases, and of equal counters the first stays. */
    void promise(NodeId from, Ballot ballot) {
        if (!hasPromise || ballot.counter() > promised) {
            hasPromise = true;
            promised = ballot.counter();
            promisedBy = ballot.incarnation();
            promisedByNode = from;
        }
    }

    /** A2: the deadline never moves back while the record is live: the holder may rely on an earlier round that was longer. */
    void accept(NodeId from, Ballot ballot, Moment until, boolean renewal) {
        Invariants.check(!renewal || isOwnedBy(from, ballot.incarnation()), "a live lease is never replaced", ballot);
        promise(from, ballot);
        deadline = (renewal ? Moment.later(new Moment(deadline), until) : until).nanos();
        owner = ballot.incarnation();
        ownerNode = from;
        counter = ballot.counter();
    }

    /** A4: a record with a lower counter does not count, because a late release of that counter may drop it. */
    boolean extend(NodeId from, Incarnation incarnation, long lowestCounter, Moment until, Moment now) {
        if (!isOwnedBy(from, incarnation) || counter < lowestCounter) {
            return false;
        }
        deadline = Moment.later(new Moment(deadline), until).nanos();
        heardAt(now);
        return true;
    }

    /** A3: a late PROPOSE of a released tenure must be refused, so the promise of a released counter belongs to no incarnation. */
    boolean fence(NodeId from, Incarnation incarnation, long upToCounter, long floor) {
        if (promisedCounter(floor) < upToCounter) {
            promisedByNode = hasPromise ? promisedByNode : from;
            hasPromise = true;
            promised = upToCounter;
            promisedBy = null;
            return true;
        } else if (hasPromise && promised == upToCounter && incarnation.equals(promisedBy)) {
            promisedBy = null;
            return true;
        }
        return false;
    }

    /** A3: only a record of this incarnation, up to that counter. */
    boolean drop(NodeId from, Incarnation incarnation, long upToCounter) {
        if (!isOwnedBy(from, incarnation) || counter > upToCounter) {
            return false;
        }
        owner = null;
        ownerNode = null;
        return true;
    }

    /** The owner began or extended the record at that moment. */
    void heardAt(Moment now) {
        heardAt = now.nanos();
    }

    Moment heardAt() {
        return new Moment(heardAt);
    }

    Held toHeld(String resource, Ballot ballot, long attempt, Moment now, long floor) {
        Ballot record = new Ballot(counter, Objects.requireNonNull(owner));
        return new Held(
                resource,
                ballot,
                attempt,
                record,
                Objects.requireNonNull(ownerNode),
                Math.max(0, now.nanosUntil(new Moment(deadline))),
                promisedCounter(floor),
                false);
    }
}
