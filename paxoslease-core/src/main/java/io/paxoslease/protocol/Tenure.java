package io.paxoslease.protocol;

/** A lease that this proposer holds. */
final class Tenure {

    private static final long SHORTEST_CONFIRMED = 2_000_000;

    final long token;
    final long leaseNanos;
    final boolean renewed;
    /** The counter of the latest completed round. */
    long counter;

    /**
     * When it ends, on both clocks, and when to renew it: numbers, not objects. A node may hold very many leases for very long, and a
     * reference from an old object to a new one costs the garbage collector more than all the rest of a renewal.
     */
    private long untilNanos;

    private long untilWallMicros;
    private long renewAtNanos;
    long renewals;
    boolean suspect;
    /** It is not renewed, but the wait took part of its time. */
    boolean owed;
    /** An acceptor has no record of it: the next renewal is a proposal, which makes one. */
    boolean heals;

    Tenure(Attempt attempt, boolean renewed) {
        this.token = attempt.ballot.counter();
        this.counter = token;
        this.leaseNanos = attempt.leaseNanos;
        this.renewed = renewed;
        until(attempt.until);
        renewAt(Backoff.renewalOf(attempt));
    }

    Reading until() {
        return new Reading(new Moment(untilNanos), untilWallMicros);
    }

    private void until(Reading until) {
        untilNanos = until.moment().nanos();
        untilWallMicros = until.wallMicros();
    }

    /** Whether that is its end on both clocks. */
    boolean endsAt(Reading end) {
        return untilNanos == end.moment().nanos() && untilWallMicros == end.wallMicros();
    }

    Moment renewAt() {
        return new Moment(renewAtNanos);
    }

    void renewAt(Moment at) {
        renewAtNanos = at.nanos();
    }

    /**
     * P4: an extension takes the later deadline; a suspect tenure trusts only what was measured after the suspicion, and one
     * that is not renewed lasts no longer for it.
     */
    void extend(Attempt attempt) {
        heals = false;
        owed = false;
        if (suspect) {
            long later = attempt.until.moment().nanosUntil(new Moment(untilNanos));
            until(renewed ? attempt.until : attempt.until.plusNanos(Math.min(0, later)));
        }
        boolean wasSuspect = suspect;
        suspect = false;
        extend(wasSuspect ? until() : attempt.until, attempt.ballot.counter(), Backoff.renewalOf(attempt));
    }

    /** P4: the same for a tenure that is not suspect. */
    void extend(Reading newUntil, long newCounter, Moment newRenewAt) {
        untilNanos = Moment.later(new Moment(untilNanos), newUntil.moment()).nanos();
        untilWallMicros = Math.max(untilWallMicros, newUntil.wallMicros());
        counter = Math.max(counter, newCounter);
        renewals++;
        renewAt(newRenewAt);
    }

    boolean isRenewed() {
        return renewed || owed;
    }

    /** Whether it is time to renew it. */
    boolean isDue(Reading now) {
        return isRenewed() && !now.moment().isBefore(renewAt());
    }

    boolean isOver(Reading now) {
        return !now.moment().isBefore(new Moment(untilNanos));
    }

    boolean isOverByWallClock(Reading now) {
        return now.mayHaveReachedByWallClock(until());
    }

    /** Whether a majority can be asked to confirm it before the wall clock, which is read coarsely, ends it again. */
    boolean isWorthConfirming() {
        return renewed && leaseNanos > SHORTEST_CONFIRMED;
    }
}
