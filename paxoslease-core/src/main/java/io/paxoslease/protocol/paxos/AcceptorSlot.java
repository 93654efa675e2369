package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Invariants;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What an acceptor remembers of one resource: a record and a promise. The record alone excludes others. The promise makes tokens grow,
 * and keeps late proposals of released tenures out. A copy: {@link SlotTable} keeps it.
 */
final class AcceptorSlot {

    /** The place of a resource that nothing is remembered of. */
    static final int NOWHERE = -1;

    /** Where it is kept. */
    final int place;

    boolean hasPromise;
    long promised;

    @Nullable
    Incarnation promisedBy;

    /** Who asked for the promise, or sent the release that fences: pays for what is remembered, if there is no owner. */
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

    /** A record is its incarnation's and its node's: what names another's incarnation, which every HELD tells, is another's. */
    boolean isOwnedBy(NodeId node, Incarnation incarnation) {
        return incarnation.equals(owner) && node.equals(ownerNode);
    }

    /** Above the promise, or the promise itself again; without a promise, above the floor. */
    boolean isAcceptable(Ballot ballot, long floor) {
        long p = promisedCounter(floor);
        return ballot.counter() > p
                || (hasPromise && ballot.counter() == p && ballot.incarnation().equals(promisedBy));
    }

    /** A renewal must not lower the record's counter: a release of the old counter that comes late would drop it. */
    boolean isAtLeastRecord(long ballotCounter) {
        return ballotCounter >= counter;
    }

    long promisedCounter(long floor) {
        return hasPromise ? promised : floor;
    }

    /** Accepting is also promising. A promise never goes down, and of equal counters the first stays. */
    void promise(NodeId from, Ballot ballot) {
        if (!hasPromise || ballot.counter() > promised) {
            hasPromise = true;
            promised = ballot.counter();
            promisedBy = ballot.incarnation();
            promisedByNode = from;
        }
    }

    /** A2: the deadline never moves back while the record is live: an earlier, longer round may still be relied on. */
    void accept(NodeId from, Ballot ballot, Moment until, boolean renewal) {
        Invariants.check(!renewal || isOwnedBy(from, ballot.incarnation()), "a live lease is never replaced", ballot);
        promise(from, ballot);
        deadline = (renewal ? Moment.later(new Moment(deadline), until) : until).nanos();
        owner = ballot.incarnation();
        ownerNode = from;
        counter = ballot.counter();
    }

    /** A4: a record with a lower counter does not count: a late release of that counter may still drop it. */
    boolean extend(NodeId from, Incarnation incarnation, long lowestCounter, Moment until, Moment now) {
        if (!isOwnedBy(from, incarnation) || counter < lowestCounter) {
            return false;
        }
        deadline = Moment.later(new Moment(deadline), until).nanos();
        heardAt(now);
        return true;
    }

    /** A3: a late PROPOSE of a released tenure must not be accepted: the promise of a released counter is no incarnation's. */
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
