package io.paxoslease.protocol;

import io.paxoslease.protocol.Message.Held;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What an acceptor remembers of one resource: a promise, a record, and who waits. */
final class AcceptorSlot {

    private static final int MAX_WAITERS = 64;

    private boolean hasPromise;
    private long promised;
    private @Nullable Incarnation promisedBy;

    private @Nullable Incarnation owner;
    private @Nullable NodeId ownerNode;
    private long counter;
    private long deadline;
    private long heardAt;

    private @Nullable List<Waiter> waiters;
    private boolean touched;

    private record Waiter(NodeId node, Moment until) {}

    boolean isLiveFor(Moment now) {
        return owner != null && now.isBefore(new Moment(deadline));
    }

    boolean isOwnedBy(Incarnation incarnation) {
        return incarnation.equals(owner);
    }

    /** Above the promise, or the promise itself again; without a promise, above the floor. */
    boolean isAcceptable(Ballot ballot, long floor) {
        long p = promisedCounter(floor);
        return ballot.counter() > p
                || (hasPromise && ballot.counter() == p && ballot.incarnation().equals(promisedBy));
    }

    boolean isAtLeastRecord(long ballotCounter) {
        return ballotCounter >= counter;
    }

    long promisedCounter(long floor) {
        return hasPromise ? promised : floor;
    }

    /** Accepting is also promising. A promise never goes down, and of equal counters the first stays. */
    void promise(Ballot ballot) {
        if (!hasPromise || ballot.counter() > promised) {
            hasPromise = true;
            promised = ballot.counter();
            promisedBy = ballot.incarnation();
        }
    }

    /** The deadline never moves back within one incarnation: an earlier, longer round may still be relied on. */
    void accept(NodeId from, Ballot ballot, Moment until, boolean renewal) {
        Invariants.check(!renewal || isOwnedBy(ballot.incarnation()), "a live lease is never replaced", ballot);
        promise(ballot);
        deadline = (renewal ? Moment.later(new Moment(deadline), until) : until).nanos();
        owner = ballot.incarnation();
        ownerNode = from;
        counter = ballot.counter();
        removeWaiter(from);
    }

    boolean extend(Incarnation incarnation, long lowestCounter, Moment until, Moment now) {
        if (!isOwnedBy(incarnation) || counter < lowestCounter) {
            return false;
        }
        touched = true;
        deadline = Moment.later(new Moment(deadline), until).nanos();
        heardAt(now);
        return true;
    }

    /** A late PROPOSE of a released tenure must not be accepted: nobody owns the promise of a released counter. */
    void fence(Incarnation incarnation, long upToCounter, long floor) {
        if (promisedCounter(floor) < upToCounter) {
            hasPromise = true;
            promised = upToCounter;
            promisedBy = null;
        } else if (hasPromise && promised == upToCounter && incarnation.equals(promisedBy)) {
            promisedBy = null;
        }
    }

    boolean drop(Incarnation incarnation, long upToCounter) {
        if (!isOwnedBy(incarnation) || counter > upToCounter) {
            return false;
        }
        owner = null;
        ownerNode = null;
        return true;
    }

    void addWaiter(NodeId node, Moment until) {
        if (waiters == null) {
            waiters = new ArrayList<>(2);
        }
        for (int i = 0; i < waiters.size(); i++) {
            if (waiters.get(i).node().equals(node)) {
                waiters.set(i, new Waiter(node, until));
                return;
            }
        }
        if (waiters.size() < MAX_WAITERS) {
            waiters.add(new Waiter(node, until));
        }
    }

    List<NodeId> waiters(Moment now) {
        if (waiters == null) {
            return List.of();
        }
        waiters.removeIf(waiter -> !now.isBefore(waiter.until()));
        return waiters.stream().map(Waiter::node).toList();
    }

    private void removeWaiter(NodeId node) {
        if (waiters != null) {
            waiters.removeIf(waiter -> waiter.node().equals(node));
            if (waiters.isEmpty()) {
                waiters = null;
            }
        }
    }

    /** The owner began or extended the record at that moment. */
    void heardAt(Moment now) {
        heardAt = now.nanos();
    }

    Moment heardAt() {
        return new Moment(heardAt);
    }

    void touch() {
        touched = true;
    }

    boolean isIdleSinceLastPass(Moment now) {
        boolean idle = !touched && !isLiveFor(now);
        touched = false;
        return idle;
    }

    Held toHeld(String resource, Ballot ballot, long attempt, Moment now) {
        Ballot record = new Ballot(counter, Objects.requireNonNull(owner));
        return new Held(
                resource,
                ballot,
                attempt,
                record,
                Objects.requireNonNull(ownerNode),
                Math.max(0, now.nanosUntil(new Moment(deadline))));
    }
}
