package io.paxoslease.shards;

import io.paxoslease.LossReason;
import io.paxoslease.Nomination;
import io.paxoslease.node.HeldLease;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Printable;
import io.paxoslease.shards.ShardTenure.End;
import io.paxoslease.shards.plan.Participation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The leases of shards that this instance holds, and the work under them. A lease is released only when its work has ended (S7). In turns, one at a
 * time, except where it says otherwise.
 */
final class HeldShards {

    private static final Logger log = LoggerFactory.getLogger(ShardNames.LOGGER);

    /** How long the members are asked whether the receiver of a shard waits for it (S8). */
    private static final Duration NOMINATION = Duration.ofMillis(200);

    /** A shard whose lease is held here. */
    private static final class Own {
        final HeldLease lease;

        /** The present stretch of work on it; null between two. */
        volatile @Nullable ShardTenure tenure;

        /** When its work was asked to end because of a doubt; null: it was not. */
        @Nullable
        Moment doubtedAt;

        @Nullable
        NodeId toldWaiter;

        volatile @Nullable LossReason loss;

        Own(HeldLease lease) {
            this.lease = lease;
        }

        boolean isInWork() {
            ShardTenure present = tenure;
            return present != null && !present.guard().isEmpty();
        }
    }

    private final GroupPart part;
    private final String group;
    private final Participation participation;
    private final Runnable wake;
    private final WorkThreads threads;
    private final @Nullable ShardWorker worker;
    private final Map<Integer, Own> own = new TreeMap<>();
    /** Of shards that are not held any more, while work on them has not ended. */
    private final Map<Integer, ShardTenure> lingering = new ConcurrentHashMap<>();
    /** How many leases are released once the members have said whether their receiver waits. */
    private final AtomicInteger handingOver = new AtomicInteger();
    /** Written in turns, read by any thread. */
    private final AtomicReferenceArray<@Nullable ShardTenure> tenures;

    /** @param wake asks for a turn; any thread */
    HeldShards(GroupPart part, String group, int count, Participation participation, Runnable wake) {
        this.part = part;
        this.group = group;
        this.participation = participation;
        this.wake = wake;
        this.threads = new WorkThreads(group, part.threads());
        this.worker = part.worker().get();
        this.tenures = new AtomicReferenceArray<>(count);
    }

    /** The present work on a shard; null if this instance does not own it at this instant. Any thread. */
    @Nullable
    ShardTenure tenure(int index) {
        ShardTenure tenure = tenures.get(index);
        return tenure != null && tenure.seemsOwned() ? tenure : null;
    }

    /** The lease was granted. */
    void take(int shard, HeldLease lease, Moment now) {
        Own taken = new Own(lease);
        own.put(shard, taken);
        lease.belongToElection();
        lease.keepFor(() -> taken.isInWork() || lingering.containsKey(shard));
        lease.onContended(
                () -> {
                    wake.run();
                    return false;
                },
                () -> true);
        lease.observe(reason -> {
            taken.loss = reason;
            wake.run();
        });
        participation.granted(shard, now);
        part.counts().granted();
    }

    /** Tells what has happened to the leases and the work since the last turn. */
    void look(Moment now, List<ShardTenure> ending) {
        Map<LossReason, List<Integer>> losses = new EnumMap<>(LossReason.class);
        List<Integer> doubts = new ArrayList<>(0);
        for (Iterator<Map.Entry<Integer, Own>> all = own.entrySet().iterator(); all.hasNext(); ) {
            Map.Entry<Integer, Own> entry = all.next();
            int shard = entry.getKey(); // an entry of a tree may be another one after it was removed
            Own each = entry.getValue();
            LossReason loss = each.loss;
            if (loss != null) {
                lost(shard, each, ending);
                losses.computeIfAbsent(loss, reason -> new ArrayList<>()).add(shard);
                all.remove(); // last: what there is no memory for is found again
            } else {
                ShardTenure tenure = each.tenure;
                if (tenure != null && tenure.end() == End.IN_DOUBT && each.doubtedAt == null) {
                    each.doubtedAt = now;
                    ending.add(tenure);
                    doubts.add(shard);
                }
                look(shard, each, now);
            }
        }
        lingering.values().removeIf(ShardTenure::isFinished);
        tellOfLosses(losses);
        if (!doubts.isEmpty()) {
            log.warn(
                    "{} of group '{}' had a lease in doubt for a moment, because a clock was set, the process was suspended or the lease had nearly"
                            + " expired. The work ends, and starts again while the lease is held: {}",
                    doubts.size() == 1 ? "A shard" : doubts.size() + " shards",
                    Printable.name(group),
                    Printable.text(doubts));
        }
    }

    private void lost(int shard, Own each, List<ShardTenure> ending) {
        ShardTenure tenure = each.tenure;
        if (tenure != null) {
            end(tenure, End.LOST, ending);
            if (!tenure.isFinished()) {
                lingering.put(shard, tenure);
            }
        }
        participation.lost(shard);
        part.counts().lost();
    }

    /** One line for what is lost together. */
    private void tellOfLosses(Map<LossReason, List<Integer>> losses) {
        losses.forEach((reason, shards) -> log.atLevel(reason == LossReason.STOPPED ? Level.INFO : Level.WARN)
                .log(
                        "Node '{}' lost {} of group '{}' ({}): {}",
                        Printable.name(part.node().options().nodeId()),
                        shards.size() == 1 ? "a shard" : shards.size() + " shards",
                        Printable.name(group),
                        reason,
                        Printable.text(shards)));
    }

    private void look(int shard, Own each, Moment now) {
        NodeId first = each.lease.firstWaiter();
        if (first != null && !first.equals(each.toldWaiter)) {
            each.toldWaiter = first;
            participation.wanted(shard, first.name());
        }
        ShardTenure tenure = each.tenure;
        if (tenure != null && isFinished(shard, tenure)) {
            each.tenure = null;
            each.doubtedAt = null;
            tenures.set(shard, null);
            if (tenure.end() == End.FAILED) {
                participation.workFailed(shard, now);
                part.counts().failed();
            } else if (tenure.end() == End.IN_DOUBT) {
                participation.workInDoubt(shard, now);
            } else {
                participation.workEnded(shard, now);
            }
        }
    }

    /** Nothing runs on the shard: not under this lease, nor under one that was lost before. */
    private boolean isFinished(int shard, ShardTenure tenure) {
        return tenure.isFinished() && !lingering.containsKey(shard);
    }

    /** The work is to begin; it does when nothing of an earlier stretch goes on. */
    void start(int shard) {
        Own each = own.get(shard);
        if (each != null) {
            each.tenure = new ShardTenure(part, group, shard, each.lease, wake);
        }
    }

    /** The shards on which no work starts, since work under an earlier lease still runs. */
    BitSet waiting() {
        BitSet waiting = new BitSet();
        own.forEach((shard, each) -> waiting.set(shard, each.tenure != null && lingering.containsKey(shard)));
        return waiting;
    }

    /** The shards whose work was asked to end, and has not within that time: because they are to move, or after a doubt. */
    BitSet overdue(Duration time, Moment now) {
        BitSet overdue = participation.overdue();
        own.forEach((shard, each) -> {
            Moment since = each.doubtedAt;
            if (since != null && since.nanosUntil(now) >= time.toNanos()) {
                overdue.set(shard);
            }
        });
        return overdue;
    }

    void startWhatMayStart() {
        own.forEach((shard, each) -> {
            ShardTenure tenure = each.tenure;
            if (tenure != null
                    && tenures.get(shard) != tenure
                    && tenure.end() == null
                    && !lingering.containsKey(shard)) {
                start(shard, tenure);
            }
        });
    }

    private void start(int shard, ShardTenure tenure) {
        tenures.set(shard, tenure);
        if (worker != null) {
            threads.start(tenure, worker);
        }
    }

    /** The work is to end. */
    void end(int shard, List<ShardTenure> ending) {
        Own each = own.get(shard);
        if (each != null && each.tenure != null) {
            end(each.tenure, End.ASKED, ending);
            wake.run(); // there may be nothing that has to end
        }
    }

    private void end(ShardTenure tenure, End reason, List<ShardTenure> ending) {
        tenure.mark(reason);
        ending.add(tenure);
    }

    /** S7: no work runs on it. S8: it is for the receiver if that waits. */
    void release(int shard, @Nullable String receiver) {
        Own each = own.get(shard);
        if (each == null) {
            return;
        }
        part.counts().released();
        boolean asks = false;
        try {
            if (receiver != null) {
                releaseTo(receiver, each.lease);
                asks = true;
            }
        } finally {
            if (!asks) { // also if there was no memory to ask
                each.lease.release();
            }
            own.remove(shard);
        }
    }

    private void releaseTo(String receiver, HeldLease lease) {
        CompletableFuture<Nomination> answered =
                lease.node().successors().nominate(lease, new NodeId(receiver), NOMINATION);
        handingOver.incrementAndGet();
        boolean isAwaited = false;
        try {
            CompletableFuture<?> unused = answered.whenComplete((answer, failure) -> handOver(lease, receiver, answer));
            isAwaited = true;
        } finally {
            if (!isAwaited) {
                handingOver.decrementAndGet();
            }
        }
    }

    private void handOver(HeldLease lease, String receiver, @Nullable Nomination answer) {
        try {
            if (answer == Nomination.QUEUED) {
                lease.releaseTo(receiver);
            } else {
                lease.release();
            }
        } finally {
            handingOver.decrementAndGet();
            wake.run();
        }
    }

    boolean holds(int shard) {
        return own.containsKey(shard);
    }

    /** Everything is given up, each shard when the work on it has ended. Whether none is left. */
    boolean endAll(List<ShardTenure> ending) {
        lingering.values().removeIf(ShardTenure::isFinished);
        for (Iterator<Map.Entry<Integer, Own>> all = own.entrySet().iterator(); all.hasNext(); ) {
            Map.Entry<Integer, Own> entry = all.next();
            Own each = entry.getValue();
            ShardTenure tenure = each.tenure;
            if (tenure != null) {
                end(tenure, End.ASKED, ending);
            }
            boolean isIdle = tenure == null || tenure.isFinished();
            if (isIdle && !lingering.containsKey(entry.getKey())) {
                each.lease.release();
                all.remove();
            }
        }
        return own.isEmpty();
    }

    /** Whether a lease is about to be released: a node that stops meanwhile lets it expire. */
    boolean isHandingOver() {
        return handingOver.get() > 0;
    }

    /** Whether no work runs under leases that were lost. */
    boolean isIdle() {
        lingering.values().removeIf(ShardTenure::isFinished);
        return lingering.isEmpty();
    }
}
