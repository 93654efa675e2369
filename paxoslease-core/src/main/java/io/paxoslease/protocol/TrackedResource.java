package io.paxoslease.protocol;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A resource that an algorithm is busy with, and what this node's users want of it. Each algorithm adds what it knows of it. */
public abstract class TrackedResource extends Timed {

    /** A holder's request to hold for that long from now on. */
    public record Renewal(long requestId, long leaseNanos) {}

    private static final long TIME_TO_ASK = 20_000_000;

    public final String resource;
    public final RequestQueue requests = new RequestQueue();
    public final List<Renewal> renewals = new ArrayList<>(0);

    protected TrackedResource(String resource) {
        this.resource = resource;
    }

    /** Whether nothing is wanted, held or under way, so that it can be forgotten. */
    protected abstract boolean isIdle();

    /** Whether this node holds it. */
    protected abstract boolean isHeld();

    /** The fencing token of the tenure; zero when it is not held. */
    protected abstract long token();

    /** When the first request, whose limit that is, is given up; null: not while what is under way for it goes on. */
    @Nullable
    protected abstract Moment giveUpFirstAt(Moment limit);

    /** However short the limit on a wait, it leaves time to ask, so that a free lease is granted. */
    protected static Moment leavingTimeToAsk(Moment limit, Moment askedAt) {
        return Moment.later(limit, askedAt.plusNanos(TIME_TO_ASK));
    }

    private @Nullable Moment limitOfFirst() {
        AcquireRequest first = requests.peek();
        Moment limit = first == null ? null : first.giveUpAt();
        return limit == null ? null : giveUpFirstAt(limit);
    }

    /** When the next request is given up; null: none is. */
    @Nullable
    Moment earliestLimit() {
        AcquireRequest next = requests.earliestOfTheRest();
        return Moment.earliest(limitOfFirst(), next == null ? null : next.giveUpAt());
    }

    /** A request whose limit has come; null when there is none. */
    @Nullable
    AcquireRequest lateRequest(Moment now) {
        Moment limit = limitOfFirst();
        if (limit != null && !now.isBefore(limit)) {
            return requests.getFirst();
        }
        AcquireRequest next = requests.earliestOfTheRest();
        return next == null || next.giveUpAt() == null || now.isBefore(next.giveUpAt()) ? null : next;
    }

    /** The longest time that the holder has asked for; zero when it has not asked. */
    public long longestRenewal() {
        return renewals.stream().mapToLong(Renewal::leaseNanos).max().orElse(0);
    }

    /** The tenure has ended: what the holder asked for cannot be done. */
    public void failRenewals(EffectBuffer out) {
        renewals.forEach(renewal -> out.emit(new Effect.Renewed(renewal.requestId(), false)));
        renewals.clear();
    }
}
