package io.paxoslease.exploration;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.flease.FleaseMessage;
import io.paxoslease.protocol.flease.FleaseNode;
import io.paxoslease.protocol.paxos.Node;
import io.paxoslease.protocol.paxos.OneByOne;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.protocol.paxos.SealKnownToAll;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One process of a small world: a production node, and what its user believes. It is what its events made of it: the same
 * events at the same times always lead to the same state.
 */
final class Peer {

    /** Every wait is the shortest that chance could pick. */
    private static final RandomGenerator NO_CHANCE = () -> 0;

    private static final int HIGHEST_SHARED = 1_000;

    /** Draws incarnations that tell where they come from: node, life, and which of that life. */
    private static final class Lives implements Supplier<Incarnation> {
        private final long node;
        private final long life;
        private long drawn;

        Lives(long node, long life) {
            this.node = node;
            this.life = life;
        }

        @Override
        public Incarnation get() {
            return new Incarnation(node, life * HIGHEST_SHARED + drawn++);
        }
    }

    private final Cell cell;
    private final Timing timing;
    final int number;
    final int life;
    private final int configuration;
    private final Generation generation;
    private final LeaseAlgorithm node;
    private long wallOffsetMicros;
    private int requests;
    /** The request that is not answered yet; zero when there is none. */
    private int asked;

    private long token;
    private @Nullable Reading heldUntil;
    private boolean suspect;
    private int comparedUntil;
    private int asleepUntil;
    /** For how long its monotonic clock has stood still in all. */
    private int sleptUnits;
    /** What it has last asked about where acceptors stand, and when; they are asked and answer at once, when nodes meet. */
    private PaxosMessage.@Nullable AskStanding question;

    private int questionAt = -1;

    /** Whether its acceptor has begun to serve, where that matters. */
    private boolean serves;

    Peer(Cell cell, int number, int life, long wallOffsetMicros, int time) {
        this.cell = cell;
        this.timing = cell.timing(life);
        this.number = number;
        this.life = life;
        this.configuration = configurationOf(number, life);
        this.generation = cell.generation(number, life);
        this.wallOffsetMicros = wallOffsetMicros;
        long drawnLife = cell.keepsIncarnation ? 0 : life;
        long drawnNode = cell.sharesIncarnation ? 0 : number;
        this.node = newNode(new Lives(drawnNode, drawnLife), now(time));
        this.comparedUntil = time - 1;
        keepComparing(time);
    }

    private LeaseAlgorithm newNode(Lives lives, Reading now) {
        Quorum quorum = new Quorum(ids(cell.members(number, life)));
        long shortBy = cell.quarantineShortBy * Cell.UNIT;
        if (cell.isFlease()) {
            long bound = cell.boundUnits * Cell.UNIT;
            Moment silentUntil = now.moment().plusNanos(FleaseNode.silenceNanos(timing, bound) - shortBy);
            ConfigurationGuard none = ConfigurationGuard.none(id());
            Moment end = life == 0 ? null : silentUntil;
            return new FleaseNode(id(), quorum, timing, bound, end, none, lives, NO_CHANCE, Long.MAX_VALUE, now);
        }
        if (cell.marked) {
            long quarantine = generation.timing(false).quarantineNanos() - shortBy;
            Moment end = life == 0 ? null : now.moment().plusNanos(quarantine);
            return SealKnownToAll.in(
                    new Node(id(), generation, end, guardOfContent(now), false, lives, NO_CHANCE, now));
        }
        Moment quarantineEnd = now.moment().plusNanos(timing.quarantineNanos() - shortBy);
        ConfigurationGuard guard = guard(now);
        return new Node(id(), quorum, timing, life == 0 ? null : quarantineEnd, guard, lives, NO_CHANCE, now);
    }

    /** Nodes meet at every time, twice before one that looks around serves. */
    private ConfigurationGuard guard(Reading now) {
        boolean hasServed = life == 0 && number < cell.firstNewcomer;
        if (!cell.changes() || hasServed || cell.unguarded) {
            return ConfigurationGuard.none(id());
        }
        ConfigurationGuard guard = new ConfigurationGuard(
                id(), ids(cell.members(number, life)), timing.quarantineNanos(), 2 * Cell.UNIT, 2 * Cell.UNIT);
        guard.lookAround(now.moment());
        return guard;
    }

    /** Nodes meet at every time, a second time before one that looks around serves. */
    private ConfigurationGuard guardOfContent(Reading now) {
        boolean hasServed = life == 0 && number < cell.firstNewcomer;
        if (!cell.contested || hasServed || cell.unguarded) {
            return ConfigurationGuard.none(id());
        }
        long silence = generation.timing(false).quarantineNanos();
        ConfigurationGuard guard = new ConfigurationGuard(id(), generation.everyone(), silence, Cell.UNIT, Cell.UNIT);
        guard.lookAround(now.moment());
        return guard;
    }

    private static List<NodeId> ids(List<Integer> members) {
        return members.stream().map(ExploredWorld::id).toList();
    }

    /** Whether it runs what comes after a change. */
    boolean isChanged() {
        Generation of = node.generation();
        return (cell.live.contains(number) && of != null) ? of.number() > 1 : cell.configuration(life) > 0;
    }

    /** Whether it moves while it runs, when the store says so; else it is restarted. */
    boolean isToldOfNext() {
        return cell.live.contains(number);
    }

    /** It hears from the store, without a restart. */
    List<Effect> tellOfNext(int time) {
        return step(new Event.NextGeneration(cell.generation(number, 1)), time);
    }

    /** Whether a restart brings the list before back. */
    boolean returnsNext() {
        return isChanged() && (isToldOfNext() || cell.configuration(life + 1) == 0);
    }

    /** A number for what this node runs. */
    int configuration() {
        return cell.contested ? ExploredMeeting.life(look()) : configuration;
    }

    /** What others see of it; see {@link ExploredMeeting}. */
    int look() {
        return cell.contested
                ? ExploredMeeting.look(life, serves, knowsSeal())
                : ExploredMeeting.look(isChanged() ? 1 : 0, true, false);
    }

    private int configurationOf(int of, int inLife) {
        return cell.members(of, inLife).hashCode() * 31
                + (int) cell.timing(inLife).maxLeaseNanos();
    }

    /** Connects with every other node that runs the same, and learns of every other one. */
    List<Effect> meet(long meeting, int time) {
        if (cell.contested) {
            return meetContents(meeting, time);
        } else if (cell.marked) {
            return meetGenerations(meeting, time);
        }
        List<Effect> effects = new ArrayList<>();
        for (int other = 0; other < cell.size(); other++) {
            int itsLife = ExploredMeeting.life(ExploredMeeting.of(meeting, other));
            boolean inTouch = cell.members(number, life).contains(other)
                    || cell.members(other, itsLife).contains(number);
            if (other == number || !inTouch) {
                continue;
            }
            NodeId id = ExploredWorld.id(other);
            if (configurationOf(other, itsLife) == configuration) {
                effects.addAll(step(new Event.Reachable(id), time));
            } else {
                List<NodeId> members = ids(cell.members(other, itsLife));
                long silence = cell.timing(itsLife).quarantineNanos();
                effects.addAll(step(new Event.Unreachable(id), time));
                effects.addAll(step(new Event.OtherConfiguration(id, members, silence, "", false), time));
            }
        }
        return effects;
    }

    /** Learns what all others run, and asks those before the change where they stand: the way takes no time. */
    private List<Effect> meetGenerations(long meeting, int time) {
        List<Effect> effects = new ArrayList<>();
        if (cell.deaf.contains(number)) {
            return effects;
        }
        for (int other = 0; other < cell.acceptors; other++) {
            Generation its = cell.generation(other, ExploredMeeting.life(ExploredMeeting.of(meeting, other)));
            if (other != number) {
                effects.addAll(step(
                        new Event.GenerationMet(
                                ExploredWorld.id(other), its, its.previous() == null ? its.number() : 0),
                        time));
            }
        }
        effects.addAll(step(new Event.Woken(), time));
        PaxosMessage.AskStanding asked = question;
        for (int other = 0; asked != null && questionAt == time && other < cell.acceptors; other++) {
            if (other == number) {
                continue; // it knows its own boot
            }
            int itsLife = ExploredMeeting.life(ExploredMeeting.of(meeting, other));
            Generation its = cell.generation(other, itsLife);
            PaxosMessage.Standing answer = new PaxosMessage.Standing(
                    asked.nonce(),
                    new Incarnation(other, cell.live.contains(other) ? 0 : itsLife),
                    its,
                    its.previous() == null ? its.number() : 0);
            effects.addAll(step(new Event.Received(ExploredWorld.id(other), answer), time));
        }
        return effects;
    }

    /** The same where contents differ: it hears of those alone that it can connect with, and only acceptors that serve answer it. */
    private List<Effect> meetContents(long meeting, int time) {
        List<Effect> effects = new ArrayList<>();
        if (!cell.isStarted(number, life)) {
            return effects;
        }
        Contests contests = cell.contests();
        for (int other = 0; other < cell.size(); other++) {
            int look = ExploredMeeting.of(meeting, other);
            if (other != number && contests.areInTouch(number, look(), other, look)) {
                effects.addAll(meetContent(other, look, time));
            }
        }
        effects.addAll(step(new Event.Woken(), time));
        PaxosMessage.AskStanding asked = question;
        for (int other = 0; asked != null && questionAt == time && other < cell.acceptors; other++) {
            int look = ExploredMeeting.of(meeting, other);
            boolean isInTouch = contests.areInTouch(number, look(), other, look);
            if (other != number
                    && isInTouch
                    && ExploredMeeting.serves(look)
                    && contests.connects(number, look(), other, look)) {
                Generation its = cell.generation(other, ExploredMeeting.life(look));
                Incarnation boot = new Incarnation(other, ExploredMeeting.life(look));
                effects.addAll(step(
                        new Event.Received(
                                ExploredWorld.id(other),
                                new PaxosMessage.Standing(asked.nonce(), boot, its, sealed(its, look))),
                        time));
            }
        }
        return effects;
    }

    private List<Effect> meetContent(int other, int look, int time) {
        NodeId id = ExploredWorld.id(other);
        Generation its = cell.generation(other, ExploredMeeting.life(look));
        List<Effect> effects = new ArrayList<>();
        if (cell.contests().connects(number, look(), other, look)) {
            if (other < cell.acceptors) {
                effects.addAll(step(new Event.GenerationMet(id, its, sealed(its, look)), time));
            }
            effects.addAll(step(new Event.Reachable(id), time));
            return effects;
        }
        effects.addAll(step(new Event.Unreachable(id), time));
        Event different = cell.contests().difference(number, look(), other, look);
        if (different != null) {
            effects.addAll(step(different, time));
        }
        return effects;
    }

    private static int sealed(Generation generation, int look) {
        return generation.previous() == null || ExploredMeeting.knowsSeal(look) ? generation.number() : 0;
    }

    /** Whether it knows that a change is sealed. */
    boolean knowsSeal() {
        return cell.marked && node.sealedGeneration() > 1;
    }

    Peer restarted(int time) {
        return new Peer(cell, number, life + 1, wallOffsetMicros, time);
    }

    NodeId id() {
        return ExploredWorld.id(number);
    }

    private Reading now(int time) {
        return new Reading(moment(time), Cell.WALL + time * Cell.UNIT / 1_000 + wallOffsetMicros);
    }

    private Moment moment(int time) {
        return new Moment(cell.origin(number) + (time - sleptUnits) * Cell.UNIT * cell.rate(number));
    }

    long token() {
        return token;
    }

    /** Whether its machine sleeps: nothing happens to it. */
    boolean isAsleep(int time) {
        return time < asleepUntil;
    }

    /** What an honest {@code isHeld()} would answer at that time. */
    boolean believes(int time) {
        if (heldUntil == null || suspect || isAsleep(time)) {
            return false;
        }
        Reading now = now(time);
        boolean asksWallClock = cell.isFlease() || cell.sleeps > 0;
        boolean overByWallClock = asksWallClock && now.wallMicros() >= heldUntil.wallMicros();
        return now.moment().isBefore(heldUntil.moment()) && !overByWallClock;
    }

    /** Whether the user, the timer or the clock could do this now. */
    boolean can(Action action, int time) {
        if (isAsleep(time) || !cell.isStarted(number, life)) {
            return false;
        }
        if (action instanceof Action.Acquire) {
            return asked == 0 && heldUntil == null;
        } else if (action instanceof Action.Withdraw) {
            return asked != 0;
        } else if (action instanceof Action.Wake) {
            Moment due = node.nextDeadline();
            return due != null && moment(time).nanosUntil(due) <= 0;
        }
        if (action instanceof Action.Sleep) {
            return number == cell.sleeper;
        }
        boolean canDisagree = cell.sleeps == 0 || sleptUnits > 0;
        return action instanceof Action.SetBack
                || (heldUntil != null && (canDisagree || !(action instanceof Action.Suspect)));
    }

    /** The user acts first, and the event follows (P6: whoever releases stops relying on it first). */
    List<Effect> perform(Action action, int time) {
        if (action instanceof Action.Acquire) {
            asked = ++requests;
            long longest = cell.marked ? generation.longestLeaseNanos() : timing.maxLeaseNanos();
            long lease = Math.min(cell.leaseUnits * Cell.UNIT, longest);
            return step(
                    new Event.Acquire(new AcquireRequest(
                            asked, ExploredWorld.RESOURCE, lease, cell.renewed, WaitMode.WAIT, null)),
                    time);
        } else if (action instanceof Action.Withdraw) {
            int withdrawn = asked;
            asked = 0;
            return step(new Event.Withdraw(ExploredWorld.RESOURCE, withdrawn), time);
        } else if (action instanceof Action.Release) {
            heldUntil = null;
            return step(new Event.GiveUp(ExploredWorld.RESOURCE, token), time);
        } else if (action instanceof Action.Renew) {
            return step(new Event.Renew(ExploredWorld.RESOURCE, token, cell.renewalNanos(), ++requests), time);
        } else if (action instanceof Action.Suspect) {
            return step(new Event.ClocksDisagree(false), time);
        } else if (action instanceof Action.SetBack) {
            List<Effect> effects = keepComparing(time);
            OneByOne.of(effects).forEach(this::learn);
            wallOffsetMicros -= cell.wallStepUnits * Cell.UNIT / 1_000;
            return effects;
        } else if (action instanceof Action.Sleep) {
            asleepUntil = time + cell.sleepUnits;
            sleptUnits += cell.sleepUnits;
            return new ArrayList<>();
        }
        return step(new Event.Woken(), time);
    }

    List<Effect> receive(Flight flight, int time) {
        return step(new Event.Received(ExploredWorld.id(flight.from()), flight.message()), time);
    }

    private List<Effect> step(Event event, int time) {
        List<Effect> effects = keepComparing(time);
        effects.addAll(answered(noted(node.step(event, now(time)), time), time));
        serves = cell.contested && node.serves(now(time));
        OneByOne.of(effects).forEach(this::learn);
        return effects;
    }

    /** Where clocks are compared at once, that happens at every time: an event without a meaning makes the node ask. */
    private List<Effect> keepComparing(int time) {
        List<Effect> effects = new ArrayList<>();
        if (cell.isFlease() && !cell.comparesByMessage) {
            Event nothing =
                    new Event.Received(ExploredWorld.id((number + 1) % cell.size()), new FleaseMessage.Compared(-1, 0));
            for (; comparedUntil < time; comparedUntil++) {
                effects.addAll(answered(node.step(nothing, now(comparedUntil + 1)), comparedUntil + 1));
            }
        }
        return effects;
    }

    /** Without the questions where acceptors stand, and without what members tell of seals: they hear all that when they meet. */
    private List<Effect> noted(List<Effect> effects, int time) {
        List<Effect> rest = new ArrayList<>();
        for (Effect effect : effects) {
            if (effect instanceof Effect.Send send && send.message() instanceof PaxosMessage.AskStanding asked) {
                question = asked;
                questionAt = time;
            } else if (!(effect instanceof Effect.Send send && send.message() instanceof PaxosMessage.Standing)) {
                rest.add(effect);
            }
        }
        return cell.marked ? rest : effects;
    }

    /** Without the questions about clocks, which have been answered as if the way took no time. */
    private List<Effect> answered(List<Effect> effects, int time) {
        if (cell.comparesByMessage) {
            return effects;
        }
        List<Effect> rest = new ArrayList<>();
        for (Effect effect : effects) {
            if (effect instanceof Effect.Send send && send.message() instanceof FleaseMessage.Compare compare) {
                long shown = wallMicros(ExploredWorld.number(send.to()), time);
                Event answer = new Event.Received(send.to(), new FleaseMessage.Compared(compare.id(), shown));
                rest.addAll(answered(node.step(answer, now(time)), time));
            } else {
                rest.add(effect);
            }
        }
        return rest;
    }

    /** What that node's wall clock shows if nobody has set it. */
    private long wallMicros(int of, int time) {
        return Cell.WALL + time * Cell.UNIT / 1_000 + cell.wallOffsetMicros(of);
    }

    private void learn(Effect effect) {
        if (effect instanceof Effect.Granted granted) {
            asked = 0;
            suspect = false;
            token = granted.token();
            heldUntil = granted.until();
        } else if (effect instanceof Effect.Extended extended && extended.token() == token && heldUntil != null) {
            heldUntil = extended.until();
            suspect = false;
        } else if (effect instanceof Effect.Suspected) {
            suspect = true;
        } else if (effect instanceof Effect.Lost) {
            heldUntil = null;
        } else if (effect instanceof Effect.Denied denied && denied.requestId() == asked) {
            asked = 0;
        }
    }
}
