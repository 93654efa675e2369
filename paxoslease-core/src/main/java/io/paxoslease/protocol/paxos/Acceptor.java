package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.protocol.MessageSink;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Note;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.PaxosMessage.Accepted;
import io.paxoslease.protocol.paxos.PaxosMessage.Answer;
import io.paxoslease.protocol.paxos.PaxosMessage.Extend;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import io.paxoslease.protocol.paxos.PaxosMessage.Nominate;
import io.paxoslease.protocol.paxos.PaxosMessage.Nominated;
import io.paxoslease.protocol.paxos.PaxosMessage.Prepare;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.QueueMode;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import io.paxoslease.protocol.paxos.PaxosMessage.Reply;
import io.paxoslease.protocol.paxos.PaxosMessage.Wanted;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An acceptor: {@link AcceptorRules}, and around them the queue of those who wait. Which proposal it looks at first, and whom it
 * tells, is advice; what it answers is by the rules. Not thread-safe.
 */
public final class Acceptor {

    private final Generations generations;
    private final ConfigurationGuard guard;
    private final Predicate<NodeId> isMember;
    private final AcceptorRules rules;
    private final Waiters waiters;
    private final WaiterNotifier notifier;
    private final QueueTimers ends;
    private final RecordNotes notes;
    private final WatchServer watchers;
    private final RecordAdmission admission;
    private final ForgetPass forgetting;

    /**
     * @param isMember of the others, of which there may be any number, it queues a few for a resource
     * @param quarantineEnd when everything this acceptor may have forgotten has expired (A0); null when it cannot have
     *     forgotten anything, as in a cell of one
     * @param guard keeps it silent beside other configurations (section 9)
     * @param memory what its tables may have
     * @param seed secret seed of the hash
     */
    Acceptor(
            Generations generations,
            Predicate<NodeId> isMember,
            @Nullable Moment quarantineEnd,
            ConfigurationGuard guard,
            AcceptorMemory memory,
            long seed,
            Reading now) {
        this.generations = generations;
        this.isMember = isMember;
        this.waiters = new Waiters(new Share(memory.waiting(), isMember));
        this.notifier = new WaiterNotifier(waiters, memory.overflow(), isMember);
        this.ends = new QueueTimers(memory.waiting(), waiters);
        this.notes = new RecordNotes(new Share(memory.notes(), isMember));
        this.watchers = new WatchServer(
                generations.own()::boot,
                new Share(memory.subscriptions(), isMember),
                new RecordLog(new Share(memory.records(), isMember), memory.ends()));
        this.guard = guard;
        this.rules = new AcceptorRules(generations, isMember, quarantineEnd, guard, memory, seed, now);
        this.forgetting = new ForgetPass(rules, generations.timing().quarantineNanos(), now.moment());
        boolean isBounded = memory.leases() < AcceptorMemory.UNBOUNDED / 8;
        this.admission = new RecordAdmission(rules, watchers, isMember, isBounded);
    }

    void continueAbove(long counter) {
        rules.continueAbove(counter);
    }

    /** A0: answers nothing and changes nothing until the quarantine is over. */
    boolean isSilent(Reading now) {
        return rules.isSilent(now);
    }

    /** A0, for an acceptor that may have lost its memory while it ran: the quarantine starts now. */
    void quarantine(Reading now) {
        rules.quarantine(now);
        forget();
    }

    /** A0: another process may have answered as this node until that long ago. Answers whether this one is silent for longer than before. */
    boolean outlive(long nanosAgo, Reading now) {
        boolean isLonger = rules.outlive(nanosAgo, now);
        if (isLonger) {
            forget();
        }
        return isLonger;
    }

    private void forget() {
        generations.own().forgetBoot();
        notifier.clear();
        ends.clear();
        notes.clear();
    }

    /** R2: its generation has changed, or is over. All that it remembers stays; but proposals that it keeps may be of a mode that is over (R1). */
    void modeIsOver(Reading now, MessageSink out) {
        notifier.askAgain(now, out);
    }

    /** A1. */
    Reply prepare(NodeId from, Prepare request, Reading now) {
        Reply reply = rules.prepare(from, request, now);
        if (reply instanceof Held held) {
            waiters.add(request.resource(), from, endOf(held, now), now);
            return noted(held);
        }
        return reply;
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
        String resource = request.resource();
        return request.queueMode() == QueueMode.QUEUE
                && rules.promisedCounter(resource, now) < request.predecessorCounter()
                && rules.wouldAccept(request, now)
                && live(resource, now.moment()) == null
                && waiters.add(request, from, true, now.moment(), now);
    }

    private Reply proposeNow(NodeId from, Propose request, Reading now) {
        admission.begin(request);
        try {
            return proposeAsAdmitted(from, request, now);
        } finally {
            admission.end();
        }
    }

    private Reply proposeAsAdmitted(NodeId from, Propose request, Reading now) {
        if (admission.refuses(from, request, now.moment())) {
            return AcceptorRules.noRoom(request.resource(), request.ballot(), request.attempt());
        }
        Reply reply = rules.propose(from, request, now);
        if (reply instanceof Held unnoted) {
            Held held = noted(unnoted);
            boolean acceptable = rules.wouldAccept(request, now);
            boolean waits = acceptable && request.queueMode() == QueueMode.QUEUE;
            long askAgain = waits ? notifier.placeFor(from, request, now) : 0;
            if (askAgain > 0) {
                return held.askingAgainAfter(askAgain);
            }
            if (!waiters.add(request, from, acceptable, endOf(held, now), now)) {
                return held;
            }
            ends.watch(request.resource(), endOf(held, now), now);
            return held.whenQueued();
        } else if (reply instanceof Accepted accepted) {
            note(from, request);
            watchers.changed(request.resource());
            waiters.remove(request.resource(), from);
            notifier.leave(request.resource(), from);
            if (!waiters.isWanted(request.resource(), now)) {
                return accepted;
            }
            ends.watch(
                    request.resource(), now.moment().plusNanos(generations.exclusionNanos(request.leaseNanos())), now);
            return accepted.whenWanted();
        }
        return reply;
    }

    /** X1: a proposal tells the whole note of its record. */
    private void note(NodeId from, Propose accepted) {
        if (!notes.isEmpty() || !accepted.note().isEmpty()) {
            notes.returning(admission.isReturning());
            notes.put(rules.slots().find(accepted.resource()), from, accepted.note());
        }
    }

    private Held noted(Held held) {
        return notes.isEmpty() ? held : held.withNote(noteOf(held.resource()));
    }

    /** The note of a record that is live; empty: it has none, or none is known. */
    String noteOf(String resource) {
        return notes.isEmpty() ? Note.NONE : notes.at(rules.slots().find(resource));
    }

    private static Moment endOf(Held held, Reading now) {
        return now.moment().plusNanos(held.remainingNanos());
    }

    /** A3. Those who wait hear of it: one, that it is accepted, or all, that it is free. */
    void release(NodeId from, Release request, Reading now, MessageSink out) {
        release(from, request, null, now, out);
    }

    /**
     * A3, Q15.
     *
     * @param successor whose queued proposal is examined first; null: the queue has its usual order
     */
    void release(NodeId from, Release request, @Nullable NodeId successor, Reading now, MessageSink out) {
        AcceptorRules.Freed freed = rules.release(from, request, now);
        String resource = request.resource();
        if (freed == AcceptorRules.Freed.RECORD) {
            notes.remove(rules.slots().find(resource));
        }
        waiters.remove(resource, from, request.incarnation(), request.upToCounter());
        notifier.leave(resource, from);
        if (freed != AcceptorRules.Freed.NOTHING) {
            watchers.changed(resource);
            serveQueue(resource, successor, freed == AcceptorRules.Freed.RECORD, now, out);
        }
    }

    /** Q14: the owner of the live record asks who waits. Null: another node asks, and is not answered. */
    @Nullable
    Nominated nominate(NodeId from, Nominate request, Reading now, MessageSink out) {
        AcceptorSlot slot = live(request.resource(), now.moment());
        if (slot == null || !slot.isOwnedBy(from, request.incarnation()) || slot.counter > request.counter()) {
            return null;
        }
        List<Candidate> waiting = notifier.waiting(request.resource(), request.node(), now, out);
        return new Nominated(request.resource(), request.question(), waiting);
    }

    private void serveQueue(String resource, @Nullable NodeId successor, boolean hints, Reading now, MessageSink out) {
        long promised = rules.promisedCounter(resource, now);
        if (notifier.serveQueued(resource, promised, successor, this::proposeNow, now, out)) {
            tellNewOwner(resource, now, out);
        } else if (hints) {
            notifier.hint(resource, now, out);
        }
        notifier.callOverflow(resource, now, out);
    }

    /** W1: what the owner before has heard of those that wait, this one has not. */
    private void tellNewOwner(String resource, Reading now, MessageSink out) {
        AcceptorSlot slot = live(resource, now.moment());
        notifier.hasNewFirst(resource, now);
        NodeId first = notifier.lastFirst(resource);
        if (slot != null
                && slot.owner != null
                && slot.ownerNode != null
                && first != null
                && !isMember.test(slot.ownerNode)) {
            long queued = notifier.highestKept(resource, now);
            out.send(slot.ownerNode, new Wanted(resource, slot.owner, slot.counter, queued, false, first));
        }
    }

    /** What the passing of time alone brings about. */
    void notice(Reading now, MessageSink out) {
        forget(now);
        if (!isSilent(now)) {
            serveExpired(now, out);
        }
    }

    /** Q8: a record that others are queued behind has expired: they are served as at a release. */
    void serveExpired(Reading now, MessageSink out) {
        for (String resource : ends.poll(now.moment())) {
            if (waiters.isWanted(resource, now) && live(resource, now.moment()) == null) {
                serveQueue(resource, null, true, now, out);
                tellOvertaken(resource, now, out);
            }
            AcceptorSlot slot = waiters.isWanted(resource, now) ? live(resource, now.moment()) : null;
            if (slot != null) {
                ends.watch(resource, slot.deadline(), now);
            }
        }
    }

    /** Waiting proposers whose counter will not do any more hear of it before it is their turn. */
    void tellOvertaken(String resource, Reading now, MessageSink out) {
        if (!waiters.isEmpty() && live(resource, now.moment()) != null) {
            notifier.tellOvertaken(resource, rules.promisedCounter(resource, now), now, out);
        }
    }

    /** At the end of a step: those that watch are told of what has changed (V1), or once that they are told nothing from now on (V2). */
    void tellWatchers(Reading now, MessageSink out) {
        if (isSilent(now)) {
            admission.fallsSilent();
            watchers.pause(out);
        } else {
            admission.serves(generations.timing().quarantineNanos(), now.moment());
            watchers.returning(admission.areReturning());
            watchers.finish(rules.slots(), this::noteOf, out, now.moment());
            watchers.returning(false);
        }
    }

    /** Those that watch it. */
    WatchServer watchers() {
        return watchers;
    }

    /** A4. */
    @Nullable
    Answer extend(NodeId from, Extend request, Reading now) {
        return rules.extensions().extend(from, request, place -> isWanted(place, now), now);
    }

    private boolean isWanted(int place, Reading now) {
        return !waiters.isEmpty() && waiters.isWanted(rules.slots().name(place), now);
    }

    /** A5. */
    void forget(Reading now) {
        if (forgetting.run(generations.timing().quarantineNanos(), notes::remove, now)) {
            notifier.forgetOver(now);
        }
    }

    Moment nextDeadline() {
        if (rules.quarantineEnd() != null && generations.isOver()) {
            return forgetting.next(); // R7: it stays silent until the process is started with another generation
        }
        Moment changes = guard.nextDeadline();
        Moment quarantineEnd = rules.quarantineEnd();
        if (quarantineEnd != null && !guard.isServing()) {
            changes = changes == null ? null : Moment.later(changes, quarantineEnd);
        } else if (quarantineEnd != null) {
            changes = quarantineEnd;
        } else if (guard.isServing()) {
            changes = Moment.earliest(changes, Moment.earliest(ends.next(), watchers.next()));
        }
        return changes == null ? forgetting.next() : Moment.earlier(changes, forgetting.next());
    }

    /** How long the acceptor stays silent yet, in nanoseconds; zero when it serves. */
    long quarantineRemainingNanos(Moment now) {
        Moment quarantineEnd = rules.quarantineEnd();
        long own = quarantineEnd == null ? 0 : Math.max(0, now.nanosUntil(quarantineEnd));
        return Math.max(own, guard.remainingNanos(now));
    }

    /** Whether it has not begun to serve since it lost its memory. */
    boolean isStarting() {
        return rules.quarantineEnd() != null;
    }

    /** Above which counter a proposal of now has a chance here, now or after those that are kept. */
    long highestSeen(String resource, Reading now) {
        return Math.max(rules.promisedCounter(resource, now), waiters.highestQueued(resource, now));
    }

    /** What it knows of those who wait, and tells them: hints. */
    WaiterNotifier notifier() {
        return notifier;
    }

    /** How many records have a note. */
    int notes() {
        return notes.size();
    }

    int size() {
        return rules.slots().size();
    }

    /**
     * Adds the resources with live records, looking at {@code count} of all places from that one on.
     *
     * @return where to go on; negative at the end
     */
    int addLive(int place, int count, Moment now, Collection<String> resources) {
        SlotTable slots = rules.slots();
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
        return rules.slots().live(resource, now);
    }
}
