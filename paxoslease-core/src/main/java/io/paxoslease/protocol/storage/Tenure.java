package io.paxoslease.protocol.storage;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Reading;

/** A lease that this client holds. */
final class Tenure {

    private static final int RENEWALS_PER_LEASE = 3;

    final long token;
    final long leaseNanos;
    final boolean renewed;
    final boolean shared;
    /** The last stamp that is known to have been written. */
    Claim.Attempt last;

    Reading until;
    Moment renewAt;
    long renewals;
    /** The clocks disagreed: it is confirmed before anybody relies on it again. */
    boolean suspect;

    Tenure(Claim.Attempt attempt, long token, Reading until, long leaseNanos, boolean renewed) {
        this.token = token;
        this.leaseNanos = leaseNanos;
        this.renewed = renewed;
        this.shared = attempt.stamp().isShared();
        this.last = attempt;
        this.until = until;
        this.renewAt = renewalAfter(attempt);
    }

    private Moment renewalAfter(Claim.Attempt attempt) {
        return attempt.startedAt().moment().plusNanos(Math.max(1, leaseNanos / RENEWALS_PER_LEASE));
    }

    boolean isToBeRenewed(boolean wished) {
        return renewed || wished || suspect;
    }

    boolean isOver(Moment now) {
        return !now.isBefore(until.moment());
    }

    /** An extension takes the later deadline; after a doubt only what was measured since counts. */
    void extend(Claim.Attempt attempt) {
        boolean later = until.moment().isBefore(attempt.until().moment());
        if (suspect ? renewed || !later : later) {
            until = attempt.until();
        }
        suspect = false;
        last = attempt;
        renewals++;
        renewAt = renewalAfter(attempt);
    }
}
