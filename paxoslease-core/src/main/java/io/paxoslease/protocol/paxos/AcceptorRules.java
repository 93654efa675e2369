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
 * The acceptor's rules (section 5, A0 to A5): it remembers who holds what, in memory, and never replaces a live lease of another
 * incarnation. It knows of no queue: a proposal that waited is a message that came late. Not thread-safe.
 */
final class AcceptorRules {

    /** What a release has changed. */
    enum Freed {
        /** Nothing that others may wait for. */
        NOTHING,
        /** The promise only: there was no live record. */
        PROMISE,
        /** The record. */
        RECORD
    }

    /** How long something has to be unused to be forgotten when memory is short. */
    static final long LATELY_NANOS = 500_000_000;

    private final Generations generations;
    private final ConfigurationGuard guard;
    private final long seed;
    private SlotTable slots;
    private Extensions extensions;
    /** What every resource that nothing is remembered of has promised. */
    private long floor;

    private long highestWallMicros;
    private @Nullable Moment quarantineEnd;

    /**
     * @param quarantineEnd when all that an earlier session of this node may have granted is over (A0); null only if there can be
     *     nothing, as in a cell of one
     * @param guard keeps it silent beside other configurations (section 9)
     * @param isMember of the others it remembers no more than leaves something for members
     * @param seed not known outside
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

    /** P0: what an earlier session of this node has used counts as promised, also where the wall clock has been set back since. */
    void continueAbove(long counter) {
        floor = Math.max(floor, counter);
        highestWallMicros = Math.max(highestWallMicros, counter);
    }

    /**
     * A0, R7: answers nothing and changes nothing until the quarantine is over, nor under a generation that is over by then; then the floor
     * is the wall clock at least.
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

    /** The end of a quarantine: every record is over, and every promise, also a forgotten one, is below the floor. */
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
     * A0: another process may have answered as this node until that long ago. One that has not served since it lost its memory is silent for as
     * long as that process could have granted; one that has starts over, as its own records may end later.
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

    /** When the quarantine is over; null once that has been noticed. */
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
        // A renewal passes over the promise, which another's release may have raised: it is measured against its own
        // record.
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
     * A3. A late PROPOSE of what is released is not accepted any more, unless this acceptor has heard of it for the first time and has no room to
     * remember it: such a proposal is of no majority's, and blocks others here until it expires.
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

    /** A5: forgets a resource that has been neither live nor touched between two passes, raising the floor over its promise. */
    void forgetIfIdle(int place, Reading now) {
        if (slots.isUsed(place) && slots.isIdleSinceLastPass(place, now.moment())) {
            floor = Math.max(floor, slots.load(place, now.moment()).promisedCounter(0));
            slots.remove(place);
        }
    }

    /**
     * A5, when memory is short: also what has not been touched for a moment, if its promise is in the past by more than that. A floor that is
     * nearer to the wall clock would refuse proposers whose clocks are behind.
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

    /** Whether it would accept the proposal if no lease were in its way. Changes nothing. */
    boolean wouldAccept(Propose request, Reading now) {
        return !isOutOfBounds(request.leaseNanos(), timing())
                && !isTooFarAhead(request.ballot().counter(), now)
                && slot(request.resource(), now).isAcceptable(request.ballot(), floor);
    }

    /** Above which counter a proposal has a chance, once no lease is in its way. */
    long promisedCounter(String resource, Reading now) {
        int place = slots.find(resource);
        return place < 0 ? floor : slots.load(place, now.moment()).promisedCounter(floor);
    }

    /** What it remembers; to look at. */
    SlotTable slots() {
        return slots;
    }

    /** A copy of what is remembered, to be saved if it changes. */
    private AcceptorSlot slot(String resource, Reading now) {
        int place = slots.find(resource);
        return place < 0 ? new AcceptorSlot(AcceptorSlot.NOWHERE) : slots.touch(place, now.moment());
    }

    private void save(String resource, AcceptorSlot slot) {
        slots.save(slot.place < 0 ? slots.add(resource) : slot.place, slot);
    }

    /** A2: only for lease times up to the cell's longest is the quarantine long enough. */
    static boolean isOutOfBounds(long leaseNanos, Timing timing) {
        return leaseNanos > timing.maxLeaseNanos() || leaseNanos <= 0;
    }

    private boolean isTooFarAhead(long counter, Reading now) {
        return counter > counterLimit(now);
    }

    private static Refused noRoom(String resource, Ballot ballot, long attempt) {
        return new Refused(resource, ballot, attempt, Refusal.TOO_MANY, Acceptor.MAX_OF_A_CLIENT);
    }

    private Refused tooFarAhead(String resource, Ballot ballot, long attempt, Reading now) {
        return new Refused(resource, ballot, attempt, Refusal.TOO_FAR_AHEAD, counterLimit(now));
    }

    /** From the highest wall clock seen, so that a clock that is set back does not shut out what was promised before. */
    private long counterLimit(Reading now) {
        highestWallMicros = Math.max(highestWallMicros, now.wallMicros());
        return highestWallMicros + timing().aheadGuardNanos() / 1_000;
    }
}
