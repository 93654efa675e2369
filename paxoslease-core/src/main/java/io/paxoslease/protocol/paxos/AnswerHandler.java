package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.ResourceTable;
import io.paxoslease.protocol.paxos.ClaimState.BackingOff;
import io.paxoslease.protocol.paxos.PaxosMessage.Extended;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import io.paxoslease.protocol.paxos.PaxosMessage.Nominated;
import io.paxoslease.protocol.paxos.PaxosMessage.Refused;
import io.paxoslease.protocol.paxos.PaxosMessage.Released;
import io.paxoslease.protocol.paxos.PaxosMessage.Reply;
import io.paxoslease.protocol.paxos.PaxosMessage.Stale;
import io.paxoslease.protocol.paxos.PaxosMessage.Wanted;

/** Takes the acceptors' answers to the attempts that they are for, and hints to what waits. */
public final class AnswerHandler {

    private final ProposerContext context;
    private final ResourceTable<Claim> table;
    private final AttemptDriver driver;
    private final Nominations nominations;

    AnswerHandler(ProposerContext context, ResourceTable<Claim> table, AttemptDriver driver, Nominations nominations) {
        this.context = context;
        this.table = table;
        this.driver = driver;
        this.nominations = nominations;
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
        } else if (answer instanceof Nominated nominated) {
            nominations.hear(from, nominated);
        }
    }

    /** W1: of a tenure, or of an attempt that may yet become one. Of any other record it says nothing that matters. */
    private void onWanted(NodeId from, Wanted wanted, Reading now) {
        Claim claim = table.get(wanted.resource());
        if (claim == null || !wanted.incarnation().equals(claim.incarnation)) {
            return;
        }
        driver.tenures().expire(claim, now);
        Tenure tenure = claim.tenure();
        Attempt attempt = claim.attempt();
        if (attempt != null && attempt.ballot.counter() == wanted.counter()) {
            attempt.hints.heardWanted();
            claim.waitersReported(from, wanted);
        } else if (tenure != null && tenure.token <= wanted.counter() && wanted.counter() <= tenure.counter) {
            claim.waitersReported(from, wanted);
            if (!tenure.suspect) {
                context.out().emit(new Effect.Wanted(claim.resource, tenure.token, wanted.first()));
            }
        }
        table.settle(claim, now);
    }

    /** An answer to the attempt in flight; any other is ignored, save for what it hints (P5). */
    private void onReply(NodeId from, Reply reply, Reading now) {
        Claim claim = table.get(reply.resource());
        if (claim == null) {
            return;
        }
        if (reply instanceof Held held) {
            claim.named(held, now.moment());
            driver.tenures().releaseOrphan(claim, from, held);
        }
        driver.tenures().expire(claim, now);
        driver.tenures().hearLate(claim, from, reply);
        Attempt attempt = claim.attempt();
        if (reply instanceof PaxosMessage.InUse inUse) {
            onInUse(claim, inUse, now);
        } else if (attempt != null && attempt.isEcho(reply)) {
            count(claim, attempt, from, reply, now);
        } else if (reply instanceof PaxosMessage.Accepted accepted) {
            hearWanted(claim, accepted);
        } else if (reply instanceof Stale && claim.state() instanceof BackingOff backingOff) {
            // What it abandoned had been kept, and its turn has come or will not come: a hint to ask again.
            Moment soon = now.moment().plusNanos(context.backoff().afterReachable());
            claim.retriesAt(Moment.earlier(backingOff.retryAt, soon));
        }
        table.settle(claim, now);
    }

    private void onInUse(Claim claim, PaxosMessage.InUse inUse, Reading now) {
        Attempt attempt = claim.attempt();
        if (!inUse.isOfRecord()) {
            driver.denials().onInUse(claim, inUse);
        } else if (attempt != null && attempt.ballot.equals(inUse.ballot())) {
            driver.take(QueueAdvice.onRecordInTheWay(attempt), claim, attempt, now);
        }
    }

    /** After a majority has accepted, another acceptor may know of a node that waits. */
    private void hearWanted(Claim claim, PaxosMessage.Accepted accepted) {
        Tenure tenure = claim.tenure();
        if (accepted.wanted() && tenure != null && accepted.ballot().counter() == tenure.counter) {
            context.out().emit(new Effect.Wanted(claim.resource, tenure.token));
        }
    }

    private void count(Claim claim, Attempt attempt, NodeId from, Reply reply, Reading now) {
        if (attempt.takes(from, reply)) {
            boolean kept = attempt.hints.agreed(from);
            if (reply instanceof PaxosMessage.Accepted accepted && accepted.wanted()) {
                attempt.hints.heardWanted();
            }
            driver.onAgreement(claim, attempt, kept, now);
        } else if (attempt.yes.contains(from)) {
            return; // what it said before it agreed, overtaken on the way
        } else if (reply instanceof Held || reply instanceof Stale || reply instanceof Refused) {
            if (reply instanceof Refused refused && refused.reason() == PaxosMessage.Refusal.OTHER_GENERATION) {
                context.generations().refusedBy(from, context.quorum().mode(), (int) refused.limit());
            }
            driver.onRefusal(claim, attempt, from, reply, now);
        }
    }

    private void onExtended(NodeId from, Extended extended, Reading now) {
        RenewalBatch batch = driver.batches().rounds().of(extended.attempt());
        if (batch != null) {
            driver.batches().rounds().onExtended(batch, from, extended, now);
            return;
        }
        Claim claim = driver.confirming(extended.attempt());
        if (claim == null) {
            return;
        }
        driver.tenures().expire(claim, now);
        Attempt attempt = claim.attempt();
        if (attempt != null && attempt.takes(from, extended)) {
            if (extended.missing().isEmpty()) {
                attempt.hints.agreed(from);
                driver.onAgreement(claim, attempt, false, now);
            } else {
                driver.onUnknown(claim, attempt, from, now);
            }
        }
        table.settle(claim, now);
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
        Claim claim = table.get(hint.resource());
        Attempt attempt = claim == null ? null : claim.attempt();
        if (attempt != null) {
            attempt.hints.refusals.freed(from);
        } else if (claim != null && claim.state() instanceof BackingOff backingOff) {
            Moment soon = now.moment().plusNanos(context.backoff().afterRelease(hint.ahead()));
            claim.retriesAt(Moment.earlier(backingOff.retryAt, soon));
            table.settle(claim, now);
        }
    }
}
