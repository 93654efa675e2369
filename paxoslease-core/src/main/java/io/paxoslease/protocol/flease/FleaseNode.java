package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Loss;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.LeaseView;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.NodeView;
import io.paxoslease.protocol.NodeView.PeerClock;
import io.paxoslease.protocol.Participant;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One node of a cell that runs Flease: its share of the registers, a proposer, and the watch over its wall clock. It routes, and
 * sees to it that neither takes part before all that may have been forgotten is over, and while the clock may be out of bounds.
 * Not thread-safe: one thread feeds it events, each with one reading of the clocks, and carries out the effects.
 */
public final class FleaseNode implements Participant {

    /** A life's questions are numbered from its incarnation on; those of an earlier one never reach that far. */
    private static final int BITS_FOR_IDS = 24;

    private final NodeId self;
    private final Quorum quorum;
    private final Bound bound;
    private final Supplier<Incarnation> incarnations;
    private final Clocks clocks;
    private final Registers registers;
    private final Wishes wishes = new Wishes();
    private final Knowledge knowledge = new Knowledge();
    private final Rounds rounds;
    private final Proposer proposer;
    private final Queries queries;

    private final ArrayDeque<FleaseMessage> toSelf = new ArrayDeque<>();
    private List<Effect> effects = new ArrayList<>();
    /** Before it, nothing is sent or answered that concerns a register; null: at no time. */
    private @Nullable Moment silentUntil;

    private final ConfigurationGuard guard;

    private boolean serving;
    private boolean stopped;
    /** What was promised and stored before is forgotten, and outlived in silence when the node takes part. */
    private boolean hasForgotten;
    /** Silent because the clock was set. */
    private boolean clockWasSet;
    /** And that was said, or is over. */
    private boolean setTold;

    /** Whether it was last said that the clock is out of bounds. */
    private boolean complained;
    /** And by whose clock. */
    private boolean named;
    /** Before it, a clock that was not compared yet is no reason to complain. */
    private Moment complainsFrom;

    private @Nullable Moment nextClockCheck;

    /**
     * @param self this node, one of the acceptors
     * @param clockBoundNanos epsilon: the most that two wall clocks of the cell may differ by; above 2 ms and below the longest lease
     * @param silentUntil when everything that an earlier life of this node may have stored or promised is over; null when there can
     *     be nothing, as in a cell of one
     * @param incarnations draws a new incarnation at each call
     * @param random orders rounds and spreads retries; decides nothing that matters for safety
     */
    public FleaseNode(
            NodeId self,
            Quorum quorum,
            Timing timing,
            long clockBoundNanos,
            @Nullable Moment silentUntil,
            Supplier<Incarnation> incarnations,
            RandomGenerator random,
            Reading now) {
        this(
                self,
                quorum,
                timing,
                clockBoundNanos,
                silentUntil,
                ConfigurationGuard.none(self),
                incarnations,
                random,
                now);
    }

    /** @param guard keeps it from taking part beside other configurations (section 9 of the protocol) */
    public FleaseNode(
            NodeId self,
            Quorum quorum,
            Timing timing,
            long clockBoundNanos,
            @Nullable Moment silentUntil,
            ConfigurationGuard guard,
            Supplier<Incarnation> incarnations,
            RandomGenerator random,
            Reading now) {
        if (!quorum.contains(self)) {
            throw new IllegalArgumentException(self + " is not one of the cell's members");
        }
        this.self = self;
        this.quorum = quorum;
        this.bound = new Bound(timing, clockBoundNanos);
        this.incarnations = incarnations;
        this.silentUntil = silentUntil;
        this.guard = guard;
        this.hasForgotten = silentUntil != null;
        Incarnation life = incarnations.get();
        long firstId = life.low() << BITS_FOR_IDS;
        Moment startedAt = silentUntil == null ? null : silentUntil.plusNanos(-bound.silenceNanos());
        this.clocks = new Clocks(bound, quorum, self, startedAt, firstId, now);
        this.registers = new Registers(bound);
        Effects out = new Effects();
        this.rounds = new Rounds(self, quorum, bound, registers, knowledge, wishes, life, random, out);
        this.proposer = new Proposer(self, timing, rounds, wishes, out);
        this.queries = new Queries(quorum, knowledge, firstId, id -> effects.add(new Effect.Looked(id)));
        Moment compared = now.moment().plusNanos(bound.validityNanos());
        this.complainsFrom = silentUntil == null ? compared : Moment.later(compared, silentUntil);
        lookAtClock(now);
    }

    /** How long a node that lost its memory is silent, by its monotonic clock. */
    public static long silenceNanos(Timing timing, long clockBoundNanos) {
        return new Bound(timing, clockBoundNanos).silenceNanos();
    }

    /** How long a node's thread may do nothing before nobody relies on what it said, by its monotonic clock: no comparison counts for longer. */
    public static long trustNanos(Timing timing, long clockBoundNanos) {
        return new Bound(timing, clockBoundNanos).validityNanos();
    }

    /** Before the first event: an earlier life of this node has used tokens up to this one, which nobody else remembers. */
    public void continueAbove(long token) {
        rounds.continueAbove(token);
    }

    /** Every fencing token of this node is at most this. */
    public long highestToken() {
        return rounds.highestToken();
    }

    @Override
    public List<Effect> step(Event event, Reading now) {
        if (!stopped) {
            lookAtClock(now);
            handle(event, now);
            deliverToSelf(now);
            takePartIfPossible(now);
            deliverToSelf(now);
            clocks.askIfDue(now, this::send);
            nextClockCheck = clocks.nextDeadline(now);
            Effect news = guard.news(now.moment());
            if (news != null) {
                effects.add(news);
            }
        }
        List<Effect> result = effects;
        effects = new ArrayList<>();
        return result;
    }

    private void deliverToSelf(Reading now) {
        while (!toSelf.isEmpty()) {
            deliver(self, toSelf.remove(), now);
        }
    }

    @Override
    public @Nullable Moment nextDeadline() {
        if (stopped) {
            return null;
        }
        Moment next = earlier(proposer.nextDeadline(), nextClockCheck);
        next = earlier(next, queries.nextDeadline());
        next = earlier(next, guard.nextDeadline());
        return serving ? next : earlier(next, silentUntil);
    }

    private static @Nullable Moment earlier(@Nullable Moment a, @Nullable Moment b) {
        if (a == null || b == null) {
            return a == null ? b : a;
        }
        return Moment.earlier(a, b);
    }

    /** Before anything else is done with a reading: whether it may be relied on. */
    private void lookAtClock(Reading now) {
        if (clocks.wasSet(now)) {
            clockWasSet = true;
            setTold = false;
            startAnew(Loss.CLOCK, now);
        }
        takePartIfPossible(now);
        if (serving) {
            registers.forget(now);
            wishes.forget(now.moment());
        }
    }

    private void takePartIfPossible(Reading now) {
        boolean inBounds = clocks.areWithinBound(now);
        if (!isSilent(now)) {
            silentUntil = null;
        }
        boolean besideAnother = guard.isSilent(now.moment());
        boolean may = inBounds && silentUntil == null && !besideAnother;
        if (serving && !may) {
            standBack(Loss.CLOCK, now);
        } else if (!serving && may) {
            clockWasSet = false;
            serving = true;
            if (hasForgotten) {
                hasForgotten = false;
                registers.startAfterSilence(now);
            }
            proposer.takePart(now);
        }
        tellOfClock(inBounds, now);
    }

    private void standBack(Loss reason, Reading now) {
        serving = false;
        proposer.standBack(reason, now);
        queries.endAll();
        toSelf.clear();
        complainsFrom = now.moment();
    }

    /**
     * Not while all are starting, and few clocks are compared. A clock that is out of bounds is a reason to complain, and one that was
     * set: and once more, when it turns out how far it is off.
     */
    private void tellOfClock(boolean inBounds, Reading now) {
        if (inBounds ? !complained : named || now.moment().isBefore(complainsFrom)) {
            return;
        }
        PeerClock worst = inBounds ? null : clocks.worst(now);
        if (inBounds || !complained || worst != null) {
            boolean newlySet = clockWasSet && !setTold && !inBounds;
            setTold |= clockWasSet;
            effects.add(new Effect.ClockBound(inBounds, newlySet, worst));
        }
        complained = !inBounds;
        named = worst != null;
    }

    /** Whether all that may have been forgotten is not over yet. */
    private boolean isSilent(Reading now) {
        return silentUntil != null && now.moment().isBefore(silentUntil);
    }

    /** As after a restart: what was stored and promised is forgotten, and outlived in silence. */
    private void startAnew(Loss reason, Reading now) {
        standBack(reason, now);
        if (reason != Loss.CLOCK) {
            complainsFrom =
                    now.moment().plusNanos(bound.validityNanos()); // the time in which clocks are compared again
        }
        proposer.startAnew(incarnations.get());
        registers.clear();
        wishes.clear();
        knowledge.clear();
        if (quorum.size() > 1) {
            hasForgotten = true;
            silentUntil = now.moment().plusNanos(bound.silenceNanos());
            guard.restart(now.moment());
        }
    }

    private void handle(Event event, Reading now) {
        if (event instanceof Event.Received received) {
            if (quorum.contains(received.from()) && received.message() instanceof FleaseMessage message) {
                deliver(received.from(), message, now);
            }
        } else if (event instanceof Event.Woken) {
            proposer.wake(now);
            queries.wake(now);
        } else if (event instanceof Event.Acquire acquire) {
            proposer.acquire(acquire.request(), now);
        } else if (event instanceof Event.Withdraw withdraw) {
            proposer.withdraw(withdraw.resource(), withdraw.requestId(), now);
        } else if (event instanceof Event.GiveUp giveUp) {
            proposer.giveUp(giveUp.resource(), giveUp.token(), now);
        } else if (event instanceof Event.InUse inUse) {
            proposer.inUse(inUse.resource(), inUse.token(), now);
        } else if (event instanceof Event.Renew renew) {
            proposer.renew(renew, now);
        } else if (event instanceof Event.Look look) {
            look(look, now);
        } else if (event instanceof Event.OtherConfiguration other) {
            guard.seen(other, now.moment());
        } else if (event instanceof Event.Opened) {
            guard.lookAround(now.moment());
        } else if (event instanceof Event.Reachable reachable) {
            guard.connected(reachable.node(), now.moment());
            onReachable(reachable.node(), now);
        } else if (event instanceof Event.Unreachable unreachable) {
            guard.disconnected(unreachable.node(), now.moment());
            onUnreachable(unreachable.node(), now);
        } else if (event instanceof Event.ClocksDisagree disagree) {
            if (disagree.mayHaveForgotten()) {
                clocks.distrust(now);
                startAnew(Loss.SUSPENDED, now);
            }
        } else if (event instanceof Event.Shutdown) {
            proposer.shutdown(now);
            queries.endAll();
            stopped = true;
        }
    }

    private void onReachable(NodeId node, Reading now) {
        if (quorum.contains(node) && !node.equals(self)) {
            clocks.ask(node, now, this::send);
            proposer.onReachable(node, now);
        }
    }

    private void onUnreachable(NodeId node, Reading now) {
        if (!node.equals(self)) {
            wishes.removeAll(node);
            proposer.onUnreachable(node, now);
            queries.endWhatIsAnswered(rounds.absent());
        }
    }

    private void look(Event.Look look, Reading now) {
        if (serving) {
            queries.begin(look.requestId(), look.resources(), now)
                    .forEach(question -> quorum.acceptors().forEach(acceptor -> send(acceptor, question)));
        } else {
            effects.add(new Effect.Looked(look.requestId()));
        }
    }

    private void deliver(NodeId from, FleaseMessage message, Reading now) {
        if (message instanceof FleaseMessage.Compare compare) {
            if (clocks.answers(now)) {
                send(from, new FleaseMessage.Compared(compare.id(), now.wallMicros()));
            }
        } else if (message instanceof FleaseMessage.Compared compared) {
            clocks.onCompared(from, compared, now);
            effects.add(new Effect.ClocksCompared(clocks.view(now)));
        } else if (serving) {
            takePart(from, message, now);
        }
    }

    private void takePart(NodeId from, FleaseMessage message, Reading now) {
        if (message instanceof FleaseMessage.Request request) {
            serve(from, request, now);
        } else if (message instanceof FleaseMessage.Reply reply) {
            proposer.onReply(from, reply, now);
        } else if (message instanceof FleaseMessage.Freed freed) {
            proposer.onFreed(freed, now);
        } else if (message instanceof FleaseMessage.InUse inUse) {
            proposer.onInUse(inUse, now);
        } else if (message instanceof FleaseMessage.Query query) {
            List<Stored> stored =
                    query.resources().stream().map(registers::stored).toList();
            send(from, new FleaseMessage.Known(query.id(), stored));
        } else if (message instanceof FleaseMessage.Known known) {
            queries.onKnown(from, known, rounds.absent());
        }
    }

    private void serve(NodeId from, FleaseMessage.Request request, Reading now) {
        watchClock(from, request.round(), now);
        if (request instanceof FleaseMessage.Read read) {
            send(from, registers.read(read, now));
            if (read.wish() != FleaseMessage.Wish.NONE && !from.equals(self)) {
                wishes.add(read.resource(), from, read.wish(), now.moment());
                proposer.wanted(read.resource());
            }
        } else if (request instanceof FleaseMessage.Write write) {
            FleaseMessage.Reply answer = registers.write(write, from.equals(self), now);
            send(from, answer);
            Value.Owner owner = write.value().owner();
            if (answer instanceof FleaseMessage.WriteAck && owner != null) {
                wishes.remove(write.resource(), owner.node());
            }
        }
    }

    /** A clock within the bound is never ahead by so much. */
    private void watchClock(NodeId from, Round round, Reading now) {
        if (bound.isTooFarAhead(round, now)) {
            long slots = Math.min(round.slot() - bound.slot(now), Long.MAX_VALUE / bound.micros());
            effects.add(new Effect.ClockAhead(from, slots * bound.micros()));
        }
    }

    private void send(NodeId to, FleaseMessage message) {
        if (to.equals(self)) {
            toSelf.add(message);
        } else {
            effects.add(new Effect.Send(to, message));
        }
    }

    @Override
    public NodeView view(int limit, Reading now) {
        boolean inBounds = isSilent(now) ? !clockWasSet : clocks.areWithinBound(now);
        List<PeerClock> peers = clocks.view(now);
        return new NodeView(
                rounds.incarnation(),
                silentNanos(now),
                viewer().leases(limit, now),
                inBounds,
                peers,
                guard.view(now.moment()));
    }

    @Override
    public boolean serves(Reading now) {
        return serving;
    }

    private long silentNanos(Reading now) {
        long own = silentUntil == null ? 0 : Math.max(0, now.moment().nanosUntil(silentUntil));
        return Math.max(own, guard.remainingNanos(now.moment()));
    }

    /** Of live leases in its registers. */
    @Override
    public int addRecords(int place, int count, Reading now, Collection<String> resources) {
        return registers.addLive(place, count, now, resources);
    }

    @Override
    public @Nullable LeaseView view(String resource, Reading now) {
        return viewer().lease(resource, now);
    }

    private Viewer viewer() {
        return new Viewer(self, proposer, registers, knowledge, serving);
    }

    /** Collects what the proposer wants; messages to this node itself stay inside. */
    private final class Effects implements Outbox {

        @Override
        public void send(NodeId to, FleaseMessage message) {
            FleaseNode.this.send(to, message);
        }

        @Override
        public void emit(Effect effect) {
            effects.add(effect);
        }
    }
}
