package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.EffectBuffer;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.MessageSink;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.PaxosMessage.AskStanding;
import io.paxoslease.protocol.paxos.PaxosMessage.Extend;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import io.paxoslease.protocol.paxos.PaxosMessage.InMode;
import io.paxoslease.protocol.paxos.PaxosMessage.InUse;
import io.paxoslease.protocol.paxos.PaxosMessage.Nominate;
import io.paxoslease.protocol.paxos.PaxosMessage.Prepare;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.QueueMode;
import io.paxoslease.protocol.paxos.PaxosMessage.Refusal;
import io.paxoslease.protocol.paxos.PaxosMessage.Refused;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import io.paxoslease.protocol.paxos.PaxosMessage.ReleaseTo;
import io.paxoslease.protocol.paxos.PaxosMessage.Reply;
import io.paxoslease.protocol.paxos.PaxosMessage.Request;
import io.paxoslease.protocol.paxos.PaxosMessage.Stale;
import io.paxoslease.protocol.paxos.PaxosMessage.StillInUse;
import io.paxoslease.protocol.paxos.PaxosMessage.Wanted;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Hands requests to this node's acceptor, and its answers to those that asked. It routes and does not decide. */
final class RequestHandler {

    private final Generations generations;
    private final EffectBuffer effects;
    private final MessageSink answers;
    private final BiConsumer<String, Incarnation> holderHere;
    /** Zero: no change has been sealed since the acceptor was started. */
    private long sealFloor;
    /** The generation that it is of. */
    private int sealFloorOf;

    /**
     * @param answers takes what the acceptor answers
     * @param holderHere takes a resource that others wait for, and the incarnation of its owner, which may be this node's
     */
    RequestHandler(
            Generations generations,
            EffectBuffer effects,
            MessageSink answers,
            BiConsumer<String, Incarnation> holderHere) {
        this.generations = generations;
        this.effects = effects;
        this.answers = answers;
        this.holderHere = holderHere;
    }

    /** R1, R6: the acceptor grants only what is of a mode that it takes. A release is of any. */
    void serve(Acceptor acceptor, NodeId from, Request request, Reading now) {
        int mode = request instanceof InMode inMode ? inMode.mode() : Quorum.FIRST;
        long content = request instanceof InMode inMode ? inMode.content() : 0;
        Request asked = request instanceof InMode inMode ? inMode.request() : request;
        if (asked instanceof AskStanding question) {
            effects.send(from, generations.own().standing(question));
        } else if (asked instanceof Release
                || asked instanceof ReleaseTo
                || asked instanceof Nominate
                || asked instanceof StillInUse) {
            serveAsked(acceptor, from, asked, now);
        } else if (generations.own().takes(mode, content)) {
            Reply stale = belowSeal(acceptor, from, asked, now);
            if (stale == null) {
                serveAsked(acceptor, from, asked, now);
            } else {
                answers.send(from, stale);
            }
        } else {
            effects.send(from, refusal(asked));
        }
    }

    /**
     * The acceptor's own wall clock when it learnt of the seal. The list before may have granted higher counters than this acceptor has seen,
     * but none that is above this, as long as its clock is not behind theirs by more than the quarantine that a seal takes.
     */
    long sealFloor(Reading now) {
        int own = generations.own().get().number();
        if (sealFloorOf != own && generations.own().hasBeenSealed()) {
            sealFloor = Math.max(sealFloor, now.wallMicros());
            sealFloorOf = own;
        }
        return sealFloor;
    }

    /** Section 7: a new tenure needs a counter above what was granted before the seal. A renewal passes, as over a promise. */
    private @Nullable Reply belowSeal(Acceptor acceptor, NodeId from, Request request, Reading now) {
        long floor = sealFloor(now);
        if (floor == 0) {
            return null;
        } else if (request instanceof Prepare m && m.ballot().counter() <= floor) {
            return new Stale(m.resource(), m.ballot(), m.attempt(), floor);
        } else if (request instanceof Propose m && m.ballot().counter() <= floor) {
            AcceptorSlot slot = acceptor.live(m.resource(), now.moment());
            boolean renews = m.queueMode() == QueueMode.NONE
                    && slot != null
                    && slot.isOwnedBy(from, m.ballot().incarnation());
            return renews ? null : new Stale(m.resource(), m.ballot(), m.attempt(), floor);
        }
        return null;
    }

    private void serveAsked(Acceptor acceptor, NodeId from, Request request, Reading now) {
        if (request instanceof Prepare prepare) {
            watchClock(from, prepare.ballot(), now);
            boolean isFirst = !acceptor.notifier().isWanted(prepare.resource(), now);
            Reply reply = acceptor.prepare(from, prepare, now);
            isFirst |= acceptor.notifier().hasNewFirst(prepare.resource(), now);
            answers.send(from, reply);
            tellClient(acceptor, reply, isFirst, false, now);
        } else if (request instanceof Propose propose) {
            watchClock(from, propose.ballot(), now);
            boolean isFirst = !acceptor.notifier().isWanted(propose.resource(), now);
            Reply reply = acceptor.propose(from, propose, now);
            if (reply != null) {
                isFirst |= acceptor.notifier().hasNewFirst(propose.resource(), now);
                answers.send(from, reply);
                tellClient(acceptor, reply, isFirst, propose.queueMode() == QueueMode.ASK_HOLDER, now);
                tellOwner(from, propose, reply);
            }
            acceptor.tellOvertaken(propose.resource(), now, answers);
        } else if (request instanceof Extend extend) {
            Message answer = acceptor.extend(from, extend, now);
            if (answer != null) {
                effects.send(from, answer);
            }
        } else if (request instanceof Release release) {
            release(acceptor, from, release, null, now);
        } else if (request instanceof ReleaseTo to) {
            release(acceptor, from, to.release(), to.successor(), now);
        } else if (request instanceof Nominate nominate) {
            Message answer = acceptor.nominate(from, nominate, now, effects);
            if (answer != null) {
                effects.send(from, answer);
            }
        } else if (request instanceof StillInUse inUse) {
            AcceptorSlot slot = acceptor.live(inUse.resource(), now.moment());
            if (slot != null && slot.isOwnedBy(from, inUse.incarnation())) {
                acceptor.notifier().tellInUse(inUse.resource(), now, effects);
            }
        }
    }

    private void release(Acceptor acceptor, NodeId from, Release release, @Nullable NodeId successor, Reading now) {
        String resource = release.resource();
        Ballot before = ownerOf(acceptor.live(resource, now.moment()));
        acceptor.release(from, release, successor, now, answers);
        acceptor.tellOvertaken(resource, now, answers);
        AcceptorSlot slot = acceptor.live(resource, now.moment());
        Ballot owner = ownerOf(slot);
        if (slot != null
                && slot.ownerNode != null
                && owner != null
                && owner.equals(before)
                && acceptor.notifier().hasNewFirst(resource, now)) { // the first one has withdrawn its proposal
            holderHere.accept(resource, owner.incarnation());
            tellClient(acceptor, resource, slot.ownerNode, owner, false, now);
        }
    }

    private static @Nullable Ballot ownerOf(@Nullable AcceptorSlot slot) {
        return slot == null || slot.owner == null ? null : new Ballot(slot.counter, slot.owner);
    }

    /**
     * W1: a holder that has no acceptor hears from those of others that it is waited for: whose turn comes first, whenever that changes, and of
     * each that asks once, as that one has to hear whether the lease is in use.
     */
    private void tellClient(Acceptor acceptor, Reply reply, boolean isFirst, boolean asking, Reading now) {
        if ((isFirst || asking) && reply instanceof Held held) {
            tellClient(acceptor, held.resource(), held.ownerNode(), held.owner(), asking, now);
        }
    }

    private void tellClient(
            Acceptor acceptor, String resource, NodeId holder, Ballot owner, boolean asking, Reading now) {
        if (!generations.quorum().contains(holder)) {
            WaiterNotifier notifier = acceptor.notifier();
            long queued = notifier.highestKept(resource, now);
            NodeId first = notifier.lastFirst(resource);
            effects.send(holder, new Wanted(resource, owner.incarnation(), owner.counter(), queued, asking, first));
        }
    }

    /** A renewal meets the record of another, which most likely a minority has accepted while it did not know of the holder. */
    private void tellOwner(NodeId from, Propose propose, Reply reply) {
        if (propose.queueMode() == QueueMode.NONE
                && reply instanceof Held held
                && !held.ownerNode().equals(from)) {
            effects.send(held.ownerNode(), new InUse(held.resource(), held.owner(), InUse.OF_RECORD));
        }
    }

    /** R1: the answer to what this acceptor does not take. An extension is of many leases: it hears where the acceptor stands. */
    private PaxosMessage refusal(Request request) {
        if (request instanceof Prepare m) {
            return refused(m.resource(), m.ballot(), m.attempt());
        } else if (request instanceof Propose m) {
            return refused(m.resource(), m.ballot(), m.attempt());
        }
        return generations.own().unasked();
    }

    private PaxosMessage refused(String resource, Ballot ballot, long attempt) {
        return new Refused(
                resource,
                ballot,
                attempt,
                Refusal.OTHER_GENERATION,
                generations.own().get().number());
    }

    /** Section 7: an alarm at half of what is accepted. */
    private void watchClock(NodeId from, Ballot ballot, Reading now) {
        long ahead = ballot.counter() - now.wallMicros();
        if (ahead > generations.timing().aheadGuardNanos() / 2_000) {
            effects.emit(new Effect.ClockAhead(from, ahead));
        }
    }
}
