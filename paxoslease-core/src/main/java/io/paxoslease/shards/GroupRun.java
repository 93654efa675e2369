package io.paxoslease.shards;

import io.paxoslease.AcquireOptions;
import io.paxoslease.node.HeldLease;
import io.paxoslease.node.LocalNode;
import io.paxoslease.node.PendingLease;
import io.paxoslease.node.Threads;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Printable;
import io.paxoslease.shards.ShardGroupStatus.ParticipantStatus;
import io.paxoslease.shards.ShardGroupStatus.ShardStatus;
import io.paxoslease.shards.ShardGroupStatus.State;
import io.paxoslease.shards.plan.Decision;
import io.paxoslease.shards.plan.GroupSettings;
import io.paxoslease.shards.plan.GroupView;
import io.paxoslease.shards.plan.Participant;
import io.paxoslease.shards.plan.Participation;
import io.paxoslease.shards.plan.Reason;
import io.paxoslease.shards.plan.Reason.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This instance's part in a group from a start to the departure: tells its {@link Participation} what happens, and does what that decides. All
 * of it happens in turns, one at a time: each looks at everything that may have changed. So an event that is lost for want of memory is
 * seen by the next turn.
 */
final class GroupRun {

    private static final Logger log = LoggerFactory.getLogger(ShardNames.LOGGER);

    /** A request that waits in a queue asks for a part of the lease time: a receiver that dies meanwhile costs no more (S7). */
    private static final int PARTS_WHILE_QUEUED = 3;

    private final LocalNode node;
    private final GroupSettings settings;
    private final GroupPart part;
    private final Turns turns;
    private final SeenGroup seen;
    private final GroupSeat seat;
    private final Participation participation;
    private final HeldShards held;
    private final GroupWarnings warnings;
    private final CompletableFuture<Void> departed = new CompletableFuture<>();
    private final Map<Integer, PendingLease> asked = new HashMap<>();
    private final List<Integer> refused = new ArrayList<>();

    private volatile @Nullable GroupView view;
    private boolean hasBegun;
    private boolean hasLooked;
    private @Nullable Moment notBefore;
    private @Nullable String earlierConflict;
    private boolean isCurrent;
    private boolean isLeaving;
    private boolean isDeparting;
    private @Nullable Throwable fault;
    /** An earlier run that may still be leaving: this one begins when it has. */
    private @Nullable GroupRun before;

    GroupRun(GroupPart part, GroupSettings settings, String revision, int boot, @Nullable GroupRun before) {
        this.before = before;
        this.node = part.node();
        this.settings = settings;
        this.part = part;
        Moment now = part.now();
        this.participation = new Participation(settings, node.options().nodeId(), revision, boot, now);
        this.warnings = new GroupWarnings(settings);
        this.turns = new Turns(node, part.thread(), this::turn);
        this.held = new HeldShards(part, settings.group(), settings.count(), participation, turns::wake);
        this.seat = new GroupSeat(node, settings.group(), turns::wake, now);
        this.seen = new SeenGroup(node, settings.group(), settings.count(), turns::wake);
    }

    /** Takes part only after that time. Before it begins. */
    synchronized void delay(Duration time, @Nullable String conflict) {
        notBefore = part.now().plusNanos(time.toNanos());
        earlierConflict = conflict;
    }

    /** Why it takes no part; null if it does. */
    @Nullable
    synchronized String conflict() {
        return isLeaving ? null : hasLooked ? participation.conflict() : earlierConflict;
    }

    /** Takes part from now on. */
    void begin() {
        GroupRun earlier;
        synchronized (this) {
            hasBegun = true;
            earlier = before;
        }
        tell(Participation::ready);
        if (earlier != null) {
            CompletableFuture<?> unused = earlier.departed.whenComplete((nothing, failure) -> turns.wake());
        }
    }

    /** Gives all shards up, each when the work on it has ended, then {@link #departed}. */
    void leave() {
        tell(same -> {
            isLeaving = true;
            same.leave();
        });
    }

    /** Gives one shard up when the work on it has ended; the plan may bring it back. Whether it is held. */
    boolean giveUp(int index) {
        synchronized (this) {
            if (!held.holds(index)) {
                return false;
            }
            participation.giveUp(index);
        }
        turns.wake();
        return true;
    }

    void health(boolean isUp) {
        tell(same -> same.health(isUp, part.now()));
    }

    private void tell(Consumer<Participation> event) {
        synchronized (this) {
            event.accept(participation);
        }
        turns.wake();
    }

    /** Looks at everything soon. */
    void wake() {
        turns.wake();
    }

    /** Done when no shard is held and no work goes on; with a failure if this has found a fault in itself. */
    CompletableFuture<Void> departed() {
        return departed;
    }

    /** Waits that long by the node's clock; keeps the interrupt flag. Whether all work has ended. */
    boolean awaitDeparture(Duration timeout) {
        Threads.uninterruptibly(() -> node.groups()
                .clock()
                .await(TimeUnit.NANOSECONDS.convert(timeout), nanos -> Threads.isDone(departed, nanos)));
        return departed.isDone();
    }

    /** The present work on a shard; null if this instance does not own it. Any thread. */
    @Nullable
    ShardTenure tenure(int index) {
        return held.tenure(index);
    }

    /** The node that owns the shard, as far as it is known; null if it is not. Any thread. */
    @Nullable
    String owner(int index) {
        GroupView latest = view;
        return tenure(index) != null ? node.options().nodeId() : latest == null ? null : latest.owner(index);
    }

    synchronized ShardGroupStatus status() {
        Moment now = part.now();
        boolean participates = hasLooked && !departed.isDone();
        List<ShardStatus> shards = new ArrayList<>();
        for (int index = 0; index < settings.count(); index++) {
            shards.add(participates ? status(index, now) : unknown(index));
        }
        return new ShardGroupStatus(
                settings.group(),
                settings.count(),
                state(),
                isCurrent,
                conflict(),
                participants(),
                List.copyOf(shards));
    }

    private ShardStatus status(int index, Moment now) {
        return new ShardStatus(
                index,
                owner(index),
                isCurrent && isFree(index, view),
                participation.target(index),
                participation.why(index, now).text());
    }

    private State state() {
        if (conflict() != null) {
            return State.REFUSED;
        }
        return departed.isDone()
                ? State.STOPPED
                : State.valueOf(participation.state().name());
    }

    private Map<String, ParticipantStatus> participants() {
        Map<String, ParticipantStatus> participants = new TreeMap<>();
        GroupView latest = view;
        if (latest != null) {
            latest.participants().forEach((id, note) -> participants.put(id, status(note)));
        }
        return Collections.unmodifiableMap(participants);
    }

    private static ParticipantStatus status(Participant note) {
        return new ParticipantStatus(
                State.valueOf(note.state().name()),
                Duration.ofMillis(note.ageMillis()),
                note.revision(),
                note.maxOwned());
    }

    /** A shard of a group that this instance sees nothing of. */
    static ShardStatus unknown(int index) {
        return new ShardStatus(index, null, false, null, new Reason(Kind.NOT_PARTICIPATING, null, null).text());
    }

    /** One look at everything. Answers when to look again at the latest; null when that is not needed. */
    private @Nullable Moment turn() {
        List<ShardTenure> ending = new ArrayList<>();
        Moment next = null;
        synchronized (this) {
            if (!hasBegun || departed.isDone() || (before != null && !before.departed.isDone())) {
                return null;
            }
            before = null;
            Moment earliest = notBefore;
            if (earliest != null && !isLeaving && part.now().isBefore(earliest)) {
                return earliest;
            }
            hasLooked = true;
            try {
                if (fault == null) {
                    next = look(ending);
                }
            } catch (RuntimeException | Error found) { // nothing is known any more: all is given up
                fault = found;
            }
            if (fault != null) {
                endAll(ending);
            }
        }
        ending.forEach(GroupRun::endParts); // without the lock: an interrupt may have to close a channel
        return next;
    }

    private static void endParts(ShardTenure tenure) {
        try {
            tenure.guard().endParts();
        } catch (RuntimeException | Error failure) { // a thread of the user's
            log.warn("The work on shard {} could not be interrupted", tenure.index(), failure);
        }
    }

    private @Nullable Moment look(List<ShardTenure> ending) {
        Moment now = part.now();
        held.look(now, ending);
        takeAnswers(now);
        lookAtView(now);
        if (view != null || isLeaving) { // before, there is nothing to tell: the first note says that it is active
            participation.decide(now).forEach(decision -> execute(decision, now, ending));
        }
        if (isDeparting) {
            departWhenIdle();
            return null;
        }
        held.startWhatMayStart();
        BitSet overdue = held.overdue(settings.handOverTimeout(), now);
        warnings.news(participation.unplaced(), participation.notGranted(), overdue, held.waiting())
                .forEach(line -> log.warn("{}", Printable.line(line)));
        Moment seatAt = seat.keep(participation.isSeen(), now);
        Moment next = refused.isEmpty() ? participation.nextLook() : now;
        return seatAt == null ? next : Moment.earliest(next, seatAt);
    }

    private void takeAnswers(Moment now) {
        refused.forEach(shard -> participation.refused(shard, now));
        refused.clear();
        for (Iterator<Map.Entry<Integer, PendingLease>> all = asked.entrySet().iterator(); all.hasNext(); ) {
            Map.Entry<Integer, PendingLease> entry = all.next();
            if (entry.getValue().isAnswered()) {
                HeldLease lease = entry.getValue().granted();
                if (lease == null) {
                    participation.refused(entry.getKey(), now);
                } else {
                    held.take(entry.getKey(), lease, now);
                }
                all.remove(); // last: who has no memory for it still finds the lease
            }
        }
    }

    private void lookAtView(Moment now) {
        if (!seen.takeChanged()) {
            return;
        }
        GroupView latest = seen.view();
        if (latest == null) {
            participation.stalled();
        } else if (!isCurrent || !latest.equals(view)) {
            participation.view(latest, now);
        }
        isCurrent = latest != null;
        view = latest == null ? view : latest;
        part.counts().free(latest == null ? 0 : free(latest), now);
    }

    private int free(GroupView latest) {
        return (int) IntStream.range(0, settings.count())
                .filter(index -> isFree(index, latest))
                .count();
    }

    private boolean isFree(int index, @Nullable GroupView seenBy) {
        return seenBy != null && seenBy.knows(index) && seenBy.owner(index) == null && tenure(index) == null;
    }

    private void execute(Decision decision, Moment now, List<ShardTenure> ending) {
        if (decision instanceof Decision.Publish publish) {
            seat.write(publish.note(), now);
        } else if (decision instanceof Decision.Claim claim) {
            ask(claim.shard(), AcquireOptions.builder().maxWait(Duration.ZERO).build(), null);
        } else if (decision instanceof Decision.Queue queue) {
            Duration part = node.leaseTimes().defaultLeaseTime().dividedBy(PARTS_WHILE_QUEUED);
            ask(queue.shard(), AcquireOptions.renewing(), part);
        } else if (decision instanceof Decision.Withdraw withdraw) {
            withdraw(withdraw.shard());
        } else if (decision instanceof Decision.StartWork work) {
            held.start(work.shard());
        } else if (decision instanceof Decision.EndWork work) {
            held.end(work.shard(), ending);
        } else if (decision instanceof Decision.Release release) {
            held.release(release.shard(), release.receiver());
        } else {
            isDeparting = true;
        }
    }

    private void ask(int shard, AcquireOptions how, @Nullable Duration whileQueued) {
        String resource = ShardNames.shard(settings.group(), shard);
        PendingLease pending = node.groups().ask(resource, how, whileQueued, turns::wake);
        if (pending == null) {
            refused.add(shard);
        } else {
            asked.put(shard, pending);
        }
    }

    /** What has been granted meanwhile is found by the next turn. */
    private void withdraw(int shard) {
        PendingLease pending = asked.get(shard);
        if (pending != null && pending.granted() == null) {
            pending.withdraw();
            asked.remove(shard);
            refused.add(shard);
        }
    }

    /** Something is wrong in here: everything is given up, each shard when the work on it has ended. */
    private void endAll(List<ShardTenure> ending) {
        asked.values().forEach(PendingLease::withdraw);
        asked.clear();
        if (held.endAll(ending)) {
            departWhenIdle();
        }
    }

    /** Work under leases that were lost may still run. The participant lease is the last one: the others plan with it until all shards are handed over. */
    private void departWhenIdle() {
        if (held.isHandingOver()) {
            return;
        }
        seat.giveUp();
        if (held.isIdle()) {
            seen.close();
            view = null;
            isCurrent = false;
            part.counts().free(0, part.now());
            if (fault == null) {
                departed.complete(null);
            } else {
                departed.completeExceptionally(fault);
            }
        }
    }
}
