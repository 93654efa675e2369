package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.Backoff;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Reading;

/** A lease that this node holds. */
final class Tenure {

    final long token;
    final long leaseNanos;
    final boolean renewed;
    /** The owner's deadline on both clocks. */
    Reading until;

    Moment renewAt;
    long renewals;

    Tenure(Attempt attempt, boolean renewed) {
        this.token = attempt.proposed().token();
        this.leaseNanos = attempt.leaseNanos;
        this.renewed = renewed;
        this.until = attempt.until();
        this.renewAt = renewal(attempt);
    }

    private Moment renewal(Attempt attempt) {
        return Backoff.renewal(attempt.decidedAt().moment(), leaseNanos);
    }

    void extend(Attempt attempt) {
        Reading later = attempt.until();
        until = new Reading(
                Moment.later(until.moment(), later.moment()), Math.max(until.wallMicros(), later.wallMicros()));
        renewAt = renewal(attempt);
        renewals++;
    }

    boolean isDue(Reading now) {
        return renewed && !now.moment().isBefore(renewAt);
    }

    /** By either clock, so that one that is set cannot prolong it. */
    boolean isOver(Reading now) {
        return !now.moment().isBefore(until.moment()) || now.wallMicros() >= until.wallMicros();
    }
}
