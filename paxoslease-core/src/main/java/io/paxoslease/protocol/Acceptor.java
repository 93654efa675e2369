package io.paxoslease.protocol;

import io.paxoslease.protocol.ExtensionLists.Listed;
import io.paxoslease.protocol.Message.Accepted;
import io.paxoslease.protocol.Message.Answer;
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
import io.paxoslease.protocol.Message.Unlisted;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
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
    private final ExtensionLists lists = new ExtensionLists();

    private final Waiters waiters = new Waiters();
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
        if (quarantineEnd == null) {
            return false;
        }
        quarantineEnd = null;
        startOver(now);
        return false;
    }

    /** The end of a quarantine: every record is over, and every promise, also a forgotten one, is below the floor. */
    private void startOver(Reading now) {
        slots.forEach(now.moment(), (resource, slot) -> floor = Math.max(floor, slot.promisedCounter(0)));
        floor = Math.max(floor, now.wallMicros());
        slots = new SlotTable(seed);
        waiters.clear();
        lists.clear();
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
        return request.after() > 0 && isKeptBehind(from, request, now) ? null : proposeNow(from, request, now);
    }

    /** Whoever comes before it has not been heard of here: it is kept, as if it came later. */
    private boolean isKeptBehind(NodeId from, Propose request, Reading now) {
        AcceptorSlot slot = slot(request.resource(), now);
        boolean early = request.patience() == Message.Patience.QUEUES && slot.promisedCounter(floor) < request.after();
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
            return held(
                    slot,
                    resource,
                    ballot,
                    request.attempt(),
                    waiters.add(request, from, slot.isAcceptable(ballot, floor), slot.deadline(), now),
                    now);
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

    /** A3. Puts what is to be said to those who wait into the mail: to one, that it is accepted, or to all, that it is free. */
    void release(Release request, Reading now, Mail mail) {
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
        if (free && !serveQueued(resource, slot.promisedCounter(floor), now, mail) && freed) {
            hint(resource, now, mail);
        }
    }

    /**
     * Proposals that were kept are looked at as if they came now, the oldest wish first, until one is accepted.
     *
     * @return whether one is
     */
    private boolean serveQueued(String resource, long heardOf, Reading now, Mail mail) {
        for (Waiters.Waiter next = waiters.pollQueued(resource, heardOf, now);
                next != null;
                next = waiters.pollQueued(resource, heardOf, now)) {
            Reply reply = proposeNow(next.node(), Objects.requireNonNull(next.proposal()), now);
            mail.put(next.node(), reply);
            if (reply instanceof Accepted) {
                return true;
            }
        }
        return false;
    }

    private void hint(String resource, Reading now, Mail mail) {
        List<NodeId> others = waiters.all(resource, now);
        for (int i = 0; i < others.size(); i++) {
            mail.put(others.get(i), new Message.Released(resource, i));
        }
    }

    /** Whoever is in line with a counter that will not do any more hears of it before it is its turn. */
    void tellOvertaken(String resource, Reading now, Mail mail) {
        if (waiters.isEmpty()) {
            return;
        }
        AcceptorSlot slot = live(resource, now.moment());
        if (slot != null) {
            long promised = slot.promisedCounter(floor);
            waiters.takeQueuedUpTo(resource, promised, now).forEach(waiter -> {
                Propose asked = Objects.requireNonNull(waiter.proposal());
                mail.put(waiter.node(), new Stale(resource, asked.ballot(), asked.attempt(), promised));
            });
        }
    }

    /** Tells those who asked about it, and do not wait for it, that the lease is in use. */
    void tellInUse(String resource, Reading now, Mail mail) {
        waiters.takeAsking(resource, now).forEach(waiter -> {
            Propose asked = Objects.requireNonNull(waiter.proposal());
            mail.put(waiter.node(), new Message.InUse(resource, asked.ballot(), asked.attempt()));
        });
    }

    /** Nothing that node has asked for is kept: it may have ended. */
    void onUnreachable(NodeId node) {
        waiters.removeAll(node);
    }

    /**
     * A4. Never creates a record. A list that was sent before may be named by its number: then it is taken as if it had been sent
     * again.
     */
    @Nullable
    Answer extend(Extend request, Reading now) {
        if (request.leaseNanos() > timing.maxLeaseNanos() || request.leaseNanos() <= 0) {
            return null;
        }
        Listed listed = request.isByNumber()
                ? lists.use(request.incarnation(), request.list(), now.moment())
                : resolve(request, now.moment());
        return listed == null ? new Unlisted(request.incarnation(), request.attempt()) : extend(request, listed, now);
    }

    /** Finds where the listed resources are, and remembers that if the list has a number. */
    private Listed resolve(Extend request, Moment now) {
        Listed listed = new Listed(request.extensions().size(), now);
        int i = 0;
        for (Extension extension : request.extensions()) {
            int place = slots.find(extension.resource());
            listed.places[i] = place;
            listed.generations[i] = place < 0 ? 0 : slots.generation(place);
            listed.lowestCounters[i] = extension.lowestCounter();
            i++;
        }
        if (request.list() != Extend.UNNUMBERED) {
            lists.put(request.incarnation(), request.list(), listed, slots.size());
        }
        return listed;
    }

    private Extended extend(Extend request, Listed listed, Reading now) {
        Moment until = now.moment().plusNanos(timing.exclusionNanos(request.leaseNanos()));
        List<Integer> missing = new ArrayList<>(0);
        List<Integer> wanted = new ArrayList<>(0);
        for (int i = 0; i < listed.places.length; i++) {
            int place = listed.places[i];
            // The place may be another resource's by now.
            if (place < 0 || slots.generation(place) != listed.generations[i]) {
                missing.add(i);
                continue;
            }
            AcceptorSlot slot = slots.touch(place, now.moment());
            if (slot.isLiveFor(now.moment())
                    && slot.extend(request.incarnation(), listed.lowestCounters[i], until, now.moment())) {
                slots.saveTimes(place, slot);
                if (!waiters.isEmpty() && waiters.isWanted(slots.name(place), now)) {
                    wanted.add(i);
                }
            } else {
                missing.add(i);
            }
        }
        return new Extended(request.incarnation(), request.attempt(), missing, wanted);
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
            lists.forgetUnusedSince(now.moment().plusNanos(-timing.quarantineNanos()));
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

    /** How many proposers wait to hear from this acceptor that the resource is free. */
    int waitingForHint(String resource, Reading now) {
        return waiters.waitingForHint(resource, now);
    }

    /** Above which counter a proposal of now has a chance here, now or after those that are kept. */
    long highestSeen(String resource, Reading now) {
        int place = slots.find(resource);
        long promised = place < 0 ? floor : slots.load(place, now.moment()).promisedCounter(floor);
        return Math.max(promised, waiters.highestQueued(resource, now));
    }

    /**
     * The counter of another node's live record that is not older, or was extended not longer ago, than that; zero when there is
     * none.
     */
    long freshRecordOfOther(String resource, NodeId self, long nanos, Reading now) {
        AcceptorSlot slot = live(resource, now.moment());
        boolean fresh =
                slot != null && !self.equals(slot.ownerNode) && slot.heardAt().nanosUntil(now.moment()) <= nanos;
        return fresh ? Objects.requireNonNull(slot).counter : 0;
    }

    /** The highest counter of a proposal that is kept for another; zero when there is none. */
    long highestKept(String resource, Reading now) {
        return waiters.highestQueued(resource, now);
    }

    /** Whether others wait for the resource as far as this acceptor knows. */
    boolean isWanted(String resource, Reading now) {
        return waiters.isWanted(resource, now);
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
