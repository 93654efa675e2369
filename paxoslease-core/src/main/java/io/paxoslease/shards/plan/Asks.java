package io.paxoslease.shards.plan;

import io.paxoslease.protocol.Moment;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The shards that this instance asks for: free ones (S5), and ones that it queues for at their holder (S7, S8). */
final class Asks {

    /** How long after an ask that got no lease the shard is not asked for: twice as long after each one, up to a limit. */
    private static final Duration PAUSE = Duration.ofMillis(500);

    private static final int MOST_DOUBLINGS = 3;
    /** After so many asks without a lease an operator has to know. */
    private static final int MANY = 4;

    /** How much longer than the holder the receiver of a shard waits before it leaves the shard alone. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final class Ask {

        /** Null for a free shard. */
        final @Nullable String holder;

        /** Since when it has been for the sake of balance; null while it is not, since the holder gives its shards up. */
        @Nullable
        Moment balancesSince;

        boolean isWithdrawn;

        Ask(@Nullable String holder, @Nullable Moment balancesSince) {
            this.holder = holder;
            this.balancesSince = balancesSince;
        }
    }

    private final String self;
    private final GroupSettings settings;
    private final Pins pins;
    private final OwnShards own;
    private final @Nullable Ask[] asks;
    private final @Nullable Moment[] refusedAt;
    /** How often since the shard was last granted, or had an owner. */
    private final int[] refusals;

    private int size;

    Asks(String self, GroupSettings settings, Pins pins, OwnShards own) {
        this.self = self;
        this.settings = settings;
        this.pins = pins;
        this.own = own;
        this.asks = new Ask[settings.count()];
        this.refusedAt = new Moment[settings.count()];
        this.refusals = new int[settings.count()];
    }

    int size() {
        return size;
    }

    boolean isAsked(int shard) {
        return asks[shard] != null;
    }

    /** The ask is over. */
    void answered(int shard, boolean isGranted, Moment now) {
        if (asks[shard] != null) {
            asks[shard] = null;
            size--;
        }
        refusedAt[shard] = isGranted ? null : now;
        refusals[shard] = isGranted ? 0 : refusals[shard] + 1;
    }

    /** Whether it is free, and was asked for again and again without being granted. */
    boolean isInVain(int shard) {
        return refusals[shard] >= MANY;
    }

    void decide(Situation situation, @Nullable String[] owners, Outlook outlook) {
        for (int shard = 0; shard < asks.length; shard++) {
            Ask ask = asks[shard];
            if (ask != null) {
                check(shard, ask, situation, outlook);
            }
            if (owners[shard] != null) {
                refusals[shard] = 0;
            }
        }
        Plan plan = situation.plan();
        if (plan == null || situation.isStalled() || !situation.isCandidate() || !situation.mayClaim()) {
            return;
        }
        for (int shard = 0; shard < asks.length; shard++) {
            if (plan.isPlaced(shard) && self.equals(plan.target(shard))) {
                ask(shard, owners[shard], false, outlook);
            }
        }
        if (situation.mayMove()) {
            plan.moves().stream()
                    .filter(move -> self.equals(move.to()) && underWay(move.from()) < GroupSettings.AT_A_TIME)
                    .forEach(move -> ask(move.shard(), move.from(), true, outlook));
        }
    }

    private void ask(int shard, @Nullable String holder, boolean isBalance, Outlook outlook) {
        if (asks[shard] != null || own.holds(shard) || own.size() + size >= settings.maxOwned()) {
            return;
        }
        Moment refused = refusedAt[shard];
        if (refused != null && !outlook.hasPassed(pause(shard), refused)) {
            return;
        }
        if (isBalance && underWay(holder) >= GroupSettings.AT_A_TIME) {
            return;
        }
        asks[shard] = new Ask(holder, isBalance ? outlook.now : null);
        size++;
        outlook.decide(holder == null ? new Decision.Claim(shard) : new Decision.Queue(shard, holder));
    }

    private Duration pause(int shard) {
        return PAUSE.multipliedBy(1L << Math.min(MOST_DOUBLINGS, Math.max(0, refusals[shard] - 1)));
    }

    private void check(int shard, Ask ask, Situation situation, Outlook outlook) {
        if (ask.isWithdrawn) {
            return;
        }
        Plan plan = situation.plan();
        if (ask.holder != null && plan != null && !situation.isStalled()) {
            ask.balancesSince =
                    plan.isPlaced(shard) ? null : ask.balancesSince == null ? outlook.now : ask.balancesSince;
        }
        boolean isTooLong = ask.balancesSince != null
                && outlook.hasPassed(settings.handOverTimeout().plus(PATIENCE), ask.balancesSince);
        if (isTooLong) {
            pins.pin(shard, outlook.now);
        }
        String target = situation.target(shard); // null while the holder is no participant: it may have crashed
        boolean isUnplanned = ask.holder != null && !situation.isStalled() && target != null && !self.equals(target);
        if (situation.givesUp() || isTooLong || isUnplanned) {
            ask.isWithdrawn = true;
            outlook.decide(new Decision.Withdraw(shard));
        }
    }

    private long underWay(@Nullable String holder) {
        long underWay = 0;
        for (Ask ask : asks) {
            if (ask != null && ask.balancesSince != null && Objects.equals(ask.holder, holder)) {
                underWay++;
            }
        }
        return underWay;
    }
}
