package io.paxoslease.protocol;

import io.paxoslease.protocol.Message.Extend;
import io.paxoslease.protocol.Message.Extended;
import io.paxoslease.protocol.Message.Extension;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The renewals of leases that are held on (P4): many in one message, and a list that was sent before by its number. A lease that
 * an acceptor has no record of leaves its bundle, and is proposed again by itself, which makes the record anew.
 */
final class Bundles {

    private static final int MOST = 512;
    private static final int MOST_BYTES = 24 * 1_024;
    /** Leases that are due within a part of the lease time go together. */
    private static final int GATHER_PARTS = 24;

    private static final int ABSORB_PARTS = 6;
    /** So many bundles that are due at about the same time are renewed at the same time: to wake up costs more than a round does. */
    private static final int ROUNDS_AT_ONCE = 4;

    /** What bundles need of the proposer they belong to. */
    interface Owner {

        /** The claim goes on by itself, or has ended. */
        void settle(Claim claim, Reading now);

        /** The number that the next attempt has. */
        long nextAttempt();
    }

    /** What goes together. */
    private record Kind(Incarnation incarnation, long leaseNanos) {

        static Kind of(Bundle bundle) {
            return new Kind(bundle.incarnation, bundle.leaseNanos);
        }
    }

    private final Quorum quorum;
    private final Backoff backoff;
    private final Timers timers;
    private final Outbox out;
    private final Owner owner;
    private final Map<Kind, Bundle> gathering = new HashMap<>();
    private final Set<Bundle> all = new LinkedHashSet<>();
    private final Map<Long, Bundle> byAttempt = new LinkedHashMap<>();
    private long lists;

    Bundles(Quorum quorum, Backoff backoff, Timers timers, Outbox out, Owner owner) {
        this.quorum = quorum;
        this.backoff = backoff;
        this.timers = timers;
        this.out = out;
        this.owner = owner;
    }

    /** It is due, and goes with the next bundle. */
    void join(Claim claim, Tenure tenure, Reading now) {
        Kind kind = new Kind(claim.incarnation, tenure.leaseNanos);
        Bundle bundle = gathering.get(kind);
        if (bundle == null || isFull(bundle)) {
            Moment soon = now.moment().plusNanos(tenure.leaseNanos / GATHER_PARTS);
            bundle = new Bundle(claim.incarnation, tenure.leaseNanos, quorum, soon);
            gathering.put(kind, bundle);
            all.add(bundle);
        }
        bundle.add(claim);
        boolean late = now.moment().nanosUntil(tenure.until().moment()) < tenure.leaseNanos / 2;
        if (isFull(bundle) || tenure.owed || late) {
            bundle.renewAt = now.moment();
        }
        setTimer(bundle);
    }

    private static boolean isFull(Bundle bundle) {
        return bundle.size >= MOST || bundle.bytes >= MOST_BYTES;
    }

    /** From now on it is renewed by itself, or not at all. */
    void leave(Claim claim) {
        Bundle bundle = claim.bundle;
        if (bundle != null) {
            bundle.remove(claim);
            if (bundle.size == 0) {
                discard(bundle);
            }
        }
    }

    /** More acceptors answer than before: what had no majority is asked for again soon. */
    void nudge(Reading now) {
        for (Bundle bundle : all) {
            if (bundle.timeout == null && bundle.failures > 0) {
                bundle.renewAt = Moment.earlier(bundle.renewAt, now.moment().plusNanos(backoff.afterReachable()));
                setTimer(bundle);
            } else if (bundle.timeout != null && bundle.list != Extend.UNNUMBERED) {
                ask(bundle); // the same attempt, with the same deadline (P1)
            }
        }
    }

    private void discard(Bundle bundle) {
        all.remove(bundle);
        gathering.remove(Kind.of(bundle), bundle);
        byAttempt.remove(bundle.attempt);
        timers.set(bundle, null);
    }

    /** The time of a bundle has come. Others that are due soon are renewed with it, and are due when it is from now on. */
    void wake(Bundle bundle, Reading now) {
        boolean renewed = renewIfDue(bundle, now);
        for (int rounds = 1; renewed && rounds < ROUNDS_AT_ONCE; rounds++) {
            Bundle other = dueSoon(now);
            if (other == null) {
                return;
            }
            other.renewAt = now.moment();
            renewed = renewIfDue(other, now);
        }
    }

    /** Whether a round has begun. */
    private boolean renewIfDue(Bundle bundle, Reading now) {
        dropEnded(bundle, now);
        boolean due = bundle.timeout == null && !now.moment().isBefore(bundle.renewAt) && bundle.size > 0;
        if (bundle.timeout != null && !now.moment().isBefore(bundle.timeout)) {
            bundle.timeout = null;
            bundle.renewAt = now.moment().plusNanos(backoff.afterSilence(bundle.failures++, bundle.leaseNanos));
        } else if (due) {
            absorb(bundle, now);
            renew(bundle, now);
        }
        setTimer(bundle);
        return due;
    }

    /** One that would be renewed soon anyway; not one that others may still join. */
    @Nullable
    private Bundle dueSoon(Reading now) {
        for (Bundle bundle : all) {
            boolean soon = now.moment().nanosUntil(bundle.renewAt) < bundle.leaseNanos / GATHER_PARTS;
            if (soon && bundle.timeout == null && bundle.failures == 0 && gathering.get(Kind.of(bundle)) != bundle) {
                return bundle;
            }
        }
        return null;
    }

    /** Deadlines are stored data, and checked before anything else. */
    private void dropEnded(Bundle bundle, Reading now) {
        Reading safe = bundle.noneEndsBefore;
        if (safe != null && now.moment().isBefore(safe.moment()) && !now.mayHaveReachedByWallClock(safe)) {
            return;
        }
        for (Claim member : List.copyOf(present(bundle))) {
            Tenure tenure = member.tenure;
            if (tenure == null || tenure.isOver(now) || tenure.isOverByWallClock(now)) {
                leave(member);
                owner.settle(member, now);
            }
        }
        bundle.findEarliestEnd();
    }

    private static List<Claim> present(Bundle bundle) {
        List<Claim> present = new ArrayList<>(bundle.size);
        for (Claim member : bundle.members) {
            if (member != null) {
                present.add(member);
            }
        }
        return present;
    }

    /** Small bundles that are due soon go with this one from now on. */
    private void absorb(Bundle bundle, Reading now) {
        if (bundle.size >= MOST / 2 || all.size() == 1) {
            return;
        }
        Moment soon = now.moment().plusNanos(bundle.leaseNanos / ABSORB_PARTS);
        List<Bundle> absorbed = new ArrayList<>();
        for (Bundle other : all) {
            if (other != bundle
                    && Kind.of(other).equals(Kind.of(bundle))
                    && other.timeout == null
                    && !soon.isBefore(other.renewAt)
                    && bundle.size + other.size <= MOST
                    && bundle.bytes + other.bytes <= MOST_BYTES) {
                absorbed.add(other);
                present(other).forEach(bundle::add);
                if (bundle.size >= MOST / 2) {
                    break;
                }
            }
        }
        absorbed.forEach(this::discard);
    }

    /** P1: the deadline is fixed before anything is sent. */
    private void renew(Bundle bundle, Reading now) {
        gathering.remove(Kind.of(bundle), bundle); // nobody joins a round that is under way
        if (bundle.list == Extend.UNNUMBERED) {
            bundle.close();
            bundle.list = ++lists;
            bundle.knownBy.clear();
        }
        byAttempt.remove(bundle.attempt);
        bundle.attempt = owner.nextAttempt();
        byAttempt.put(bundle.attempt, bundle);
        bundle.until = now.plusNanos(bundle.leaseNanos);
        bundle.timeout = now.moment().plusNanos(Backoff.round(bundle.leaseNanos));
        bundle.answered.clear();
        ask(bundle);
    }

    /** Whoever has not answered yet. */
    private void ask(Bundle bundle) {
        Extend whole = null;
        for (NodeId acceptor : quorum.acceptors()) {
            if (bundle.answered.contains(acceptor)) {
                continue;
            }
            if (bundle.knownBy.contains(acceptor)) {
                out.send(acceptor, message(bundle, List.of()));
            } else {
                whole = whole == null ? message(bundle, extensions(bundle)) : whole;
                out.send(acceptor, whole);
            }
        }
    }

    private Extend message(Bundle bundle, List<Extension> extensions) {
        return new Extend(bundle.incarnation, bundle.attempt, bundle.leaseNanos, bundle.list, extensions);
    }

    private static List<Extension> extensions(Bundle bundle) {
        List<Extension> extensions = new ArrayList<>(bundle.size);
        for (Claim member : bundle.members) {
            if (member != null && member.tenure != null) {
                extensions.add(new Extension(member.resource, member.tenure.counter));
            }
        }
        return extensions;
    }

    /** The bundle that the answer is for; null when it is for none. */
    @Nullable
    Bundle of(long attempt) {
        return byAttempt.get(attempt);
    }

    void onExtended(Bundle bundle, NodeId from, Extended extended, Reading now) {
        Reading until = bundle.until;
        if (until == null || bundle.answered.contains(from) || !bundle.incarnation.equals(extended.incarnation())) {
            return;
        }
        dropEnded(bundle, now);
        bundle.answered.add(from);
        if (bundle.list != Extend.UNNUMBERED) {
            bundle.knownBy.add(from);
        }
        for (int position : extended.missing()) {
            Claim claim = bundle.member(position);
            if (claim != null && claim.tenure != null) {
                claim.tenure.heals = true;
                claim.tenure.renewAt(now.moment());
                leave(claim);
                owner.settle(claim, now);
            }
        }
        if (bundle.answered.isMajority()
                && bundle.timeout != null
                && now.moment().isBefore(until.moment())) {
            extendAll(bundle, until);
        }
        for (int position : extended.wanted()) {
            Claim claim = bundle.member(position);
            if (claim != null && claim.tenure != null) {
                out.emit(new Effect.Wanted(claim.resource, claim.tenure.token));
            }
        }
        setTimer(bundle);
    }

    /** P3: a majority of distinct acceptors has extended all that are left. */
    private void extendAll(Bundle bundle, Reading until) {
        Moment startedAt = until.moment().plusNanos(-bundle.leaseNanos);
        bundle.timeout = null;
        bundle.failures = 0;
        bundle.renewAt = Backoff.renewal(startedAt, bundle.leaseNanos);
        if (bundle.end != null) {
            bundle.end.extend(until, bundle.renewAt);
        } else if (extendEach(bundle, until)) {
            share(bundle, until);
        }
        if (bundle.end != null) {
            out.emit(new Effect.ExtendedTogether(bundle.end.tenures, bundle.end.until(), startedAt));
        } else {
            tellEach(bundle, startedAt);
        }
        bundle.noneEndsBefore = until; // no tenure ends before that, some may end later
    }

    /** Whether all of a list are renewed and end at the same time now. */
    private static boolean extendEach(Bundle bundle, Reading until) {
        boolean same = bundle.list != Extend.UNNUMBERED;
        for (Claim member : bundle.members) {
            if (member != null && member.tenure != null) {
                Tenure tenure = member.tenure;
                tenure.extend(until, tenure.counter, bundle.renewAt);
                same &= tenure.renewed && tenure.endsAt(until);
            }
        }
        return same;
    }

    /** As long as the list stays as it is, its tenures are extended by one move. */
    private static void share(Bundle bundle, Reading until) {
        List<String> resources = new ArrayList<>(bundle.size);
        long[] tokens = new long[bundle.size];
        for (Claim member : present(bundle)) {
            if (member.tenure != null) {
                tokens[resources.size()] = member.tenure.token;
                resources.add(member.resource);
            }
        }
        SharedEnd end = new SharedEnd(new TenureList(bundle.list, resources, tokens), until, bundle.renewAt);
        for (Claim member : present(bundle)) {
            if (member.tenure != null) {
                member.tenure.share(end);
            }
        }
        bundle.end = end;
    }

    private void tellEach(Bundle bundle, Moment startedAt) {
        out.expect(bundle.size);
        for (Claim member : bundle.members) {
            if (member != null && member.tenure != null) {
                Tenure tenure = member.tenure;
                out.emit(new Effect.Extended(member.resource, tenure.token, tenure.until(), startedAt));
                if (!tenure.renewed) { // it was owed this, and no more
                    tenure.owed = false;
                    leave(member);
                    timers.set(member, member.earliest());
                }
            }
        }
    }

    /** The same attempt may be sent again, with the same deadline (P1). */
    void onUnlisted(Bundle bundle, NodeId from) {
        bundle.knownBy.remove(from);
        if (bundle.list != Extend.UNNUMBERED && bundle.timeout != null && !bundle.answered.contains(from)) {
            out.send(from, message(bundle, extensions(bundle)));
        }
    }

    private void setTimer(Bundle bundle) {
        if (!all.contains(bundle)) {
            return;
        }
        Moment at = bundle.timeout == null ? bundle.renewAt : bundle.timeout;
        if (bundle.noneEndsBefore == null) {
            bundle.findEarliestEnd();
        }
        if (bundle.noneEndsBefore != null) {
            at = Moment.earlier(at, bundle.noneEndsBefore.moment());
        }
        timers.set(bundle, at);
    }
}
