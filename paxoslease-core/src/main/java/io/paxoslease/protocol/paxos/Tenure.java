package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Backoff;
import io.paxoslease.protocol.Invariants;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Reading;
import org.jspecify.annotations.Nullable;

/** A lease that this proposer holds. */
final class Tenure {

    private static final long SHORTEST_CONFIRMED = 2_000_000;

    final long token;
    final long leaseNanos;
    final boolean renewed;
    /** The counter of the latest completed round. */
    long counter;

    /**
     * When it ends, on both clocks, and when to renew it: numbers, not objects. A node may hold many leases for a long time, and a reference
     * from an old object to a new one costs the garbage collector more than the rest of a renewal.
     */
    private long untilNanos;

    private long untilWallMicros;
    private long renewAtNanos;
    private long renewals;
    /** Has its end and its time to renew, until it gets an end of its own; null: they are here. */
    @Nullable
    private SharedDeadline shared;

    boolean suspect;
    /** It is renewed once, because the wait has used up a part of its time, and not again. */
    boolean renewOnce;
    /** An acceptor has no record of it: the next renewal is a proposal, which creates one. */
    boolean needsRepropose;

    /** P2, P3: begins when a majority has accepted what the attempt proposed, before its deadline. */
    Tenure(Attempt attempt, boolean renewed, long heldNanos, Reading now) {
        Invariants.check(attempt.mayHaveRecords(), "a tenure begins with a proposal", attempt.ballot);
        attempt.checkQuorum(now);
        this.token = attempt.ballot.counter();
        this.counter = token;
        this.leaseNanos = Math.max(attempt.leaseNanos, heldNanos);
        this.renewed = renewed;
        until(attempt.until);
        renewAt(Backoff.renewal(attempt.startedAt(), attempt.leaseNanos));
    }

    /** From now on it ends when all of its batch do. It has just been extended to exactly that end. */
    void share(SharedDeadline end) {
        shared = end;
    }

    /** Copies what it has shared until now, because only a value of its own may be changed. */
    private void own() {
        SharedDeadline end = shared;
        if (end != null) {
            shared = null;
            untilNanos = end.untilNanos();
            untilWallMicros = end.untilWallMicros();
            renewAtNanos = end.renewAtNanos();
            renewals += end.extensions();
        }
    }

    private long untilNanos() {
        return shared == null ? untilNanos : shared.untilNanos();
    }

    Reading until() {
        return shared == null ? new Reading(new Moment(untilNanos), untilWallMicros) : shared.until();
    }

    private void until(Reading until) {
        own();
        untilNanos = until.moment().nanos();
        untilWallMicros = until.wallMicros();
    }

    Moment renewAt() {
        return new Moment(shared == null ? renewAtNanos : shared.renewAtNanos());
    }

    void renewAt(Moment at) {
        own();
        renewAtNanos = at.nanos();
    }

    /**
     * P4: an extension takes the later deadline. A suspect tenure trusts only what was measured after the suspicion, and a
     * confirmation does not prolong a tenure that is not renewed.
     */
    void extend(Attempt attempt, Reading now) {
        Invariants.check(attempt.phase() != Attempt.Phase.PREPARING, "a promise extends nothing", attempt.ballot);
        Invariants.check(!suspect || attempt.kind == Attempt.Kind.CONFIRM, "a doubt ends by EXTEND", attempt.ballot);
        attempt.checkQuorum(now);
        needsRepropose = false;
        renewOnce = false;
        if (suspect) {
            long later = attempt.until.moment().nanosUntil(new Moment(untilNanos()));
            until(renewed ? attempt.until : attempt.until.plusNanos(Math.min(0, later)));
        }
        boolean wasSuspect = suspect;
        suspect = false;
        Moment renewal = Backoff.renewal(attempt.startedAt(), attempt.leaseNanos);
        extend(wasSuspect ? until() : attempt.until, attempt.ballot.counter(), renewal);
    }

    /** P4: the same for a tenure of a batch, which is not suspect. */
    void extend(Round round, Moment newRenewAt, Reading now) {
        round.checkQuorum(now);
        Invariants.check(!suspect && !isOver(now), "only a live tenure is renewed with others", round.until);
        extend(round.until, counter, newRenewAt);
    }

    private void extend(Reading newUntil, long newCounter, Moment newRenewAt) {
        own();
        untilNanos = Moment.later(new Moment(untilNanos), newUntil.moment()).nanos();
        untilWallMicros = Math.max(untilWallMicros, newUntil.wallMicros());
        counter = Math.max(counter, newCounter);
        renewals++;
        renewAt(newRenewAt);
    }

    long renewals() {
        return shared == null ? renewals : renewals + shared.extensions();
    }

    boolean isRenewed() {
        return renewed || renewOnce;
    }

    /** Whether it is time to renew it. */
    boolean isDue(Reading now) {
        return isRenewed() && !now.moment().isBefore(renewAt());
    }

    boolean isOver(Reading now) {
        return !now.moment().isBefore(new Moment(untilNanos()));
    }

    boolean isOverByWallClock(Reading now) {
        return now.mayHaveReachedByWallClock(until());
    }

    /** Whether a majority can be asked to confirm it before the wall clock, which is read coarsely, ends it again. */
    boolean isWorthConfirming() {
        return renewed && leaseNanos > SHORTEST_CONFIRMED;
    }
}
