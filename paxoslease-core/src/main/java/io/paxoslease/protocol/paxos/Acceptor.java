package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.protocol.MessageSink;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.paxos.PaxosMessage.Accepted;
import io.paxoslease.protocol.paxos.PaxosMessage.Answer;
import io.paxoslease.protocol.paxos.PaxosMessage.Extend;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import io.paxoslease.protocol.paxos.PaxosMessage.Open;
import io.paxoslease.protocol.paxos.PaxosMessage.Prepare;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.Refusal;
import io.paxoslease.protocol.paxos.PaxosMessage.Refused;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import io.paxoslease.protocol.paxos.PaxosMessage.Reply;
import io.paxoslease.protocol.paxos.PaxosMessage.Stale;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * The acceptor (section 5, A0 to A5): remembers who holds what, in memory, and never replaces a live lease of another
 * incarnation. Not thread-safe.
 */
public final class Acceptor {

    private static final int FORGET_AT_ONCE = 1_024;

    private final Timing timing;
    private final long seed;
    private SlotTable slots;
    private final Extensions extensions;
    private final Waiters waiters = new Waiters();
    private final HandOver handOver = new HandOver(waiters);
    private int forgetHand;
    private Moment forgetNext;
    private long floor;
    private long highestWallMicros;
    private @Nullable Moment quarantineEnd;
    private final ConfigurationGuard guard;

    /**
     * @param quarantineEnd when everything this acceptor may have forgotten has expired (A0); null when it cannot have
     *     forgotten anything, as in a cell of one
     * @param guard keeps it silent beside other configurations (section 9)
     * @param seed not known outside
     */
    public Acceptor(Timing timing, @Nullable Moment quarantineEnd, ConfigurationGuard guard, long seed, Reading now) {
        this.guard = guard;
        this.seed = seed;
        this.slots = new SlotTable(seed);
        this.timing = timing;
        this.extensions = new Extensions(timing, waiters);
        this.quarantineEnd = quarantineEnd;
        this.forgetNext = now.moment().plusNanos(timing.quarantineNanos());
        if (quarantineEnd == null) {
            floor = now.wallMicros();
        }
    }

    /** What an earlier life of this node has used counts as promised, also where the wall clock has been set back since. */
    void continueAbove(long counter) {
        floor = Math.max(floor, counter);
        highestWallMicros = Math.max(highestWallMicros, counter);
    }

    /** A0: answers nothing and changes nothing until the quarantine is over; then the floor is the wall clock at least. */
    boolean isSilent(Reading now) {
        boolean silent = quarantineEnd != null && now.moment().isBefore(quarantineEnd);
        if (silent || guard.isSilent(now.moment())) {
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
        slots = new SlotTable(seed);
        waiters.clear();
        extensions.clear();
        forgetHand = 0;
    }

    /** A0, for an acceptor that may have lost its memory while it ran: the quarantine starts now. */
    void quarantine(Reading now) {
        quarantineEnd = now.moment().plusNanos(timing.quarantineNanos());
        guard.restart(now.moment());
    }

    /** A1. A live lease is never disturbed by duels: its state stays as it is. */
    Reply prepare(NodeId from, Prepare request, Reading now) {
        String resource = request.resource();
        Ballot ballot = request.ballot();
        if (isTooFarAhead(ballot.counter(), now)) {
            return tooFarAhead(resource, ballot, request.attempt(), now);
        }
        AcceptorSlot slot = slot(resource, now);
        if (slot.isLiveFor(now.moment()) && !slot.isOwnedBy(ballot.incarnation())) {
            return held(
                    slot, resource, ballot, request.attempt(), waiters.add(resource, from, slot.deadline(), now), now);
        }
        if (!slot.isAcceptable(ballot, floor)) {
            return new Stale(resource, ballot, request.attempt(), slot.promisedCounter(floor));
        }
        slot.promise(ballot);
        save(resource, slot);
        return new Open(resource, ballot, request.attempt());
    }

    /** A2; null when the proposal is kept without an answer. */
    @Nullable
    Reply propose(NodeId from, Propose request, Reading now) {
        return request.predecessorCounter() > 0 && queueBehindPredecessor(from, request, now)
                ? null
                : proposeNow(from, request, now);
    }

    /** Its predecessor has not been heard of here: it is kept, as if it came later. */
    private boolean queueBehindPredecessor(NodeId from, Propose request, Reading now) {
        AcceptorSlot slot = slot(request.resource(), now);
        boolean early = request.queueMode() == PaxosMessage.QueueMode.QUEUE
                && slot.promisedCounter(floor) < request.predecessorCounter();
        boolean acceptable = early
                && slot.isAcceptable(request.ballot(), floor)
                && !isTooFarAhead(request.ballot().counter(), now)
                && request.leaseNanos() > 0
                && request.leaseNanos() <= timing.maxLeaseNanos();
        return acceptable && !slot.isLiveFor(now.moment()) && waiters.add(request, from, true, now.moment(), now);
    }

    /** A2. The exclusion starts here, after the proposer started its own timer, and is longer by gamma. */
    private Reply proposeNow(NodeId from, Propose request, Reading now) {
        String resource = request.resource();
        Ballot ballot = request.ballot();
        if (request.leaseNanos() > timing.maxLeaseNanos() || request.leaseNanos() <= 0) {
            return new Refused(resource, ballot, request.attempt(), Refusal.TOO_LONG, timing.maxLeaseNanos());
        }
        if (isTooFarAhead(ballot.counter(), now)) {
            return tooFarAhead(resource, ballot, request.attempt(), now);
        }
        AcceptorSlot slot = slot(resource, now);
        boolean live = slot.isLiveFor(now.moment());
        if (live && !slot.isOwnedBy(ballot.incarnation())) {
            boolean queued = waiters.add(request, from, slot.isAcceptable(ballot, floor), slot.deadline(), now);
            return held(slot, resource, ballot, request.attempt(), queued, now);
        }
        // A renewal passes over the promise: it is measured against the record that it renews.
        boolean acceptable = live ? slot.isAtLeastRecord(ballot.counter()) : slot.isAcceptable(ballot, floor);
        if (!acceptable) {
            return new Stale(resource, ballot, request.attempt(), slot.promisedCounter(floor));
        }
        slot.accept(from, ballot, now.moment().plusNanos(timing.exclusionNanos(request.leaseNanos())), live);
        slot.heardAt(now.moment());
        save(resource, slot);
        waiters.remove(resource, from);
        return new Accepted(resource, ballot, request.attempt(), waiters.isWanted(resource, now));
    }

    /** A3. Those who wait hear of it: one, that it is accepted, or all, that it is free. */
    void release(Release request, Reading now, MessageSink out) {
        if (isTooFarAhead(request.upToCounter(), now)) {
            return;
        }
        String resource = request.resource();
        AcceptorSlot slot = slot(resource, now);
        boolean fenced = slot.fence(request.incarnation(), request.upToCounter(), floor);
        boolean freed = slot.isLiveFor(now.moment()) && slot.drop(request.incarnation(), request.upToCounter());
        if (fenced || freed) {
            save(resource, slot);
        }
        waiters.remove(resource, request.incarnation(), request.upToCounter());
        boolean free = (fenced || freed) && !slot.isLiveFor(now.moment());
        if (free && !handOver.serveQueued(resource, slot.promisedCounter(floor), this::proposeNow, now, out) && freed) {
            handOver.hint(resource, now, out);
        }
    }

    /** Waiting proposers whose counter will not do any more hear of it before it is their turn. */
    void tellOvertaken(String resource, Reading now, MessageSink out) {
        AcceptorSlot slot = waiters.isEmpty() ? null : live(resource, now.moment());
        if (slot != null) {
            handOver.tellOvertaken(resource, slot.promisedCounter(floor), now, out);
        }
    }

    /** A4. */
    @Nullable
    Answer extend(Extend request, Reading now) {
        return extensions.extend(request, slots, now);
    }

    /**
     * A5: drops what has been neither live nor touched between two passes, raising the floor over its promise, so that
     * resources in disuse cost nothing.
     */
    void forget(Reading now) {
        if (now.moment().isBefore(forgetNext)) {
            return;
        }
        for (int i = 0; i < FORGET_AT_ONCE && forgetHand < slots.end(); i++) {
            forgetIfIdle(forgetHand++, now);
        }
        boolean unfinished = forgetHand < slots.end();
        if (!unfinished) {
            forgetHand = 0;
            extensions.forgetUnusedSince(now.moment().plusNanos(-timing.quarantineNanos()));
        }
        forgetNext = now.moment().plusNanos(unfinished ? 1_000_000 : timing.quarantineNanos());
    }

    private void forgetIfIdle(int place, Reading now) {
        if (slots.isUsed(place) && slots.isIdleSinceLastPass(place, now.moment())) {
            floor = Math.max(floor, slots.load(place, now.moment()).promisedCounter(0));
            slots.remove(place);
        }
    }

    Moment nextDeadline() {
        Moment changes = guard.nextDeadline();
        if (quarantineEnd != null && !guard.isServing()) {
            changes = changes == null ? null : Moment.later(changes, quarantineEnd);
        } else if (quarantineEnd != null) {
            changes = quarantineEnd;
        }
        return changes == null ? forgetNext : Moment.earlier(changes, forgetNext);
    }

    /** How long the acceptor stays silent yet, in nanoseconds; zero when it serves. */
    long quarantineRemainingNanos(Moment now) {
        long own = quarantineEnd == null ? 0 : Math.max(0, now.nanosUntil(quarantineEnd));
        return Math.max(own, guard.remainingNanos(now));
    }

    /** Above which counter a proposal of now has a chance here, now or after those that are kept. */
    long highestSeen(String resource, Reading now) {
        int place = slots.find(resource);
        long promised = place < 0 ? floor : slots.load(place, now.moment()).promisedCounter(floor);
        return Math.max(promised, waiters.highestQueued(resource, now));
    }

    /** What it knows of those who wait, and tells them: hints. */
    HandOver handOver() {
        return handOver;
    }

    int size() {
        return slots.size();
    }

    /**
     * Adds the resources with live records, looking at {@code count} of all places from that one on.
     *
     * @return where to go on; negative at the end
     */
    int addLive(int place, int count, Moment now, Collection<String> resources) {
        int end = (int) Math.min((long) place + count, slots.end());
        for (int i = place; i < end; i++) {
            if (slots.isUsed(i) && slots.load(i, now).isLiveFor(now)) {
                resources.add(slots.name(i));
            }
        }
        return end < slots.end() ? end : -1;
    }

    @Nullable
    AcceptorSlot live(String resource, Moment now) {
        return slots.live(resource, now);
    }

    /** A copy of what is remembered, to be saved if it changes. */
    private AcceptorSlot slot(String resource, Reading now) {
        int place = slots.find(resource);
        return place < 0 ? new AcceptorSlot(AcceptorSlot.NOWHERE) : slots.touch(place, now.moment());
    }

    private void save(String resource, AcceptorSlot slot) {
        slots.save(slot.place < 0 ? slots.add(resource) : slot.place, slot);
    }

    private Held held(AcceptorSlot slot, String resource, Ballot ballot, long attempt, boolean queued, Reading now) {
        return slot.toHeld(resource, ballot, attempt, now.moment(), floor, queued);
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
