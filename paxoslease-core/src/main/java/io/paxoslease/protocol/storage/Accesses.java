package io.paxoslease.protocol.storage;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.storage.Claim.Attempt;
import io.paxoslease.protocol.storage.Claim.Phase;
import java.util.ArrayList;
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

    private final Supplier<Incarnation> incarnations;
    private final RandomGenerator random;
    private final AccessTimes times;
    private final Map<Long, Claim> open = new HashMap<>();
    private Incarnation incarnation;
    private long lastAccess;
    private long lastSerial;
    private List<Effect> effects = new ArrayList<>();

    Accesses(
            NodeId self,
            StorageRules rules,
            AccessTimes times,
            Supplier<Incarnation> incarnations,
            RandomGenerator random) {
        this.self = self;
        this.rules = rules;
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

    void emit(Effect effect) {
        effects.add(effect);
    }

    List<Effect> takeEffects() {
        List<Effect> result = effects;
        effects = new ArrayList<>();
        return result;
    }

    /** A time to look again, or to try again: modest, and not the same for all who wait. */
    long pollNanos() {
        long shortest = rules.shortestPollNanos();
        return shortest + random.nextLong(rules.longestPollNanos() - shortest + 1);
    }

    /** Removes and answers the claim that waits for it; null: nobody does any more. */
    @Nullable
    Claim claimOf(long access) {
        Claim claim = open.remove(access);
        return claim != null && claim.access != null && claim.access.id() == access ? claim : null;
    }

    /** Nobody waits for what is in flight any more. */
    void abandon(Claim claim) {
        if (claim.access != null) {
            open.remove(claim.access.id());
            claim.abandonAccess(rules);
        }
    }

    void read(Claim claim, Phase phase, Reading now) {
        long id = begin(claim, phase, null, now);
        send(new RegisterMessage.Read(claim.resource, id, now.moment().plusNanos(rules.accessNanos())));
    }

    /**
     * Puts the stamp of the attempt into the register, by the form's way.
     *
     * @param expected what compare-and-set is to find there
     * @param latest when it must have begun
     */
    void put(Claim claim, Phase phase, Attempt attempt, @Nullable Content expected, Moment latest, Reading now) {
        long id = begin(claim, phase, attempt, now);
        if (rules.compares()) {
            send(new RegisterMessage.CompareAndSet(claim.resource, id, expected, attempt.content(), latest));
        } else {
            send(new RegisterMessage.Write(claim.resource, id, attempt.content(), latest));
        }
    }

    private long begin(Claim claim, Phase phase, @Nullable Attempt attempt, Reading now) {
        long id = ++lastAccess;
        claim.access = new Claim.Access(id, phase, now, attempt);
        open.put(id, claim);
        times.begun(id, now.moment());
        return id;
    }

    private void send(RegisterMessage.Request request) {
        emit(new Effect.Send(RegisterMessage.STORE, request));
    }

    /** A stamp by which a request may come to hold. */
    Attempt newTenure(Claim claim, AcquireRequest request, Moment askedAt, Reading now) {
        long sequence = claim.seen.nextSequence();
        // What is not renewed is held for its whole time after the read that decides.
        long hold = request.leaseNanos() + (request.renewed() ? 0 : rules.decidingNanos());
        long lease = request.shared() ? rules.maxLeaseNanos() : hold;
        Stamp.State state = request.shared() ? Stamp.State.SHARED : Stamp.State.HELD;
        Stamp found = claim.seen.stamp();
        String readers = !request.shared()
                ? ""
                : found != null && rules.joins(found) ? found.readers() : incarnation + "/" + (lastSerial + 1);
        Stamp stamp = stamp(claim, sequence, sequence, lease, readers, state);
        return new Attempt(stamp, StampCodec.encode(stamp), request, now, Math.min(hold, lease), askedAt, List.of());
    }

    /** A stamp by which a tenure may last longer; others wait as long as any stamp of it lasts. */
    Attempt renewal(Claim claim, Tenure tenure, Moment askedAt, Reading now) {
        List<Claim.Renewal> wishes = List.copyOf(claim.renewals);
        long wished = wishes.stream().mapToLong(Claim.Renewal::leaseNanos).max().orElse(tenure.leaseNanos);
        boolean whole = !wishes.isEmpty() || !tenure.renewed;
        long hold = wished + (whole && needsCheck(tenure) ? rules.decidingNanos() : 0);
        long left = tenure.suspect ? 0 : now.moment().nanosUntil(tenure.until.moment());
        long lease = tenure.shared ? rules.maxLeaseNanos() : Math.max(hold, left);
        Stamp.State state = tenure.shared ? Stamp.State.SHARED : Stamp.State.HELD;
        Stamp stamp = stamp(
                claim,
                claim.seen.nextSequence(),
                tenure.token,
                lease,
                tenure.last.stamp().readers(),
                state);
        return new Attempt(stamp, StampCodec.encode(stamp), null, now, Math.min(hold, lease), askedAt, wishes);
    }

    /** Whether a renewal that was written is to be read again before it counts. */
    boolean needsCheck(Tenure tenure) {
        return !rules.compares() && (tenure.suspect || rules.confirmsRenewals(tenure.shared));
    }

    Attempt released(Claim claim, Stamp last, Reading now) {
        Stamp stamp = stamp(claim, last.sequence(), last.token(), last.leaseNanos(), "", Stamp.State.RELEASED);
        return new Attempt(stamp, StampCodec.encode(stamp), null, now, 0, now.moment(), List.of());
    }

    private Stamp stamp(Claim claim, long sequence, long token, long leaseNanos, String readers, Stamp.State state) {
        claim.seen.used(sequence);
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
                state);
    }
}
