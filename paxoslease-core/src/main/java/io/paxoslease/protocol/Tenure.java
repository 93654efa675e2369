package io.paxoslease.protocol;

/** A lease that this proposer holds. */
final class Tenure {

    private static final long SHORTEST_CONFIRMED = 2_000_000;

    final long token;
    final long leaseNanos;
    final boolean renewed;
    /** The counter of the latest completed round. */
    long counter;

    Reading until;
    Moment renewAt;
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
        this.until = attempt.until;
        this.renewAt = Backoff.renewalOf(attempt);
    }

    /**
     * P4: an extension takes the later deadline; a suspect tenure trusts only what was measured after the suspicion, and one
     * that is not renewed lasts no longer for it.
     */
    void extend(Attempt attempt) {
        heals = false;
        owed = false;
        if (suspect) {
            long later = attempt.until.moment().nanosUntil(until.moment());
            until = renewed ? attempt.until : attempt.until.plusNanos(Math.min(0, later));
        }
        boolean wasSuspect = suspect;
        suspect = false;
        extend(wasSuspect ? until : attempt.until, attempt.ballot.counter(), Backoff.renewalOf(attempt));
    }

    /** P4: the same for a tenure that is not suspect. */
    void extend(Reading newUntil, long newCounter, Moment newRenewAt) {
        until = newUntil.moment().isBefore(until.moment()) || newUntil.wallMicros() < until.wallMicros()
                ? new Reading(
                        Moment.later(until.moment(), newUntil.moment()),
                        Math.max(until.wallMicros(), newUntil.wallMicros()))
                : newUntil;
        counter = Math.max(counter, newCounter);
        renewals++;
        renewAt = newRenewAt;
    }

    boolean isRenewed() {
        return renewed || owed;
    }

    /** Whether it is time to renew it. */
    boolean isDue(Reading now) {
        return isRenewed() && !now.moment().isBefore(renewAt);
    }

    boolean isOver(Reading now) {
        return !now.moment().isBefore(until.moment());
    }

    boolean isOverByWallClock(Reading now) {
        return now.mayHaveReachedByWallClock(until);
    }

    /** Whether a majority can be asked to confirm it before the wall clock, which is read coarsely, ends it again. */
    boolean isWorthConfirming() {
        return renewed && leaseNanos > SHORTEST_CONFIRMED;
    }
}
