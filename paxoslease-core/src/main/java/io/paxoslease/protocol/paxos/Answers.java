package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.ResourceTable;
import io.paxoslease.protocol.paxos.PaxosMessage.Extended;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import io.paxoslease.protocol.paxos.PaxosMessage.Refused;
import io.paxoslease.protocol.paxos.PaxosMessage.Released;
import io.paxoslease.protocol.paxos.PaxosMessage.Reply;
import io.paxoslease.protocol.paxos.PaxosMessage.Stale;
import io.paxoslease.protocol.paxos.PaxosMessage.Wanted;

/** Takes the acceptors' answers to the attempts that they are for, and hints to what waits. */
public final class Answers {

    private final ProposerContext context;
    private final ResourceTable<ResourceState> table;
    private final AttemptDriver driver;

    Answers(ProposerContext context, ResourceTable<ResourceState> table, AttemptDriver driver) {
        this.context = context;
        this.table = table;
        this.driver = driver;
    }

    /** Only acceptors' answers count, and only under their own names. */
    void hear(NodeId from, PaxosMessage.Answer answer, Reading now) {
        if (!context.quorum().contains(from)) {
            return;
        }
        if (answer instanceof Reply reply) {
            onReply(from, reply, now);
        } else if (answer instanceof Extended extended) {
            onExtended(from, extended, now);
        } else if (answer instanceof PaxosMessage.UnknownBatch unknown) {
            onUnknownBatch(from, unknown);
        } else if (answer instanceof Released released) {
            onReleased(from, released, now);
        } else if (answer instanceof Wanted wanted) {
            onWanted(from, wanted, now);
        }
    }

    /** W1: of a tenure, or of an attempt that may yet become one. Of any other record it says nothing that matters. */
    private void onWanted(NodeId from, Wanted wanted, Reading now) {
        ResourceState state = table.get(wanted.resource());
        if (state == null || !wanted.incarnation().equals(state.incarnation)) {
            return;
        }
        driver.tenures().expire(state, now);
        Tenure tenure = state.tenure;
        Attempt attempt = state.attempt;
        if (attempt != null && attempt.ballot.counter() == wanted.counter()) {
            attempt.hints.wanted = true;
            note(state, from, wanted);
        } else if (tenure != null && tenure.token <= wanted.counter() && wanted.counter() <= tenure.counter) {
            note(state, from, wanted);
            if (!tenure.suspect) {
                context.out().emit(new Effect.Wanted(state.resource, tenure.token));
            }
        }
        table.settle(state, now);
    }

    private static void note(ResourceState state, NodeId from, Wanted wanted) {
        if (state.wishes == null) {
            state.wishes = new Wishes();
        }
        state.wishes.add(from, wanted);
    }

    /** An answer to the attempt in flight; any other is ignored, save for what it hints (P5). */
    private void onReply(NodeId from, Reply reply, Reading now) {
        ResourceState state = table.get(reply.resource());
        if (state == null) {
            return;
        }
        if (reply instanceof Held held) {
            state.lastHeld = held;
            state.lastHeldAt = now.moment();
            driver.tenures().releaseOrphan(state, from, held);
        }
        driver.tenures().expire(state, now);
        driver.tenures().hearAwaited(state, from, reply);
        if (reply instanceof PaxosMessage.InUse inUse) {
            onInUse(state, inUse, now);
        } else if (state.attempt != null && state.attempt.isEcho(reply)) {
            count(state, state.attempt, from, reply, now);
        } else if (reply instanceof PaxosMessage.Accepted accepted) {
            hearWanted(state, accepted);
        } else if (reply instanceof Stale && state.tenure == null && state.attempt == null && state.retryAt != null) {
            // What it abandoned had been kept, and its turn has come or will not come: a hint to ask again.
            state.retryAt = Moment.earlier(
                    state.retryAt, now.moment().plusNanos(context.backoff().afterReachable()));
        }
        table.settle(state, now);
    }

    private void onInUse(ResourceState state, PaxosMessage.InUse inUse, Reading now) {
        Attempt attempt = state.attempt;
        if (!inUse.isOfRecord()) {
            driver.denials().onInUse(state, inUse);
        } else if (attempt != null && attempt.ballot.equals(inUse.ballot())) {
            driver.take(QueueAdvice.onRecordInTheWay(attempt), state, attempt, now);
        }
    }

    /** After a majority has accepted, another acceptor may know of a node that waits. */
    private void hearWanted(ResourceState state, PaxosMessage.Accepted accepted) {
        Tenure tenure = state.tenure;
        if (accepted.wanted() && tenure != null && accepted.ballot().counter() == tenure.counter) {
            context.out().emit(new Effect.Wanted(state.resource, tenure.token));
        }
    }

    private void count(ResourceState state, Attempt attempt, NodeId from, Reply reply, Reading now) {
        if (attempt.takes(from, reply)) {
            boolean kept = attempt.hints.agreed(from);
            attempt.hints.wanted |= reply instanceof PaxosMessage.Accepted accepted && accepted.wanted();
            driver.onAgreement(state, attempt, kept, now);
        } else if (attempt.yes.contains(from)) {
            return; // what it said before it agreed, overtaken on the way
        } else if (reply instanceof Held || reply instanceof Stale || reply instanceof Refused) {
            if (reply instanceof Refused refused && refused.reason() == PaxosMessage.Refusal.OTHER_GENERATION) {
                context.generations().refusedBy(from, context.quorum().mode(), (int) refused.limit());
            }
            driver.onRefusal(state, attempt, from, reply, now);
        }
    }

    private void onExtended(NodeId from, Extended extended, Reading now) {
        RenewalBatch batch = driver.batches().rounds().of(extended.attempt());
        if (batch != null) {
            driver.batches().rounds().onExtended(batch, from, extended, now);
            return;
        }
        ResourceState state = driver.confirming(extended.attempt());
        if (state == null) {
            return;
        }
        driver.tenures().expire(state, now);
        Attempt attempt = state.attempt;
        if (attempt != null && attempt.takes(from, extended)) {
            if (extended.missing().isEmpty()) {
                attempt.hints.agreed(from);
                driver.onAgreement(state, attempt, false, now);
            } else {
                driver.onUnknown(state, attempt, from, now);
            }
        }
        table.settle(state, now);
    }

    /** The acceptor does not know the list any more: it restarted, or has not heard of it for long. */
    private void onUnknownBatch(NodeId from, PaxosMessage.UnknownBatch unknown) {
        RenewalBatch batch = driver.batches().rounds().of(unknown.attempt());
        if (batch != null) {
            driver.batches().rounds().onUnknownBatch(batch, from, unknown);
        }
    }

    /** A hint, so it only moves the next try forward. */
    private void onReleased(NodeId from, Released hint, Reading now) {
        ResourceState state = table.get(hint.resource());
        if (state != null && state.attempt != null) {
            state.attempt.hints.refusals.freed(from);
        } else if (state != null && state.tenure == null && state.retryAt != null) {
            Moment soon = now.moment().plusNanos(context.backoff().afterRelease(hint.ahead()));
            state.retryAt = Moment.earlier(state.retryAt, soon);
            table.settle(state, now);
        }
    }
}
