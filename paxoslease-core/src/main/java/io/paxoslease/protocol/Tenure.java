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
        if (suspect) {
            long later = attempt.until.moment().nanosUntil(until.moment());
            until = renewed ? attempt.until : attempt.until.plusNanos(Math.min(0, later));
        } else {
            until = new Reading(
                    Moment.later(until.moment(), attempt.until.moment()),
                    Math.max(until.wallMicros(), attempt.until.wallMicros()));
        }
        counter = Math.max(counter, attempt.ballot.counter());
        suspect = false;
        renewals++;
        renewAt = Backoff.renewalOf(attempt);
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
