package io.paxoslease.protocol;

import io.paxoslease.protocol.Message.Held;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a proposer knows of one resource: who in this node wants it, the attempt in flight, the tenure. At most one of
 * {@code retryAt} and {@code attempt} is set while there is no tenure.
 */
final class Claim extends Timed {

    /** A holder's wish to hold on. */
    record Renewal(long requestId, long leaseNanos) {}

    private static final long TIME_TO_ASK = 20_000_000;

    final String resource;
    final Requests requests = new Requests();
    final List<Renewal> renewals = new ArrayList<>(0);

    Incarnation incarnation;
    long lastCounter;
    /** What the next counter must be above, if those who were silent stay silent. */
    long learnt;

    int failures;
    /** How many attempts in a row, without a live lease in the way, some acceptor found too far ahead of its clock. */
    int clockFailures;
    /** Ballots of others came between: the next attempt prepares first (P8). */
    boolean contended;
    /** How often in a row the counter was raised to wait in line. */
    int raises;

    /** The lease was given up here while others waited for it, with counters up to this: the next attempt comes after them. */
    long comesAfter;
    /** The counter of the first attempt since this node has wanted it; zero while it does not. */
    long since;
    /** The attempt after which whoever asks once waits for the holder's word. */
    long askedBy;

    @Nullable
    Moment askUntil;

    @Nullable
    Tenure tenure;

    @Nullable
    Attempt attempt;

    @Nullable
    Moment retryAt;
    /** Others come first until then: this node has just given the resource up, and they waited. */
    @Nullable
    Moment yieldUntil;
    /** What it is renewed with; null when it goes by itself. */
    @Nullable
    Bundle bundle;

    int placeInBundle;
    /** The last answer that named another holder, and when it came: a hint. */
    @Nullable
    Held lastHeld;

    @Nullable
    Moment lastHeldAt;

    Claim(String resource, Incarnation incarnation) {
        this.resource = resource;
        this.incarnation = incarnation;
    }

    /** Counters may go down only with a new incarnation, and only while nothing rests on the old one. */
    void adopt(Incarnation fresh) {
        Invariants.check(tenure == null && attempt == null, "an incarnation in use is kept", resource);
        incarnation = fresh;
        lastCounter = 0;
        learnt = 0;
    }

    /** The one that is asked for has gone, or has what it wanted. */
    void turnsToNextRequest() {
        since = 0;
        raises = 0;
        askUntil = null;
    }

    boolean isIdle() {
        return tenure == null && attempt == null && requests.isEmpty() && yieldUntil == null;
    }

    /** A request whose limit has come; null when there is none. */
    @Nullable
    AcquireRequest lateRequest(Moment now) {
        AcquireRequest first = requests.peek();
        Moment limit = first == null ? null : giveUpFirstAt(first);
        if (limit != null && !now.isBefore(limit)) {
            return first;
        }
        AcquireRequest next = requests.earliestOfTheRest();
        return next == null || next.giveUpAt() == null || now.isBefore(next.giveUpAt()) ? null : next;
    }

    /** A limit on the wait leaves time to ask, so that a free lease is granted however short the wait. */
    private @Nullable Moment giveUpFirstAt(AcquireRequest first) {
        Moment limit = first.giveUpAt();
        return limit == null || tenure != null || attempt == null
                ? limit
                : Moment.later(limit, attempt.startedAt().plusNanos(TIME_TO_ASK));
    }

    /** The earliest of all that this claim waits for; null when it waits for nothing. */
    @Nullable
    Moment earliest() {
        Moment earliest = retryAt;
        if (yieldUntil != null) {
            earliest = earlier(earliest, yieldUntil);
        }
        if (attempt != null) {
            earliest = earlier(earliest, attempt.timeout);
        }
        if (tenure != null && bundle == null) {
            earliest = earlier(earliest, tenure.until().moment());
            if (tenure.isRenewed() && attempt == null && retryAt == null) {
                earliest = earlier(earliest, tenure.renewAt());
            }
        }
        AcquireRequest first = requests.peek();
        Moment limit = first == null ? null : giveUpFirstAt(first);
        if (limit != null) {
            earliest = earlier(earliest, limit);
        }
        AcquireRequest next = requests.earliestOfTheRest();
        return next == null || next.giveUpAt() == null ? earliest : earlier(earliest, next.giveUpAt());
    }

    private static Moment earlier(@Nullable Moment a, Moment b) {
        return a == null ? b : Moment.earlier(a, b);
    }
}
