package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.EffectBuffer;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Event.Received;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.LeaseView;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.NodeView;
import io.paxoslease.protocol.OtherLifeText;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.paxos.PaxosMessage.Answer;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import io.paxoslease.protocol.paxos.PaxosMessage.Request;
import io.paxoslease.protocol.paxos.PaxosMessage.Standing;
import io.paxoslease.protocol.watch.WatchMessage;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One node: an acceptor, if it is a member, and a proposer. It routes and does not decide. Not thread-safe: one thread
 * feeds it events, each with one reading of the clocks, and carries out the effects.
 */
public final class Node implements LeaseAlgorithm {

    private final NodeId self;
    private final Generations generations;
    private final @Nullable Acceptor acceptor;
    private final Proposer proposer;
    private final ConfigurationGuard guard;
    /** No other node can hold what this node's acceptor granted. */
    private final boolean isWholeCell;

    private final RequestHandler requests;
    private final Watching watching;
    private final EffectBuffer effects;
    private boolean stopped;
    private boolean wasSilent;

    /**
     * @param self this node
     * @param quorum the acceptors of the cell; this node may be one of them or not
     * @param quarantineEnd when everything that an earlier life of this node may have granted is over (A0); null when
     *     there can be nothing, as in a cell of one
     * @param incarnations draws a new incarnation at each call
     * @param random spreads retries; decides nothing that matters for safety
     */
    public Node(
            NodeId self,
            Quorum quorum,
            Timing timing,
            @Nullable Moment quarantineEnd,
            Supplier<Incarnation> incarnations,
            RandomGenerator random,
            Reading now) {
        this(self, quorum, timing, quarantineEnd, ConfigurationGuard.none(self), incarnations, random, now);
    }

    /** @param guard keeps its acceptor silent beside other configurations (section 9) */
    public Node(
            NodeId self,
            Quorum quorum,
            Timing timing,
            @Nullable Moment quarantineEnd,
            ConfigurationGuard guard,
            Supplier<Incarnation> incarnations,
            RandomGenerator random,
            Reading now) {
        this(
                self,
                Generation.first(new MemberList(quorum.acceptors(), timing.maxLeaseTime(), timing.drift())),
                quarantineEnd,
                guard,
                quorum.size() == 1,
                incarnations,
                random,
                now);
    }

    /** Without a bound on what its acceptor remembers. */
    public Node(
            NodeId self,
            Generation generation,
            @Nullable Moment quarantineEnd,
            ConfigurationGuard guard,
            boolean isAlone,
            Supplier<Incarnation> incarnations,
            RandomGenerator random,
            Reading now) {
        this(self, generation, quarantineEnd, guard, isAlone, incarnations, random, AcceptorMemory.UNBOUNDED, now);
    }

    /**
     * @param generation what this process is started with
     * @param isAlone whether it is the only acceptor, and no other node asks it: then it has granted nothing to others
     * @param heapBytes the heap of the process, which bounds what the acceptor remembers
     */
    public Node(
            NodeId self,
            Generation generation,
            @Nullable Moment quarantineEnd,
            ConfigurationGuard guard,
            boolean isAlone,
            Supplier<Incarnation> incarnations,
            RandomGenerator random,
            long heapBytes,
            Reading now) {
        this.self = self;
        this.guard = guard;
        this.generations = new Generations(generation, incarnations, now);
        this.effects = new EffectBuffer(self);
        LocalAcceptor here = new LocalAcceptor(self);
        this.proposer = new Proposer(self, generations, generation, incarnations, random, here, effects);
        generations.begin(proposer.counters().incarnation());
        this.acceptor = generation.everyone().contains(self)
                ? new Acceptor(
                        generations,
                        node -> generations.quorum().contains(node),
                        quarantineEnd,
                        guard,
                        AcceptorMemory.of(heapBytes),
                        proposer.counters().incarnation().low(),
                        now)
                : null;
        here.is(acceptor);
        this.requests = new RequestHandler(generations, effects, this::answer, proposer::wanted);
        this.watching = new Watching(generations, acceptor, effects, heapBytes);
        this.isWholeCell = isAlone && acceptor != null;
        this.wasSilent = acceptor != null && (quarantineEnd != null || !guard.isServing());
    }

    @Override
    public void continueAbove(long counter) {
        proposer.counters().continueAbove(counter);
        if (acceptor != null) {
            acceptor.continueAbove(counter);
        }
    }

    @Override
    public long highestToken() {
        return proposer.counters().highestDrawn();
    }

    @Override
    public int sealedGeneration() {
        return generations.sealed();
    }

    @Override
    public int decidingGeneration() {
        return generations.deciding();
    }

    @Override
    public List<Generation> followed() {
        return generations.followed();
    }

    @Override
    public @Nullable Generation confirmedNext() {
        return generations.confirmedNext();
    }

    @Override
    public Generation generation() {
        return generations.own().get();
    }

    @Override
    public Quorum quorum() {
        return generations.quorum();
    }

    @Override
    public List<Effect> step(Event event, Reading now) {
        if (!stopped) {
            notice(now);
            handle(event, now);
            for (Message own = nextToSelf(now); own != null; own = nextToSelf(now)) {
                deliver(self, own, now);
                changeMode(now);
            }
            effects.emit(guard.news(now.moment()));
        }
        return effects.take();
    }

    /** Once there is none, what is watched is told, to this node itself too. */
    private @Nullable Message nextToSelf(Reading now) {
        Message own = effects.pollToSelf();
        if (own == null && !stopped) {
            watching.finish(now);
            own = effects.pollToSelf();
        }
        return own;
    }

    @Override
    public @Nullable Moment nextDeadline() {
        if (stopped) {
            return null;
        }
        Moment own = acceptor == null ? null : acceptor.nextDeadline();
        Moment others = Moment.earliest(generations.asksAt(), watching.nextDeadline());
        return Moment.earliest(proposer.table().nextDeadline(), Moment.earliest(own, others));
    }

    @Override
    public NodeView view(Reading now) {
        return new Viewer(self, proposer, acceptor).view(generations, guard.view(now.moment()), now);
    }

    @Override
    public boolean serves(Reading now) {
        return acceptor != null && !acceptor.isSilent(now);
    }

    /** Of its acceptor's live records. */
    @Override
    public int addRecords(int place, int count, Reading now, Collection<String> resources) {
        return new Viewer(self, proposer, acceptor).addRecords(place, count, now, resources);
    }

    @Override
    public @Nullable LeaseView view(String resource, Reading now) {
        return new Viewer(self, proposer, acceptor).lease(resource, now);
    }

    private void handle(Event event, Reading now) {
        guard.observe(event, now.moment());
        watching.observe(event, now);
        proposer.table().handle(event, now);
        if (event instanceof Received received) {
            deliver(received.from(), received.message(), now);
        } else if (event instanceof Event.InUse inUse) {
            sayInUse(inUse, now);
        } else if (event instanceof Event.Nominate question) {
            proposer.nominations().ask(question, now);
        } else if (event instanceof Event.Reachable reachable) {
            generations.reachable(reachable.node());
            proposer.onReachable(reachable.node(), now);
        } else if (event instanceof Event.Unreachable unreachable) {
            if (acceptor != null) {
                acceptor.notifier().onUnreachable(unreachable.node());
            }
            proposer.onUnreachable(unreachable.node(), now);
        } else if (event instanceof Event.GenerationMet met) {
            generations.met(met.node(), met.generation(), met.sealed());
        } else if (event instanceof Event.NextGeneration following) {
            generations.mayMoveTo(following.generation());
        } else if (event instanceof Event.SealStored stored) {
            generations.sealStored(stored.generation());
        } else if (event instanceof Event.ClocksDisagree disagree) {
            onClocksDisagree(disagree.mayBeSnapshot(), now);
        } else if (event instanceof Event.OtherLife other) {
            onOtherLife(other, now);
        } else if (event instanceof Event.Shutdown) {
            proposer.shutdown(now);
            stopped = true;
        }
        changeMode(now);
    }

    /** R8. */
    private void changeMode(Reading now) {
        if (!stopped && generations.isModeOver()) {
            proposer.changeMode(now);
            effects.emit(Viewer.news(generations, self));
        }
        Acceptor moving = acceptor;
        if (!stopped && moving != null && generations.isMoveDue(now)) {
            requests.sealFloor(now); // O6: of the generation that ends here
            generations.own().move();
            guard.changed(
                    generations.own().get().everyone(), generations.timing().quarantineNanos());
            effects.emit(Viewer.moved(self, generations.own().get()));
        }
        if (moving != null && generations.own().hasLostMode()) {
            moving.modeIsOver(now, this::answer);
        }
        if (moving != null && !stopped && generations.own().hasSealToTell() && !moving.isSilent(now)) {
            Standing news = generations.own().tellOfSeal();
            generations.everyone().forEach(member -> effects.send(member, news));
        }
    }

    /** Those who ask once hear of it from the acceptors: a member's own, or those that have told a client of them. */
    private void sayInUse(Event.InUse inUse, Reading now) {
        if (acceptor == null || !generations.quorum().contains(self)) {
            proposer.sayInUse(inUse.resource(), inUse.token());
        } else if (!acceptor.isSilent(now)) {
            acceptor.notifier().tellInUse(inUse.resource(), now, effects);
        }
    }

    private void onClocksDisagree(boolean mayBeSnapshot, Reading now) {
        generations.measureAgain();
        if (!mayBeSnapshot) {
            proposer.suspect(now);
            return;
        }
        if (acceptor != null && !isWholeCell) {
            acceptor.quarantine(now);
            wasSilent = true;
        }
        proposer.startOver(now);
        generations.begin(proposer.counters().incarnation());
    }

    /** A0a. Leases of this node are kept: its own acceptor counts as one that has restarted, and is silent for longer than they last. */
    private void onOtherLife(Event.OtherLife other, Reading now) {
        if (acceptor == null || isWholeCell || !isBelieved(other.seenBy())) {
            return;
        }
        long before = acceptor.quarantineRemainingNanos(now.moment());
        if (acceptor.outlive(other.nanosAgo(), now)) {
            wasSilent = true;
            effects.emit(OtherLifeText.of(self, other, before, acceptor.quarantineRemainingNanos(now.moment())));
        }
    }

    /** Of a node that is no member of the generation that the acceptor runs, anybody could say so, and silence it. */
    private boolean isBelieved(@Nullable NodeId seenBy) {
        return seenBy == null || generations.own().get().everyone().contains(seenBy);
    }

    /** What the passing of time alone brings about in the acceptor. */
    private void notice(Reading now) {
        Moment asksAt = generations.asksAt();
        if (asksAt != null && !now.moment().isBefore(asksAt)) {
            PaxosMessage question = generations.ask(now);
            generations.asked().forEach(member -> effects.send(member, question));
        }
        if (acceptor != null) {
            acceptor.notice(now, this::answer);
            if (wasSilent && !acceptor.isSilent(now)) {
                wasSilent = false;
                proposer.retrySoon(now);
            }
        }
    }

    private void deliver(NodeId from, Message message, Reading now) {
        if (message instanceof Request request) {
            if (acceptor != null && !acceptor.isSilent(now)) {
                requests.serve(acceptor, from, request, now);
            }
        } else if (message instanceof WatchMessage watch) {
            watching.deliver(from, watch, now);
        } else if (message instanceof Standing standing) {
            generations.heard(from, standing, now);
        } else if (message instanceof Answer answer) {
            proposer.answers().hear(from, answer, now);
        }
    }

    /** A proposer that is told of a holder here waits for it: the holder may be keeping it unused. */
    private void answer(NodeId to, Message answer) {
        effects.send(to, answer);
        if (answer instanceof Held held) {
            proposer.wanted(held.resource(), held.owner().incarnation());
        }
    }
}
