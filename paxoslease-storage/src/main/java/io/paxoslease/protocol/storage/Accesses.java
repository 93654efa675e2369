package io.paxoslease.protocol.storage;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.EffectBuffer;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.TrackedResource;
import io.paxoslease.protocol.storage.ResourceState.Access;
import io.paxoslease.protocol.storage.ResourceState.Attempt;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Begins accesses to the store, makes the stamps that they write, and collects what a client wants done. */
final class Accesses {

    final NodeId self;
    final StorageRules rules;
    final EffectBuffer out;
    final Suspension suspension;

    private final Supplier<Incarnation> incarnations;
    private final RandomGenerator random;
    private final AccessTimes times;
    private final Map<Long, ResourceState> open = new HashMap<>();
    private Incarnation incarnation;
    private long lastAccess;
    private long lastSerial;

    Accesses(
            NodeId self,
            StorageRules rules,
            AccessTimes times,
            Supplier<Incarnation> incarnations,
            RandomGenerator random) {
        this.self = self;
        this.rules = rules;
        this.out = new EffectBuffer(self);
        this.suspension = new Suspension(rules);
        this.times = times;
        this.incarnations = incarnations;
        this.random = random;
        this.incarnation = incarnations.get();
    }

    Incarnation incarnation() {
        return incarnation;
    }

    void renewIncarnation() {
        incarnation = incarnations.get();
    }

    /** Null: nothing. */
    void emit(@Nullable Effect effect) {
        out.emit(effect);
    }

    /** A time to look again, or to try again: modest, and not the same for all who wait. */
    long pollNanos() {
        long shortest = rules.shortestPollNanos();
        return shortest + random.nextLong(rules.longestPollNanos() - shortest + 1);
    }

    /** Removes and answers the resource that the access is for; null: it is not waited for any more. */
    @Nullable
    ResourceState claimOf(long access) {
        return open.remove(access);
    }

    /** What is in flight is not waited for any more; a write of it may have its effect yet. */
    void abandon(ResourceState state) {
        Access abandoned = state.access;
        if (abandoned != null) {
            open.remove(abandoned.id());
            if (abandoned.wrote() != null && !abandoned.ofRelease()) {
                state.seen.quietUntil = abandoned.startedAt().moment().plusNanos(rules.boundNanos());
            }
            state.access = null;
        }
    }

    void read(ResourceState state, Reading now) {
        read(state, false, now);
    }

    /** Of a lease in a store that only reads and writes. */
    void readRelease(ResourceState state, Reading now) {
        read(state, true, now);
    }

    private void read(ResourceState state, boolean ofRelease, Reading now) {
        long id = begin(state, null, ofRelease, now);
        out.send(RegisterMessage.STORE, new RegisterMessage.Read(state.resource, ofRelease, id, soon(now)));
    }

    private Moment soon(Reading now) {
        return now.moment().plusNanos(rules.accessNanos());
    }

    /**
     * Writes into the release record that the stamp is over. It may land as late as it will: it says nothing of any other stamp.
     */
    void writeRelease(ResourceState state, Attempt released, Reading now) {
        long id = begin(state, released, true, now);
        out.send(
                RegisterMessage.STORE,
                new RegisterMessage.Write(state.resource, true, id, released.content(), soon(now)));
    }

    /**
     * Puts the stamp of the attempt into the register, by the form's way.
     *
     * @param expected what compare-and-set is to find there
     * @param latest when it must have begun
     */
    void put(ResourceState state, Attempt attempt, @Nullable Content expected, Moment latest, Reading now) {
        long id = begin(state, attempt, false, now);
        if (rules.compares()) {
            out.send(
                    RegisterMessage.STORE,
                    new RegisterMessage.CompareAndSet(state.resource, id, expected, attempt.content(), latest));
        } else {
            out.send(
                    RegisterMessage.STORE,
                    new RegisterMessage.Write(state.resource, false, id, attempt.content(), latest));
        }
    }

    private long begin(ResourceState state, @Nullable Attempt attempt, boolean ofRelease, Reading now) {
        long id = ++lastAccess;
        state.access = new Access(id, now, attempt, ofRelease);
        open.put(id, state);
        times.begun(id, attempt != null, now.moment());
        return id;
    }

    /** A stamp by which a request may come to hold. */
    Attempt newTenure(ResourceState state, AcquireRequest request, Moment askedAt, Reading now) {
        long sequence = nextSequence(state);
        // What is not renewed is held for its whole time after the read that decides.
        long hold = request.leaseNanos() + (request.renewed() ? 0 : rules.decidingNanos());
        long lease = request.shared() ? rules.maxLeaseNanos() : hold;
        Stamp.State mark = request.shared() ? Stamp.State.SHARED : Stamp.State.HELD;
        Stamp found = state.seen.stamp();
        String readers = !request.shared()
                ? ""
                : found != null && rules.joins(found) ? found.readers() : incarnation + "/" + (lastSerial + 1);
        Stamp stamp = stamp(state, sequence, sequence, lease, readers, mark);
        return new Attempt(stamp, StampCodec.encode(stamp), request, now, Math.min(hold, lease), askedAt, List.of());
    }

    /** A stamp by which a tenure may last longer; others wait as long as any stamp of it lasts. */
    Attempt renewal(ResourceState state, Tenure tenure, Moment askedAt, Reading now) {
        List<TrackedResource.Renewal> wishes = List.copyOf(state.renewals);
        long wished = wishes.isEmpty() ? tenure.leaseNanos : state.longestRenewal();
        boolean whole = !wishes.isEmpty() || !tenure.renewed;
        long hold = wished + (whole && needsCheck(tenure) ? rules.decidingNanos() : 0);
        long left = tenure.suspect ? 0 : now.moment().nanosUntil(tenure.until.moment());
        long lease = tenure.shared ? rules.maxLeaseNanos() : Math.max(hold, left);
        Stamp last = tenure.last.stamp();
        Stamp stamp = stamp(state, nextSequence(state), last.token(), lease, last.readers(), last.state());
        return new Attempt(stamp, StampCodec.encode(stamp), null, now, Math.min(hold, lease), askedAt, wishes);
    }

    /** Whether a renewal that was written is to be read again before it counts. */
    boolean needsCheck(Tenure tenure) {
        return !rules.compares() && (tenure.suspect || rules.confirmsRenewals(tenure.shared));
    }

    /** What takes the stamp's place when it is given up: by compare-and-set in its register, else in the release record. */
    Attempt released(ResourceState state, Stamp last, Reading now) {
        Stamp stamp = rules.compares()
                ? stamp(state, last.sequence(), last.token(), last.leaseNanos(), "", Stamp.State.RELEASED)
                : last.released();
        return new Attempt(stamp, StampCodec.encode(stamp), null, now, 0, now.moment(), List.of());
    }

    private long nextSequence(ResourceState state) {
        return rules.sequenceAbove(state.seen.highestSequence(), incarnation);
    }

    private Stamp stamp(
            ResourceState state, long sequence, long token, long leaseNanos, String readers, Stamp.State mark) {
        state.seen.used(sequence);
        return new Stamp(
                self,
                incarnation,
                ++lastSerial,
                sequence,
                token,
                leaseNanos,
                rules.accessNanos(),
                rules.compares(),
                readers,
                mark);
    }
}
