package io.paxoslease.protocol;

import io.paxoslease.protocol.Message.Accepted;
import io.paxoslease.protocol.Message.Extend;
import io.paxoslease.protocol.Message.Extended;
import io.paxoslease.protocol.Message.Extension;
import io.paxoslease.protocol.Message.Held;
import io.paxoslease.protocol.Message.Open;
import io.paxoslease.protocol.Message.Prepare;
import io.paxoslease.protocol.Message.Propose;
import io.paxoslease.protocol.Message.Refusal;
import io.paxoslease.protocol.Message.Refused;
import io.paxoslease.protocol.Message.Release;
import io.paxoslease.protocol.Message.Reply;
import io.paxoslease.protocol.Message.Stale;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The acceptor (section 5, A0 to A5): remembers who holds what, in memory, and never replaces a live lease of another
 * incarnation. Not thread-safe.
 */
public final class Acceptor {

    private static final int FORGET_AT_ONCE = 1_024;
    /** Whoever waits asks again when the lease ought to be free; who does not do so by then waits no more. */
    private static final long WAITER_GRACE = 1_000_000_000;

    private final Timing timing;
    private final Map<String, AcceptorSlot> slots = new HashMap<>();
    /** The resources in the slots, in the order of the passes; a place in it is a place to go on from. */
    private final List<String> forgetOrder = new ArrayList<>();

    private int forgetHand;
    private Moment forgetNext;
    private long floor;
    private long highestWallMicros;
    private @Nullable Moment quarantineEnd;

    /**
     * @param quarantineEnd when everything this acceptor may have forgotten has expired (A0); null when it cannot have
     *     forgotten anything, as in a cell of one
     */
    public Acceptor(Timing timing, @Nullable Moment quarantineEnd, Reading now) {
        this.timing = timing;
        this.quarantineEnd = quarantineEnd;
        this.forgetNext = now.moment().plusNanos(timing.quarantineNanos());
        if (quarantineEnd == null) {
            floor = now.wallMicros();
        }
    }

    /** A0: answers nothing and changes nothing until the quarantine is over; then the floor is the wall clock at least. */
    boolean isSilent(Reading now) {
        if (quarantineEnd == null) {
            return false;
        }
        if (now.moment().isBefore(quarantineEnd)) {
            return true;
        }
        quarantineEnd = null;
        startOver(now);
        return false;
    }

    /** The end of a quarantine: every record is over, and every promise, also a forgotten one, is below the floor. */
    private void startOver(Reading now) {
        slots.values().forEach(slot -> floor = Math.max(floor, slot.promisedCounter(0)));
        floor = Math.max(floor, now.wallMicros());
        slots.clear();
        forgetOrder.clear();
        forgetHand = 0;
    }

    /** A0, for an acceptor that may have lost its memory while it ran: the quarantine starts now. */
    void quarantine(Reading now) {
        quarantineEnd = now.moment().plusNanos(timing.quarantineNanos());
    }

    /** A1. A live lease is never disturbed by duels: its state stays as it is. */
    Reply prepare(NodeId from, Prepare request, Reading now) {
        String resource = request.resource();
        Ballot ballot = request.ballot();
        if (isTooFarAhead(ballot.counter(), now)) {
            return tooFarAhead(resource, ballot, request.attempt(), now);
        }
        AcceptorSlot slot = slot(resource);
        if (slot.isLiveFor(now.moment()) && !slot.isOwnedBy(ballot.incarnation())) {
            return held(slot, from, resource, ballot, request.attempt(), now);
        }
        if (!slot.isAcceptable(ballot, floor)) {
            return new Stale(resource, ballot, request.attempt(), slot.promisedCounter(floor));
        }
        slot.promise(ballot);
        return new Open(resource, ballot, request.attempt());
    }

    /** A2. The exclusion starts here, after the proposer started its own timer, and is longer by gamma. */
    Reply propose(NodeId from, Propose request, Reading now) {
        String resource = request.resource();
        Ballot ballot = request.ballot();
        if (request.leaseNanos() > timing.maxLeaseNanos() || request.leaseNanos() <= 0) {
            return new Refused(resource, ballot, request.attempt(), Refusal.TOO_LONG, timing.maxLeaseNanos());
        }
        if (isTooFarAhead(ballot.counter(), now)) {
            return tooFarAhead(resource, ballot, request.attempt(), now);
        }
        AcceptorSlot slot = slot(resource);
        boolean live = slot.isLiveFor(now.moment());
        if (live && !slot.isOwnedBy(ballot.incarnation())) {
            return held(slot, from, resource, ballot, request.attempt(), now);
        }
        // A renewal passes over the promise: it is measured against the record that it renews.
        boolean acceptable = live ? slot.isAtLeastRecord(ballot.counter()) : slot.isAcceptable(ballot, floor);
        if (!acceptable) {
            return new Stale(resource, ballot, request.attempt(), slot.promisedCounter(floor));
        }
        slot.accept(from, ballot, now.moment().plusNanos(timing.exclusionNanos(request.leaseNanos())), live);
        slot.heardAt(now.moment());
        return new Accepted(resource, ballot, request.attempt());
    }

    /** A3. Answers whom to wake, in the order in which they came. */
    List<NodeId> release(Release request, Reading now) {
        if (isTooFarAhead(request.upToCounter(), now)) {
            return List.of();
        }
        AcceptorSlot slot = slot(request.resource());
        slot.fence(request.incarnation(), request.upToCounter(), floor);
        boolean freed = slot.isLiveFor(now.moment()) && slot.drop(request.incarnation(), request.upToCounter());
        return freed ? slot.waiters(now.moment()) : List.of();
    }

    /** A4. Never creates a record. */
    @Nullable
    Extended extend(Extend request, Reading now) {
        if (request.leaseNanos() > timing.maxLeaseNanos() || request.leaseNanos() <= 0) {
            return null;
        }
        Moment until = now.moment().plusNanos(timing.exclusionNanos(request.leaseNanos()));
        List<String> acknowledged = new ArrayList<>();
        List<String> unknown = new ArrayList<>();
        for (Extension extension : request.extensions()) {
            AcceptorSlot slot = slots.get(extension.resource());
            boolean extended = slot != null
                    && slot.isLiveFor(now.moment())
                    && slot.extend(request.incarnation(), extension.lowestCounter(), until, now.moment());
            (extended ? acknowledged : unknown).add(extension.resource());
        }
        return new Extended(request.incarnation(), request.attempt(), acknowledged, unknown);
    }

    /**
     * A5: drops what has been neither live nor touched between two passes, raising the floor over its promise, so that
     * resources in disuse cost nothing.
     */
    void forget(Reading now) {
        if (now.moment().isBefore(forgetNext)) {
            return;
        }
        for (int i = 0; i < FORGET_AT_ONCE && forgetHand < forgetOrder.size(); i++) {
            if (!forgetIfIdle(forgetOrder.get(forgetHand), now)) {
                forgetHand++;
            }
        }
        boolean unfinished = forgetHand < forgetOrder.size();
        forgetHand = unfinished ? forgetHand : 0;
        forgetNext = now.moment().plusNanos(unfinished ? 1_000_000 : timing.quarantineNanos());
    }

    /** The last resource takes the place of one that is forgotten. */
    private boolean forgetIfIdle(String resource, Reading now) {
        AcceptorSlot slot = Objects.requireNonNull(slots.get(resource));
        if (!slot.isIdleSinceLastPass(now.moment())) {
            return false;
        }
        floor = Math.max(floor, slot.promisedCounter(0));
        slots.remove(resource);
        String last = forgetOrder.remove(forgetOrder.size() - 1);
        if (forgetHand < forgetOrder.size()) {
            forgetOrder.set(forgetHand, last);
        }
        return true;
    }

    Moment nextDeadline() {
        return quarantineEnd == null ? forgetNext : Moment.earlier(quarantineEnd, forgetNext);
    }

    /** How long the acceptor stays silent yet, in nanoseconds; zero when it serves. */
    long quarantineRemainingNanos(Moment now) {
        return quarantineEnd == null ? 0 : Math.max(0, now.nanosUntil(quarantineEnd));
    }

    /** How many proposers wait for the resource as far as this acceptor knows. */
    int waiting(String resource, Moment now) {
        AcceptorSlot slot = slots.get(resource);
        return slot == null ? 0 : slot.waiters(now).size();
    }

    int size() {
        return slots.size();
    }

    /**
     * Adds the resources with live records, looking at {@code count} of all from that place on. What is forgotten between two
     * calls may change places, so a resource may be missed or come twice.
     *
     * @return where to go on; negative at the end
     */
    int addLive(int place, int count, Moment now, Collection<String> resources) {
        int end = (int) Math.min((long) place + count, forgetOrder.size());
        for (int i = place; i < end; i++) {
            String resource = forgetOrder.get(i);
            if (live(resource, now) != null) {
                resources.add(resource);
            }
        }
        return end < forgetOrder.size() ? end : -1;
    }

    @Nullable
    AcceptorSlot live(String resource, Moment now) {
        AcceptorSlot slot = slots.get(resource);
        return slot != null && slot.isLiveFor(now) ? slot : null;
    }

    private AcceptorSlot slot(String resource) {
        AcceptorSlot slot = slots.get(resource);
        if (slot == null) {
            slot = new AcceptorSlot();
            slots.put(resource, slot);
            forgetOrder.add(resource);
        }
        slot.touch();
        return slot;
    }

    private Held held(AcceptorSlot slot, NodeId from, String resource, Ballot ballot, long attempt, Reading now) {
        Held held = slot.toHeld(resource, ballot, attempt, now.moment());
        slot.addWaiter(from, now.moment().plusNanos(held.remainingNanos() + WAITER_GRACE));
        return held;
    }

    private boolean isTooFarAhead(long counter, Reading now) {
        return counter > counterLimit(now);
    }

    private Refused tooFarAhead(String resource, Ballot ballot, long attempt, Reading now) {
        return new Refused(resource, ballot, attempt, Refusal.TOO_FAR_AHEAD, counterLimit(now));
    }

    /** From the highest wall clock seen, so that a clock that is set back does not shut out what was promised before. */
    private long counterLimit(Reading now) {
        highestWallMicros = Math.max(highestWallMicros, now.wallMicros());
        return highestWallMicros + timing.aheadGuardNanos() / 1_000;
    }
}
