package io.paxoslease.shards.plan;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Printable;
import io.paxoslease.shards.plan.Participant.State;
import io.paxoslease.shards.plan.Reason.Kind;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * One instance's part in one group: it is told what happens, and {@link #decide} says what to do (S3 to S11). It knows no clock, thread
 * or network, and is used by one thread at a time. Every method that is told the time must be told one that is no earlier than before.
 *
 * <p>Events are cheap; {@code decide} computes the plan. A caller hands in all events that it has and then asks once. It asks again no
 * later than {@link #nextLook}.
 */
public final class Participation {

    private final GroupSettings settings;
    private final String self;
    private final String revision;
    private final int boot;
    private final Moment startedAt;
    private final Roster roster;
    private final BalanceGate gate;
    private final IdleWatch idleWatch;
    private final Pins pins;
    private final OwnShards own;
    private final Asks asks;
    private final Standby standby = new Standby();
    private final Set<Integer> granted = new LinkedHashSet<>();

    private State state = State.JOINING;
    private boolean isReady;
    private boolean isLeaving;
    private boolean hasDeparted;
    private int order;
    private @Nullable Participant published;
    private @Nullable Moment publishedAt;
    private @Nullable Moment gaveUpAt;
    private @Nullable GroupView view;
    private boolean isStalled = true;
    private @Nullable String conflict;
    private boolean hasCandidates;
    private @Nullable Moment next;
    private Situation situation = new Situation(true, null, false, false, null, false);
    private @Nullable String[] owners;

    /**
     * @param node this node's id
     * @param revision what it runs, see {@link Participant#revision}
     * @param boot drawn at random by this process
     * @param startedAt when the instance started
     */
    public Participation(GroupSettings settings, String node, String revision, int boot, Moment startedAt) {
        this.settings = settings;
        this.self = node;
        this.revision = Participant.revision(revision);
        this.boot = boot;
        this.startedAt = startedAt;
        this.roster = new Roster(settings.count());
        this.gate = new BalanceGate(settings, roster);
        this.idleWatch = new IdleWatch(settings.count());
        this.pins = new Pins(settings.count());
        this.own = new OwnShards(node, settings, pins);
        this.asks = new Asks(node, settings, pins, own);
        this.owners = new String[settings.count()];
    }

    /** The application is ready to work on shards. */
    public void ready() {
        isReady = true;
    }

    /** The application stops: all shards are given up (S8). */
    public void leave() {
        isLeaving = true;
    }

    /** The health group of this instance changed (S10). */
    public void health(boolean isUp, Moment now) {
        standby.health(isUp, now);
    }

    /** A majority of the members tells this now. */
    public void view(GroupView seen, Moment now) {
        GroupView before = view;
        view = seen;
        isStalled = false;
        roster.update(seen.participants(), now);
        if (before != null) {
            ViewChange change = new ViewChange(before, seen);
            change.leaveOutLosers(self, roster, now);
            change.noteGains(roster, now);
        }
    }

    /** A majority of the members does not answer any more: nothing is claimed and nothing moves until the next view. */
    public void stalled() {
        isStalled = true;
        roster.stalled();
    }

    /** The first node that waits for a shard of this instance; null if none waits any more. */
    public void wanted(int shard, @Nullable String node) {
        own.wanted(shard, node);
    }

    /** This instance holds the lease of the shard. */
    public void granted(int shard, Moment now) {
        asks.answered(shard, true, now);
        own.wanted(shard, null);
        granted.add(shard);
    }

    /** A claim, or a wait in the queue, has ended without the lease. */
    public void refused(int shard, Moment now) {
        asks.answered(shard, false, now);
    }

    /** The lease of the shard was lost. The caller has stopped the work. */
    public void lost(int shard) {
        granted.remove(shard);
        own.lost(shard);
    }

    /**
     * The shard is released when the work on it has ended, once, whatever the plan says. Free then, it is for the instance that the plan names,
     * which may be this one. Does nothing if the shard is not held.
     */
    public void giveUp(int shard) {
        own.giveUp(shard);
    }

    /** The work on the shard has ended: it was asked to, or by itself, which counts as a failure. */
    public void workEnded(int shard, Moment now) {
        own.workEnded(shard, now);
    }

    /** The work on the shard has ended since its lease was in doubt for a moment: it starts again after a while, which is always short. */
    public void workInDoubt(int shard, Moment now) {
        own.workInDoubt(shard, now);
    }

    /** The work on the shard has ended by an exception (S10). */
    public void workFailed(int shard, Moment now) {
        own.workFailed(shard, now);
    }

    /** What to do now, in this order. */
    public List<Decision> decide(Moment now) {
        Outlook outlook = new Outlook(now);
        if (!hasDeparted) {
            look(outlook);
        }
        next = outlook.next;
        return outlook.decisions;
    }

    /** When to decide again if nothing happens before; null if that is not needed. */
    @Nullable
    public Moment nextLook() {
        return next;
    }

    private void look(Outlook outlook) {
        checkCount();
        changeState(outlook);
        publish(outlook);
        granted.forEach(shard -> own.granted(shard, state.givesUp(), outlook));
        granted.clear();
        do {
            assess(outlook);
            own.decide(situation, gaveUpAt, outlook);
            asks.decide(situation, owners, outlook);
        } while (pins.takeChanged());
        if (isLeaving && own.size() == 0 && asks.size() == 0) {
            hasDeparted = true;
            outlook.decide(new Decision.Depart());
        }
    }

    /** Two numbers of shards are two contents: the instance that came later is refused (S11). */
    private void checkCount() {
        GroupView seen = view;
        if (isStalled || seen == null || conflict != null) {
            return;
        }
        roster.conflicts(self, startedAt, seen).findFirst().ifPresent(other -> {
            conflict =
                    ("Group '%s' has %,d shards at node '%s' and %,d at this node '%s'. The number of shards of a group never"
                                    + " changes: configure %,d here, or use another name for a group with another number")
                            .formatted(
                                    Printable.name(settings.group()),
                                    other.getValue().count(),
                                    Printable.name(other.getKey()),
                                    settings.count(),
                                    Printable.name(self),
                                    other.getValue().count());
            isLeaving = true;
        });
    }

    private void changeState(Outlook outlook) {
        boolean isStandby = standby.isDue(outlook);
        if (isLeaving) {
            state = State.LEAVING;
        } else if (state == State.JOINING) {
            if (isReady && !isStalled) {
                order = roster.nextOrder();
                state = isStandby ? State.STANDBY : State.ACTIVE;
            }
        } else {
            state = isStandby ? State.STANDBY : State.ACTIVE;
        }
        if (!state.givesUp()) {
            gaveUpAt = null;
        } else if (gaveUpAt == null) {
            gaveUpAt = outlook.now;
        }
    }

    /** At most once a second, except at the end: each new note is a proposal. */
    private void publish(Outlook outlook) {
        Participant last = published;
        boolean isDue = last == null
                ? conflict == null
                : state != last.state()
                        && (isLeaving
                                || outlook.hasPassed(GroupSettings.BETWEEN_NOTES, Objects.requireNonNull(publishedAt)));
        if (isDue) {
            long age = Math.min(Participant.MAX_AGE_MILLIS, startedAt.nanosUntil(outlook.now) / 1_000_000);
            published = new Participant(
                    state, boot, Math.max(0, age), order, revision, settings.count(), settings.maxOwned());
            publishedAt = outlook.now;
            outlook.decide(new Decision.Publish(published));
        }
    }

    /** Computes the plan from the view and what this instance knows of itself. */
    private void assess(Outlook outlook) {
        GroupView seen = view;
        if (seen == null) {
            situation = new Situation(true, null, state.givesUp(), false, null, false);
            return;
        }
        BitSet unknown = new BitSet();
        for (int shard = 0; shard < owners.length; shard++) {
            owners[shard] = seen.owner(shard);
            unknown.set(shard, !seen.knows(shard));
        }
        own.overlay(owners, unknown);
        assess(unknown, outlook);
        Set<String> idle = isStalled ? Set.of() : idleWatch.idle(self, roster, outlook);
        if (!idle.isEmpty()) {
            idle.forEach(each -> roster.leaveOut(each, outlook.now));
            assess(unknown, outlook);
        }
    }

    private void assess(BitSet unknown, Outlook outlook) {
        List<String> active = roster.active().stream()
                .filter(node -> !(node.equals(self) && state != State.ACTIVE))
                .toList();
        List<String> candidates =
                active.stream().filter(node -> !roster.isLeftOut(node, outlook)).toList();
        hasCandidates = !candidates.isEmpty();
        List<String> partners = gate.partners(active, outlook);
        Plan plan = Plan.of(
                settings.group(),
                Seats.of(roster, candidates, partners, self, state, owners),
                owners,
                unknown,
                pins.pinned(outlook));
        Reason closed = gate.closed(active, !plan.moves().isEmpty(), outlook);
        boolean mayClaim = mayClaim(candidates.size(), outlook);
        situation = new Situation(isStalled, plan, state.givesUp(), candidates.contains(self), closed, mayClaim);
        for (int shard = 0; shard < owners.length; shard++) {
            boolean isAwaited = mayClaim && !isStalled && owners[shard] == null && plan.isPlaced(shard);
            idleWatch.expect(shard, isAwaited ? plan.target(shard) : null, outlook.now);
        }
    }

    /** Whether the group has an owner, all expected instances, or waited long enough (S9). */
    private boolean mayClaim(int active, Outlook outlook) {
        for (String owner : owners) {
            if (owner != null) {
                return true;
            }
        }
        Moment first = roster.firstActiveAt();
        return first != null
                && ((settings.expectedInstances() > 0 && active >= settings.expectedInstances())
                        || outlook.hasPassed(settings.startWait(), first));
    }

    /** Why this instance left the group although it was not told to: with both numbers of shards (S11). Null if it did not. */
    @Nullable
    public String conflict() {
        return conflict;
    }

    /** Where this instance stands, as of the last look. */
    public State state() {
        return state;
    }

    /** The node that should own the shard, as of the last look; null if there is none, or it is not known. */
    @Nullable
    public String target(int shard) {
        return situation.target(shard);
    }

    /** The shards without an owner that no participant has room for, though some are active, as of the last look (S10). */
    public BitSet unplaced() {
        Plan plan = situation.plan();
        boolean isOpen = !isStalled && situation.mayClaim() && hasCandidates;
        return plan == null || !isOpen ? new BitSet() : free(plan.unplaced()::get);
    }

    /** Whether this instance is among those that the plan is for, or it is not known who is. */
    public boolean isSeen() {
        return isStalled || roster.present().contains(self);
    }

    /** The shards that this instance should own, and was not granted again and again. */
    public BitSet notGranted() {
        return free(shard -> self.equals(target(shard)) && asks.isInVain(shard));
    }

    private BitSet free(IntPredicate such) {
        BitSet free = new BitSet();
        for (int shard = 0; shard < owners.length; shard++) {
            free.set(shard, owners[shard] == null && such.test(shard));
        }
        return free;
    }

    /** The shards of this instance whose work was asked to end, and has not within the time for a hand-over (S7). */
    public BitSet overdue() {
        return own.overdue();
    }

    /** Why the shard is where it is, as of the last look. */
    public Reason why(int shard, Moment now) {
        Outlook outlook = new Outlook(now);
        Plan plan = situation.plan();
        if (isStalled || plan == null) {
            return Reason.of(Kind.VIEW_STALLED);
        }
        String owner = owners[shard];
        if (owner == null && !Objects.requireNonNull(view).knows(shard)) {
            return Reason.of(Kind.OWNER_UNKNOWN);
        }
        if (owner == null && !situation.mayClaim()) {
            Moment first = roster.firstActiveAt();
            return first == null
                    ? Reason.of(Kind.NO_PARTICIPANT)
                    : new Reason(Kind.GROUP_STARTS, null, outlook.remaining(settings.startWait(), first));
        }
        if (plan.unplaced().get(shard)) {
            Kind kind = hasCandidates ? Kind.MAX_OWNED : Kind.NONE_ACTS;
            return Reason.of(roster.active().isEmpty() ? Kind.NO_PARTICIPANT : kind);
        }
        String target = plan.target(shard);
        if (owner == null) {
            boolean isInVain = self.equals(target) && asks.isInVain(shard);
            return new Reason(isInVain ? Kind.NOT_GRANTED : Kind.TO_BE_CLAIMED, target, null);
        }
        return target == null || target.equals(owner) ? inPlace(shard, owner, outlook) : wait(shard, owner, target);
    }

    private Reason inPlace(int shard, String owner, Outlook outlook) {
        return new Reason(pins.pinned(outlook).get(shard) ? Kind.LEFT_ALONE : Kind.IN_PLACE, owner, null);
    }

    private Reason wait(int shard, String owner, String target) {
        Reason closed = situation.closed();
        boolean isBalance = !Objects.requireNonNull(situation.plan()).isPlaced(shard);
        if (isBalance && closed != null) {
            return closed;
        }
        if (owner.equals(self)) {
            return own.isEnding(shard)
                    ? new Reason(Kind.WORK_ENDS, self, null)
                    : new Reason(own.isWantedBy(shard, target) ? Kind.ITS_TURN : Kind.RECEIVER_AWAITED, target, null);
        }
        if (target.equals(self)) {
            return asks.isAsked(shard)
                    ? new Reason(Kind.WORK_ENDS, owner, null)
                    : new Reason(Kind.ITS_TURN, owner, null);
        }
        return new Reason(Kind.RECEIVER_AWAITED, target, null);
    }
}
