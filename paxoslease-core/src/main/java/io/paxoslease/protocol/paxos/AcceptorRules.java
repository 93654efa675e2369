package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.paxos.PaxosMessage.Accepted;
import io.paxoslease.protocol.paxos.PaxosMessage.Open;
import io.paxoslease.protocol.paxos.PaxosMessage.Prepare;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.Refusal;
import io.paxoslease.protocol.paxos.PaxosMessage.Refused;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import io.paxoslease.protocol.paxos.PaxosMessage.Reply;
import io.paxoslease.protocol.paxos.PaxosMessage.Stale;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The acceptor's rules (section 5, A0 to A5): it records in memory who holds what, and never replaces a live lease of another
 * incarnation. It has no queue: a proposal that has waited is a message that arrives late. Not thread-safe.
 */
final class AcceptorRules {

    /** What a release has changed. */
    enum Freed {
        /** Nothing that other nodes may wait for. */
        NOTHING,
        /** The promise only: there was no live record. */
        PROMISE,
        /** The record. */
        RECORD
    }

    /** A slot that was not used for this long may be forgotten when memory is short. */
    static final long LATELY_NANOS = 500_000_000;

    private final Generations generations;
    private final ConfigurationGuard guard;
    private final long seed;
    private SlotTable slots;
    private Extensions extensions;
    /** The promise of every resource that has no slot. */
    private long floor;

    private long highestWallMicros;
    private @Nullable Moment quarantineEnd;

    /**
     * @param quarantineEnd when everything that an earlier session of this node may have granted has expired (A0); null only if
     *     there can be nothing, as in a cell of one
     * @param guard keeps it silent while another configuration may grant (section 9)
     * @param isMember tells members from clients, whose slots leave room for those of members
     * @param seed secret seed of the hash
     */
    AcceptorRules(
            Generations generations,
            Predicate<NodeId> isMember,
            @Nullable Moment quarantineEnd,
            ConfigurationGuard guard,
            AcceptorMemory memory,
            long seed,
            Reading now) {
        this.generations = generations;
        this.guard = guard;
        this.seed = seed;
        this.slots = new SlotTable(seed, new Share(memory.leases(), isMember));
        this.extensions = new Extensions(generations, slots, new Share(memory.lists(), isMember));
        this.quarantineEnd = quarantineEnd;
        if (quarantineEnd == null) {
            floor = now.wallMicros();
        }
    }

    /** P0: counters that an earlier session of this node has used count as promised, even if the wall clock was set back since. */
    void continueAbove(long counter) {
        floor = Math.max(floor, counter);
        highestWallMicros = Math.max(highestWallMicros, counter);
    }

    /**
     * A0, R7: does not answer and does not change until the quarantine has ended, nor under a generation that has ended by then. From then on the
     * floor is at least the wall clock.
     */
    boolean isSilent(Reading now) {
        boolean silent = quarantineEnd != null && (now.moment().isBefore(quarantineEnd) || generations.isOver());
        if (silent || !guard.serve(now.moment())) {
            return true;
        }
        if (quarantineEnd != null) {
            quarantineEnd = null;
            startOver(now);
        }
        return false;
    }

    /** The end of a quarantine: every record has expired, and every promise, also a forgotten one, is below the floor. */
    private void startOver(Reading now) {
        slots.forEach(now.moment(), (resource, slot) -> floor = Math.max(floor, slot.promisedCounter(0)));
        floor = Math.max(floor, now.wallMicros());
        slots = new SlotTable(seed, slots.share().emptied());
        extensions = extensions.forgetting(slots);
    }

    /** A0, for an acceptor that may have lost its memory while it ran: the quarantine starts now. */
    void quarantine(Reading now) {
        quarantineEnd = now.moment().plusNanos(timing().quarantineNanos());
        guard.restart(now.moment());
    }

    /**
     * A0: another process may have answered as this node until that long ago. An acceptor that has not served since it lost its memory stays
     * silent for as long as grants of that process can last. One that has served begins a new quarantine, because its own records may end later.
     *
     * @return whether it is silent for longer than before
     */
    boolean outlive(long nanosAgo, Reading now) {
        Timing ofBoth = generations.own().get().timing(false);
        Moment end = now.moment().plusNanos(ofBoth.quarantineNanos() - ofBoth.leaseNanosWithin(nanosAgo));
        Moment known = quarantineEnd;
        if (!now.moment().isBefore(end) || (known != null && !known.isBefore(end))) {
            return false;
        }
        if (known == null) {
            quarantine(now);
        } else {
            quarantineEnd = end;
        }
        return true;
    }

    private Timing timing() {
        return generations.timing();
    }

    /** When the quarantine ends; null once the acceptor has seen its end. */
    @Nullable
    Moment quarantineEnd() {
        return quarantineEnd;
    }

    /** A1: a ballot of another incarnation changes nothing while a lease is live. */
    Reply prepare(NodeId from, Prepare request, Reading now) {
        String resource = request.resource();
        Ballot ballot = request.ballot();
        if (isTooFarAhead(ballot.counter(), now)) {
            return tooFarAhead(resource, ballot, request.attempt(), now);
        }
        AcceptorSlot slot = slot(resource, now);
        if (slot.isLiveFor(now.moment()) && !slot.isOwnedBy(from, ballot.incarnation())) {
            return slot.toHeld(resource, ballot, request.attempt(), now.moment(), floor);
        }
        if (!slot.isAcceptable(ballot, floor)) {
            return new Stale(resource, ballot, request.attempt(), slot.promisedCounter(floor));
        }
        if (!slots.hasRoom(from, ballot.incarnation(), slot.place, resource)) {
            return noRoom(resource, ballot, request.attempt());
        }
        slot.promise(from, ballot);
        save(resource, slot);
        return new Open(resource, ballot, request.attempt());
    }

    /** A2. The exclusion starts here, after the proposer started its own timer, and is longer by gamma. */
    Reply propose(NodeId from, Propose request, Reading now) {
        String resource = request.resource();
        Ballot ballot = request.ballot();
        if (isOutOfBounds(request.leaseNanos(), timing())) {
            return new Refused(resource, ballot, request.attempt(), Refusal.TOO_LONG, timing().maxLeaseNanos());
        }
        if (isTooFarAhead(ballot.counter(), now)) {
            return tooFarAhead(resource, ballot, request.attempt(), now);
        }
        AcceptorSlot slot = slot(resource, now);
        boolean live = slot.isLiveFor(now.moment());
        if (live && !slot.isOwnedBy(from, ballot.incarnation())) {
            return slot.toHeld(resource, ballot, request.attempt(), now.moment(), floor);
        }
        // A renewal ignores the promise, which a release of another incarnation may have raised. It is compared with
        // its own record.
        boolean acceptable = live ? slot.isAtLeastRecord(ballot.counter()) : slot.isAcceptable(ballot, floor);
        if (!acceptable) {
            return new Stale(resource, ballot, request.attempt(), slot.promisedCounter(floor));
        }
        if (!live && !slots.hasRoom(from, ballot.incarnation(), slot.place, resource)) {
            return noRoom(resource, ballot, request.attempt());
        }
        slot.accept(from, ballot, now.moment().plusNanos(generations.exclusionNanos(request.leaseNanos())), live);
        slot.heardAt(now.moment());
        save(resource, slot);
        return new Accepted(resource, ballot, request.attempt());
    }

    /**
     * A3. A late PROPOSE of a released lease is refused from then on. The exception is an acceptor that had no record of it and has no memory for
     * one: it may accept such a proposal, which no majority has accepted, and which blocks others here until it expires.
     */
    Freed release(NodeId from, Release request, Reading now) {
        if (isTooFarAhead(request.upToCounter(), now)) {
            return Freed.NOTHING;
        }
        AcceptorSlot slot = slot(request.resource(), now);
        if (slot.place < 0 && !slots.hasRoom(from, null, slot.place, request.resource())) {
            return Freed.NOTHING;
        }
        boolean fenced = slot.fence(from, request.incarnation(), request.upToCounter(), floor);
        boolean freed = slot.isLiveFor(now.moment()) && slot.drop(from, request.incarnation(), request.upToCounter());
        if (fenced || freed) {
            save(request.resource(), slot);
        }
        if (slot.isLiveFor(now.moment())) {
            return Freed.NOTHING;
        }
        return freed ? Freed.RECORD : fenced ? Freed.PROMISE : Freed.NOTHING;
    }

    /** A4: renewals of many resources. */
    Extensions extensions() {
        return extensions;
    }

    /** A5: forgets a resource that was neither live nor used between two passes, and raises the floor above its promise. */
    void forgetIfIdle(int place, Reading now) {
        if (slots.isUsed(place) && slots.isIdleSinceLastPass(place, now.moment())) {
            floor = Math.max(floor, slots.load(place, now.moment()).promisedCounter(0));
            slots.remove(place);
        }
    }

    /**
     * A5, when memory is short: also forgets what was not used for a moment, if its promise lies further in the past than that. A floor closer
     * to the wall clock would refuse proposers whose clocks are behind.
     */
    void forgetIfIdleLately(int place, Reading now) {
        if (slots.isUsed(place) && slots.isIdleLately(place, now.moment())) {
            long promised = slots.load(place, now.moment()).promisedCounter(0);
            if (promised <= counterLimit(now) - (timing().aheadGuardNanos() + LATELY_NANOS) / 1_000) {
                floor = Math.max(floor, promised);
                slots.remove(place);
            }
        }
    }

    /** Whether it would accept the proposal if there were no live lease. Changes nothing. */
    boolean wouldAccept(Propose request, Reading now) {
        return !isOutOfBounds(request.leaseNanos(), timing())
                && !isTooFarAhead(request.ballot().counter(), now)
                && slot(request.resource(), now).isAcceptable(request.ballot(), floor);
    }

    /** A proposal must have a counter above this one to be accepted once there is no live lease. */
    long promisedCounter(String resource, Reading now) {
        int place = slots.find(resource);
        return place < 0 ? floor : slots.load(place, now.moment()).promisedCounter(floor);
    }

    /** What it remembers, to be read only. */
    SlotTable slots() {
        return slots;
    }

    /** A copy of what it remembers, to be stored if it changes. */
    private AcceptorSlot slot(String resource, Reading now) {
        int place = slots.find(resource);
        return place < 0 ? new AcceptorSlot(AcceptorSlot.NOWHERE) : slots.touch(place, now.moment());
    }

    private void save(String resource, AcceptorSlot slot) {
        slots.save(slot.place < 0 ? slots.add(resource) : slot.place, slot);
    }

    /** A2: the quarantine is long enough only for lease times up to the cell's longest. */
    static boolean isOutOfBounds(long leaseNanos, Timing timing) {
        return leaseNanos > timing.maxLeaseNanos() || leaseNanos <= 0;
    }

    private boolean isTooFarAhead(long counter, Reading now) {
        return counter > counterLimit(now);
    }

    static Refused noRoom(String resource, Ballot ballot, long attempt) {
        return new Refused(resource, ballot, attempt, Refusal.TOO_MANY, RecordAdmission.MAX_OF_A_CLIENT);
    }

    private Refused tooFarAhead(String resource, Ballot ballot, long attempt, Reading now) {
        return new Refused(resource, ballot, attempt, Refusal.TOO_FAR_AHEAD, counterLimit(now));
    }

    /** From the highest wall clock seen: a clock that is set back must not lower the bound below earlier promises. */
    private long counterLimit(Reading now) {
        highestWallMicros = Math.max(highestWallMicros, now.wallMicros());
        return highestWallMicros + timing().aheadGuardNanos() / 1_000;
    }
}
