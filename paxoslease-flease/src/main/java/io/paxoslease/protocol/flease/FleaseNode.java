package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.Backoff;
import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Loss;
import io.paxoslease.protocol.EffectBuffer;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.LeaseView;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.NodeView;
import io.paxoslease.protocol.OtherLifeText;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One node of a cell that runs Flease: its share of the registers, a proposer, and the watch over its wall clock. It routes, and
 * sees to it that neither takes part before all that may have been forgotten is over, and while the clock may be out of bounds.
 * Not thread-safe: one thread feeds it events, each with one reading of the clocks, and carries out the effects.
 */
public final class FleaseNode implements LeaseAlgorithm {

    /** A life's questions are numbered from its incarnation on; those of an earlier one never reach that far. */
    private static final int BITS_FOR_IDS = 24;

    private final NodeId self;
    private final Quorum quorum;
    private final TimeRules bound;
    private final Supplier<Incarnation> incarnations;
    private final ConfigurationGuard guard;
    private final Clocks clocks;
    private final Participation participation;
    private final Registers registers;
    private final WaitList waitList;
    private final MajorityCache knowledge = new MajorityCache();
    private final WriterIdentity life;
    private final Set<NodeId> absent = new HashSet<>();
    private final Proposer proposer;
    private final Queries queries;
    private final Inbox inbox;
    private final EffectBuffer effects;

    private boolean stopped;
    private @Nullable Moment nextClockCheck;
    private @Nullable Moment nextGuardCheck;

    /**
     * @param self this node, one of the acceptors
     * @param clockBoundNanos epsilon: the most that two wall clocks of the cell may differ by; above 2 ms and below the longest lease
     * @param silentUntil when everything that an earlier life of this node may have stored or promised is over; null when there can
     *     be nothing, as in a cell of one
     * @param guard keeps it from taking part beside other configurations (section 9 of the protocol)
     * @param incarnations draws a new incarnation at each call
     * @param random orders rounds and spreads retries; decides nothing that matters for safety
     * @param heapBytes the heap of the process: registers take a quarter of it at most, and the list of those that wait a sixteenth
     */
    public FleaseNode(
            NodeId self,
            Quorum quorum,
            Timing timing,
            long clockBoundNanos,
            @Nullable Moment silentUntil,
            ConfigurationGuard guard,
            Supplier<Incarnation> incarnations,
            RandomGenerator random,
            long heapBytes,
            Reading now) {
        if (!quorum.contains(self)) {
            throw new IllegalArgumentException(self + " is not one of the cell's members");
        }
        this.self = self;
        this.quorum = quorum;
        this.bound = new TimeRules(timing, clockBoundNanos);
        this.incarnations = incarnations;
        this.guard = guard;
        Incarnation incarnation = incarnations.get();
        long firstId = incarnation.low() << BITS_FOR_IDS;
        Moment startedAt = silentUntil == null ? null : silentUntil.plusNanos(-bound.silenceNanos());
        this.clocks = new Clocks(bound, quorum, self, startedAt, firstId, now);
        this.participation = new Participation(bound, clocks, guard, silentUntil, now);
        this.registers = new Registers(bound, heapBytes / 4);
        this.waitList = new WaitList(heapBytes / 16);
        this.effects = new EffectBuffer(self);
        this.life = new WriterIdentity(self, bound, registers, incarnation, random);
        ProposerContext context =
                new ProposerContext(participation, life, quorum, bound, waitList, new Backoff(random), absent, effects);
        this.proposer = new Proposer(context, timing, knowledge);
        this.queries = new Queries(quorum, knowledge, firstId, id -> effects.emit(new Effect.HolderKnown(id)));
        this.inbox = new Inbox(context, registers, proposer, queries);
        lookAtClock(now);
    }

    /** How long a node that lost its memory is silent, by its monotonic clock. */
    public static long silenceNanos(Timing timing, long clockBoundNanos) {
        return new TimeRules(timing, clockBoundNanos).silenceNanos();
    }

    /** How long a node's thread may do nothing before no node relies on what it said, by its monotonic clock: no comparison counts for longer. */
    public static long trustNanos(Timing timing, long clockBoundNanos) {
        return new TimeRules(timing, clockBoundNanos).validityNanos();
    }

    @Override
    public void continueAbove(long token) {
        life.continueAbove(token);
    }

    @Override
    public long highestToken() {
        return life.highestToken();
    }

    @Override
    public List<Effect> step(Event event, Reading now) {
        if (!stopped) {
            lookAtClock(now);
            handle(event, now);
            deliverToSelf(now);
            takePartIfPossible(now);
            deliverToSelf(now);
            clocks.askIfDue(now, effects);
            nextClockCheck = clocks.nextDeadline(now);
            effects.emit(guard.news(now.moment()));
            Moment changes = guard.nextDeadline();
            nextGuardCheck = changes == null || now.moment().isBefore(changes)
                    ? changes
                    : null; // over, but something else is not
        }
        return effects.take();
    }

    private void deliverToSelf(Reading now) {
        for (Message own = effects.pollToSelf(); own != null; own = effects.pollToSelf()) {
            receive(self, own, now);
        }
    }

    @Override
    public @Nullable Moment nextDeadline() {
        if (stopped) {
            return null;
        }
        Moment next = Moment.earliest(proposer.table().nextDeadline(), nextClockCheck);
        next = Moment.earliest(next, queries.nextDeadline());
        next = Moment.earliest(next, nextGuardCheck);
        return Moment.earliest(next, participation.nextDeadline());
    }

    /** Before anything else is done with a reading: whether it may be relied on. */
    private void lookAtClock(Reading now) {
        if (participation.clockWasSet(now)) {
            startOver(Loss.CLOCK, now);
        }
        takePartIfPossible(now);
        if (participation.isServing()) {
            registers.forget(now);
            waitList.forget(now.moment());
        }
    }

    private void takePartIfPossible(Reading now) {
        boolean may = participation.isPossible(now);
        if (participation.isServing() && !may) {
            standBack(Loss.CLOCK, now);
        } else if (!participation.isServing() && may) {
            if (participation.begin(now)) {
                registers.startAfterSilence(now);
            }
            proposer.retrySoon(now);
        }
        effects.emit(participation.clockNews(now));
    }

    private void standBack(Loss reason, Reading now) {
        participation.end(now);
        proposer.standBack(reason, now);
        queries.endAll();
        effects.dropToSelf();
    }

    /** As after a restart: what was stored and promised is forgotten, and outlived in silence. */
    private void startOver(Loss reason, Reading now) {
        standBack(reason, now);
        if (reason != Loss.CLOCK) {
            participation.comparesAgain(now);
        }
        proposer.startOver(incarnations.get());
        registers.clear();
        waitList.clear();
        knowledge.clear();
        if (quorum.size() > 1) {
            participation.silence(now);
        }
    }

    private void handle(Event event, Reading now) {
        guard.observe(event, now.moment());
        proposer.table().handle(event, now);
        if (event instanceof Event.Received received) {
            if (quorum.contains(received.from())) {
                receive(received.from(), received.message(), now);
            }
        } else if (event instanceof Event.Woken) {
            queries.wake(now);
        } else if (event instanceof Event.QueryHolder look) {
            look(look, now);
        } else if (event instanceof Event.Reachable reachable) {
            onReachable(reachable.node(), now);
        } else if (event instanceof Event.Unreachable unreachable) {
            onUnreachable(unreachable.node(), now);
        } else if (event instanceof Event.ClocksDisagree disagree) {
            if (disagree.mayBeSnapshot()) {
                clocks.distrust(now);
                startOver(Loss.SUSPENDED, now);
            }
        } else if (event instanceof Event.OtherLife other) {
            onOtherLife(other, now);
        } else if (event instanceof Event.Shutdown) {
            proposer.shutdown(now);
            queries.endAll();
            stopped = true;
        }
    }

    /** A0. */
    private void onOtherLife(Event.OtherLife other, Reading now) {
        if (other.seenBy() != null && !quorum.contains(other.seenBy())) {
            return;
        }
        Moment answered = now.moment().plusNanos(-bound.atLeastNanos(other.nanosAgo()));
        if (quorum.size() == 1 || !now.moment().isBefore(answered.plusNanos(bound.silenceNanos()))) {
            return;
        }
        long before = participation.silentNanos(now);
        if (participation.hasBegun()) {
            clocks.distrust(now);
            startOver(Loss.SUSPENDED, now);
        } else {
            clocks.outlive(answered);
            participation.outlive(answered);
        }
        effects.emit(OtherLifeText.of(self, other, before, participation.silentNanos(now)));
    }

    private void onReachable(NodeId node, Reading now) {
        if (quorum.contains(node) && !node.equals(self)) {
            effects.send(node, clocks.ask(node, now));
            proposer.onReachable(node, now);
        }
    }

    private void onUnreachable(NodeId node, Reading now) {
        if (!node.equals(self)) {
            waitList.removeAll(node);
            proposer.onUnreachable(node, now);
            queries.endWhatIsAnswered(absent);
        }
    }

    private void look(Event.QueryHolder look, Reading now) {
        if (participation.isServing()) {
            queries.begin(look.requestId(), look.resources(), now)
                    .forEach(question -> quorum.acceptors().forEach(acceptor -> effects.send(acceptor, question)));
        } else {
            effects.emit(new Effect.HolderKnown(look.requestId()));
        }
    }

    private void receive(NodeId from, Message message, Reading now) {
        if (message instanceof FleaseMessage.Compare compare) {
            if (clocks.answers(now)) {
                effects.send(from, new FleaseMessage.Compared(compare.id(), now.wallMicros()));
            }
        } else if (message instanceof FleaseMessage.Compared compared) {
            clocks.onCompared(from, compared, now);
            effects.emit(new Effect.ClocksCompared(clocks.view(now)));
        } else if (participation.isServing() && message instanceof FleaseMessage ours) {
            inbox.take(from, ours, now);
        }
    }

    @Override
    public NodeView view(Reading now) {
        return new NodeView(
                life.incarnation(),
                participation.silentNanos(now),
                participation.isClockInBounds(now),
                clocks.view(now),
                null,
                guard.view(now.moment()));
    }

    @Override
    public boolean serves(Reading now) {
        return participation.isServing();
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
        return new Viewer(self, proposer, registers, knowledge, participation.isServing());
    }
}
