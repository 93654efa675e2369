package io.paxoslease.protocol;

/** A lease that this proposer holds. */
final class Tenure {

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

    /** P4: an extension takes the later deadline; a suspect tenure trusts only what was measured after the suspicion. */
    void extend(Attempt attempt) {
        if (suspect) {
            until = attempt.until;
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

    /** Not yet in the very microsecond of the end, or a tenure shorter than that would end in the step in which it begins. */
    boolean isOverByWallClock(Reading now) {
        return now.wallMicros() > until.wallMicros();
    }
}
