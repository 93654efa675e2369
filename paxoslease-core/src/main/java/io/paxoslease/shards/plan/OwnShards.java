package io.paxoslease.shards.plan;

import io.paxoslease.protocol.Moment;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The shards that this instance holds, the work on them, and how they are given up (S7, S8). A shard is released only when no work runs
 * on it.
 */
final class OwnShards {

    private static final Duration FIRST_RETRY = Duration.ofSeconds(1);
    private static final Duration LONGEST_RETRY = Duration.ofMinutes(1);

    private enum Phase {
        RUNNING,
        /** The work failed, and starts again after a while (S10). */
        FAILED,
        /** The work was asked to end. That stays so, whatever the plan says later. */
        ENDING,
        /** The work was asked to end, and has ended. */
        ENDED
    }

    private static final class Own {
        Phase phase = Phase.RUNNING;
        Moment since;
        Duration retry = FIRST_RETRY;
        boolean isOverdue;
        /** It is released when the work has ended, whatever the plan says. */
        boolean isGivenUp;

        @Nullable
        String receiver;

        Own(Moment now) {
            this.since = now;
        }

        void become(Phase next, Moment now) {
            phase = next;
            since = now;
            isOverdue = false;
        }
    }

    private final String self;
    private final GroupSettings settings;
    private final Pins pins;
    private final @Nullable Own[] shards;
    private final @Nullable String[] firstWaiters;

    /** Released shards of which the view still tells that this instance owns them: to whom they went, or the empty text. */
    private final @Nullable String[] releasedTo;

    private int size;

    OwnShards(String self, GroupSettings settings, Pins pins) {
        this.self = self;
        this.settings = settings;
        this.pins = pins;
        this.shards = new Own[settings.count()];
        this.firstWaiters = new String[settings.count()];
        this.releasedTo = new String[settings.count()];
    }

    int size() {
        return size;
    }

    boolean holds(int shard) {
        return shards[shard] != null;
    }

    void wanted(int shard, @Nullable String node) {
        firstWaiters[shard] = node;
    }

    /** The lease was granted: the work starts, unless there is no place for it. */
    void granted(int shard, boolean givesUp, Outlook outlook) {
        if (shards[shard] == null) {
            size++;
        }
        Own own = new Own(outlook.now);
        shards[shard] = own;
        releasedTo[shard] = null;
        if (givesUp || size > settings.maxOwned()) {
            release(shard, null, outlook);
        } else {
            outlook.decide(new Decision.StartWork(shard));
        }
    }

    void lost(int shard) {
        if (shards[shard] != null) {
            shards[shard] = null;
            size--;
            firstWaiters[shard] = null;
            releasedTo[shard] = "";
        }
    }

    void giveUp(int shard) {
        Own own = shards[shard];
        if (own != null) {
            own.isGivenUp = true;
        }
    }

    void workEnded(int shard, Moment now) {
        Own own = shards[shard];
        if (own != null) {
            if (own.phase == Phase.ENDING) {
                own.become(Phase.ENDED, now);
            } else if (own.phase == Phase.RUNNING) {
                workFailed(shard, now);
            }
        }
    }

    void workInDoubt(int shard, Moment now) {
        workFailed(shard, now);
        Own own = shards[shard];
        if (own != null) {
            own.retry = FIRST_RETRY;
        }
    }

    void workFailed(int shard, Moment now) {
        Own own = shards[shard];
        if (own == null) {
            return;
        }
        if (own.phase == Phase.RUNNING) {
            boolean hasRunLong = own.since.nanosUntil(now) >= LONGEST_RETRY.toNanos();
            own.retry = hasRunLong ? FIRST_RETRY : own.retry;
            own.become(Phase.FAILED, now);
        } else if (own.phase == Phase.ENDING) {
            own.become(Phase.ENDED, now);
        }
    }

    /** Puts what this instance knows of its own shards over what the view tells. */
    void overlay(@Nullable String[] owners, BitSet unknown) {
        for (int shard = 0; shard < owners.length; shard++) {
            if (shards[shard] != null) {
                owners[shard] = self;
                unknown.clear(shard);
            } else if (!self.equals(owners[shard])) {
                releasedTo[shard] = null;
            } else if (releasedTo[shard] != null) {
                String receiver = releasedTo[shard];
                owners[shard] = receiver.isEmpty() ? null : receiver;
                unknown.set(shard, owners[shard] == null);
            } // else the grant is on its way, or the lease is of an earlier life of this node: no other one can have it
        }
    }

    /** @param gaveUpAt since when this instance leaves or stands by; null if it does neither */
    void decide(Situation situation, @Nullable Moment gaveUpAt, Outlook outlook) {
        for (int shard = 0; shard < shards.length; shard++) {
            Own own = shards[shard];
            if (own != null) {
                decide(shard, own, situation, gaveUpAt, outlook);
            }
        }
    }

    private void decide(int shard, Own own, Situation situation, @Nullable Moment gaveUpAt, Outlook outlook) {
        switch (own.phase) {
            case RUNNING -> {
                if (own.isGivenUp || isToEnd(shard, situation, gaveUpAt, outlook)) {
                    own.receiver = receiver(shard, situation);
                    own.become(Phase.ENDING, outlook.now);
                    outlook.decide(new Decision.EndWork(shard, own.receiver));
                }
            }
            case FAILED -> {
                if (own.isGivenUp || isToEnd(shard, situation, gaveUpAt, outlook)) {
                    release(shard, receiver(shard, situation), outlook);
                } else if (outlook.hasPassed(own.retry, own.since)) {
                    Duration twice = own.retry.multipliedBy(2);
                    own.retry = twice.compareTo(LONGEST_RETRY) > 0 ? LONGEST_RETRY : twice;
                    start(shard, own, outlook);
                }
            }
            case ENDING -> {
                if (!own.isOverdue && outlook.hasPassed(settings.handOverTimeout(), own.since)) {
                    own.isOverdue = true;
                    pins.pin(shard, outlook.now);
                }
            }
            case ENDED -> ended(shard, own, situation, gaveUpAt, outlook);
        }
    }

    /** The work has ended: plan, receiver and wish are checked once more. Without a receiver the shard stays here (S7). */
    private void ended(int shard, Own own, Situation situation, @Nullable Moment gaveUpAt, Outlook outlook) {
        String waiter = firstWaiters[shard];
        if (own.isGivenUp) {
            release(shard, receiver(shard, situation), outlook);
        } else if (gaveUpAt != null) {
            if (isDue(shard, situation, gaveUpAt, outlook)) {
                release(shard, successor(shard, situation), outlook);
            }
        } else if (situation.mayRelease()
                && waiter != null
                && (waiter.equals(own.receiver) || waiter.equals(situation.target(shard)))) {
            release(shard, waiter, outlook);
        } else {
            start(shard, own, outlook);
        }
    }

    private void start(int shard, Own own, Outlook outlook) {
        own.become(Phase.RUNNING, outlook.now);
        own.receiver = null;
        outlook.decide(new Decision.StartWork(shard));
    }

    private void release(int shard, @Nullable String receiver, Outlook outlook) {
        shards[shard] = null;
        size--;
        firstWaiters[shard] = null;
        releasedTo[shard] = receiver == null ? "" : receiver;
        outlook.decide(new Decision.Release(shard, receiver));
    }

    private boolean isToEnd(int shard, Situation situation, @Nullable Moment gaveUpAt, Outlook outlook) {
        if (gaveUpAt != null) {
            return isDue(shard, situation, gaveUpAt, outlook);
        }
        String receiver = receiver(shard, situation);
        return receiver != null && situation.mayMove() && underWay(receiver) < GroupSettings.AT_A_TIME;
    }

    /** One that gives up ends the work when the receiver waits, or soon after. */
    private boolean isDue(int shard, Situation situation, Moment gaveUpAt, Outlook outlook) {
        return receiver(shard, situation) != null
                || situation.target(shard) == null
                || self.equals(situation.target(shard))
                || situation.isStalled()
                || outlook.hasPassed(GroupSettings.RECEIVER_WAIT, gaveUpAt);
    }

    /** The node that waits for the shard and should own it by the own plan; null if there is none. A wish alone moves nothing. */
    @Nullable
    private String receiver(int shard, Situation situation) {
        String target = situation.target(shard);
        return target != null && !target.equals(self) && target.equals(firstWaiters[shard]) ? target : null;
    }

    /** The receiver; if another node waits first, the one that should own the shard all the same: the members say whether it waits. */
    @Nullable
    private String successor(int shard, Situation situation) {
        String target = situation.target(shard);
        boolean isQueued = firstWaiters[shard] != null;
        return isQueued && target != null && !target.equals(self) ? target : null;
    }

    private long underWay(String receiver) {
        return Arrays.stream(shards)
                .filter(Objects::nonNull)
                .filter(own -> receiver.equals(own.receiver) && own.phase != Phase.RUNNING && !own.isOverdue)
                .count();
    }

    /** The shards whose work was asked to end, and has not within the time for a hand-over. */
    BitSet overdue() {
        BitSet overdue = new BitSet();
        for (int shard = 0; shard < shards.length; shard++) {
            Own own = shards[shard];
            overdue.set(shard, own != null && own.isOverdue);
        }
        return overdue;
    }

    /** Whether the work on the shard has been asked to end. */
    boolean isEnding(int shard) {
        Own own = shards[shard];
        return own != null && (own.phase == Phase.ENDING || own.phase == Phase.ENDED);
    }

    /** Whether that node waits for the shard first. */
    boolean isWantedBy(int shard, @Nullable String node) {
        return node != null && node.equals(firstWaiters[shard]);
    }
}
