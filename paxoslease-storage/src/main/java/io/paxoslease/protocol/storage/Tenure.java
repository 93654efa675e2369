package io.paxoslease.protocol.storage;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.Backoff;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Reading;

/** A lease that this client holds. */
final class Tenure {

    final long token;
    final long leaseNanos;
    final boolean renewed;
    final boolean shared;
    /** The last stamp that is known to have been written. */
    ResourceState.Attempt last;

    Reading until;
    Moment renewAt;
    long renewals;
    /** The clocks disagreed: it is confirmed before anybody relies on it again. */
    boolean suspect;

    Tenure(ResourceState.Attempt attempt, Reading until, AcquireRequest request) {
        this.token = attempt.stamp().token();
        this.leaseNanos = request.leaseNanos();
        this.renewed = request.renewed();
        this.shared = attempt.stamp().isShared();
        this.last = attempt;
        this.until = until;
        this.renewAt = renewalAfter(attempt);
    }

    private Moment renewalAfter(ResourceState.Attempt attempt) {
        return Backoff.renewal(attempt.startedAt().moment(), leaseNanos);
    }

    boolean isOver(Moment now) {
        return !now.isBefore(until.moment());
    }

    /** An extension takes the later deadline; after a doubt only what was measured since counts. */
    void extend(ResourceState.Attempt attempt) {
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
