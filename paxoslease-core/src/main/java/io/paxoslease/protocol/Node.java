package io.paxoslease.protocol;

import io.paxoslease.protocol.Event.Received;
import io.paxoslease.protocol.Message.Answer;
import io.paxoslease.protocol.Message.Extend;
import io.paxoslease.protocol.Message.Prepare;
import io.paxoslease.protocol.Message.Propose;
import io.paxoslease.protocol.Message.Release;
import io.paxoslease.protocol.Message.Released;
import io.paxoslease.protocol.Message.Reply;
import io.paxoslease.protocol.Message.Request;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One node: an acceptor, if it is a member, and a proposer. It routes and does not decide. Not thread-safe: one thread
 * feeds it events, each with one reading of the clocks, and carries out the effects.
 */
public final class Node implements Participant {

    private final NodeId self;
    private final Timing timing;
    private final @Nullable Acceptor acceptor;
    private final Proposer proposer;
    private final ConfigurationGuard guard;
    /** Nobody else can hold anything that this node's acceptor granted. */
    private final boolean isWholeCell;

    private final ArrayDeque<Message> toSelf = new ArrayDeque<>();
    private ArrayList<Effect> effects = new ArrayList<>();
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
        this.self = self;
        this.guard = guard;
        this.timing = timing;
        this.proposer = new Proposer(self, quorum, timing, incarnations, random, new Here(), new Effects());
        this.acceptor = quorum.contains(self)
                ? new Acceptor(
                        timing, quarantineEnd, guard, proposer.incarnation().low(), now)
                : null;
        this.isWholeCell = quorum.size() == 1 && acceptor != null;
        this.wasSilent = acceptor != null && (quarantineEnd != null || !guard.isServing());
    }

    /** Before the first event: an earlier life of this node has used counters up to this one, which nobody else remembers (P0). */
    public void continueAbove(long counter) {
        proposer.continueAbove(counter);
        if (acceptor != null) {
            acceptor.continueAbove(counter);
        }
    }

    /** Every ballot counter that this node has drawn is at most this. */
    public long highestCounter() {
        return proposer.highestCounter();
    }

    @Override
    public List<Effect> step(Event event, Reading now) {
        if (!stopped) {
            notice(now);
            handle(event, now);
            while (!toSelf.isEmpty()) {
                deliver(self, toSelf.remove(), now);
            }
            Effect news = guard.news(now.moment());
            if (news != null) {
                effects.add(news);
            }
        }
        List<Effect> result = effects;
        effects = new ArrayList<>();
        return result;
    }

    @Override
    public @Nullable Moment nextDeadline() {
        if (stopped) {
            return null;
        }
        Moment own = proposer.nextDeadline();
        if (acceptor == null) {
            return own;
        }
        return own == null ? acceptor.nextDeadline() : Moment.earlier(own, acceptor.nextDeadline());
    }

    @Override
    public NodeView view(int limit, Reading now) {
        return new Viewer(self, proposer, acceptor).view(limit, guard.view(now.moment()), now);
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
        if (event instanceof Received received) {
            deliver(received.from(), received.message(), now);
        } else if (event instanceof Event.Woken) {
            proposer.wake(now);
        } else if (event instanceof Event.Acquire acquire) {
            proposer.acquire(acquire.request(), now);
        } else if (event instanceof Event.Withdraw withdraw) {
            proposer.withdraw(withdraw.resource(), withdraw.requestId(), now);
        } else if (event instanceof Event.GiveUp giveUp) {
            int waiting = acceptor == null ? 0 : acceptor.waitingForHint(giveUp.resource(), now);
            proposer.giveUp(giveUp.resource(), giveUp.token(), waiting, now);
        } else if (event instanceof Event.InUse inUse) {
            proposer.inUse(inUse.resource(), inUse.token(), now);
            if (acceptor != null && !acceptor.isSilent(now)) {
                acceptor.tellInUse(inUse.resource(), now, this::send);
            }
        } else if (event instanceof Event.Renew renew) {
            proposer.renew(renew, now);
        } else if (event instanceof Event.OtherConfiguration other) {
            guard.seen(other, now.moment());
        } else if (event instanceof Event.Opened) {
            guard.lookAround(now.moment());
        } else if (event instanceof Event.Reachable reachable) {
            guard.connected(reachable.node(), now.moment());
            proposer.onReachable(reachable.node(), now);
        } else if (event instanceof Event.Unreachable unreachable) {
            guard.disconnected(unreachable.node(), now.moment());
            if (acceptor != null) {
                acceptor.onUnreachable(unreachable.node());
            }
            proposer.onUnreachable(unreachable.node(), now);
        } else if (event instanceof Event.ClocksDisagree disagree) {
            onClocksDisagree(disagree.mayHaveForgotten(), now);
        } else if (event instanceof Event.Shutdown) {
            proposer.shutdown(now);
            stopped = true;
        }
    }

    private void onClocksDisagree(boolean mayHaveForgotten, Reading now) {
        if (!mayHaveForgotten) {
            proposer.suspect(now);
            return;
        }
        if (acceptor != null && !isWholeCell) {
            acceptor.quarantine(now);
            wasSilent = true;
        }
        proposer.startAnew(now);
    }

    /** What the passing of time alone brings about in the acceptor. */
    private void notice(Reading now) {
        if (acceptor == null) {
            return;
        }
        acceptor.forget(now);
        if (wasSilent && !acceptor.isSilent(now)) {
            wasSilent = false;
            proposer.nudge(now);
        }
    }

    private void deliver(NodeId from, Message message, Reading now) {
        if (message instanceof Request request) {
            if (acceptor != null && !acceptor.isSilent(now)) {
                serve(acceptor, from, request, now);
            }
        } else if (message instanceof Answer answer) {
            if (proposer.heeds(from)) {
                hear(from, answer, now);
            }
        }
    }

    private void serve(Acceptor acceptor, NodeId from, Request request, Reading now) {
        if (request instanceof Prepare prepare) {
            watchClock(from, prepare.ballot(), now);
            answer(from, acceptor.prepare(from, prepare, now));
        } else if (request instanceof Propose propose) {
            watchClock(from, propose.ballot(), now);
            Reply reply = acceptor.propose(from, propose, now);
            if (reply != null) {
                answer(from, reply);
            }
            acceptor.tellOvertaken(propose.resource(), now, this::answer);
        } else if (request instanceof Extend extend) {
            Message answer = acceptor.extend(extend, now);
            if (answer != null) {
                send(from, answer);
            }
        } else if (request instanceof Release release) {
            acceptor.release(release, now, this::answer);
            acceptor.tellOvertaken(release.resource(), now, this::answer);
        }
    }

    /** Who is told that this node holds it waits for it: its holder here may be keeping it unused. */
    private void answer(NodeId to, Message answer) {
        send(to, answer);
        if (answer instanceof Message.Held held) {
            proposer.wanted(held);
        }
    }

    private void hear(NodeId from, Answer answer, Reading now) {
        if (answer instanceof Message.Reply reply) {
            proposer.onReply(from, reply, now);
        } else if (answer instanceof Message.Extended extended) {
            proposer.onExtended(from, extended, now);
        } else if (answer instanceof Message.Unlisted unlisted) {
            proposer.onUnlisted(from, unlisted);
        } else if (answer instanceof Released released) {
            proposer.onReleased(from, released, now);
        }
    }

    /** Section 7: an alarm at half of what is accepted. */
    private void watchClock(NodeId from, Ballot ballot, Reading now) {
        long ahead = ballot.counter() - now.wallMicros();
        if (ahead > timing.aheadGuardNanos() / 2_000) {
            effects.add(new Effect.ClockAhead(from, ahead));
        }
    }

    private void send(NodeId to, Message message) {
        if (to.equals(self)) {
            toSelf.add(message);
        } else {
            effects.add(new Effect.Send(to, message));
        }
    }

    /** A silent acceptor knows nothing. */
    private final class Here implements OwnAcceptor {

        @Override
        public boolean isWanted(String resource, Reading now) {
            return acceptor != null && acceptor.isWanted(resource, now);
        }

        @Override
        public long freshRecordOfOther(String resource, long nanos, Reading now) {
            return acceptor == null ? 0 : acceptor.freshRecordOfOther(resource, self, nanos, now);
        }

        @Override
        public long highestKept(String resource, Reading now) {
            return acceptor == null ? 0 : acceptor.highestKept(resource, now);
        }

        @Override
        public long highestSeen(String resource, Reading now) {
            return acceptor == null ? 0 : acceptor.highestSeen(resource, now);
        }
    }

    /** Collects what the proposer wants; messages to this node's own acceptor stay inside. */
    private final class Effects implements Outbox {

        @Override
        public void send(NodeId to, Message message) {
            Node.this.send(to, message);
        }

        @Override
        public void expect(int more) {
            effects.ensureCapacity(effects.size() + more);
        }

        @Override
        public void emit(Effect effect) {
            effects.add(effect);
        }
    }
}
