package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.ResourceTable;
import io.paxoslease.protocol.Timed;
import io.paxoslease.protocol.paxos.PaxosMessage.Nominate;
import io.paxoslease.protocol.paxos.PaxosMessage.Nominated;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Asks the acceptors who waits for a lease that this node holds (Q14). Advice: the answer changes no record and no tenure. */
final class Nominations {

    /** How long a question is asked at most. */
    static final long LONGEST_NANOS = 500_000_000;

    /** When a question is asked again for the first time; each further time takes twice as long. */
    private static final long AGAIN_NANOS = 20_000_000;

    /** How many questions are asked at once. A further one is answered at once, as if no majority had answered. */
    static final int MOST = 1_024;

    private final ProposerContext context;
    private final ResourceTable<Claim> table;
    private final Predicate<NodeId> isUnreachable;
    private final Map<Long, Question> open = new LinkedHashMap<>();
    private long questions;

    Nominations(ProposerContext context, ResourceTable<Claim> table, Predicate<NodeId> isUnreachable) {
        this.context = context;
        this.table = table;
        this.isUnreachable = isUnreachable;
    }

    /** One question, until a majority has answered it, or its time is over. */
    private static final class Question extends Timed {

        private final long number;
        private final Event.Nominate event;
        private final Moment end;
        private long againNanos = AGAIN_NANOS;
        /** The last answer of each acceptor that decides now. */
        private final Map<NodeId, List<Candidate>> answers = new HashMap<>();

        Question(long number, Event.Nominate event, Moment end) {
            this.number = number;
            this.event = event;
            this.end = end;
        }
    }

    /** Answered by {@link Effect.Nominated}: at once if this node does not hold the lease. */
    void ask(Event.Nominate event, Reading now) {
        long limit = Math.max(0, Math.min(event.limitNanos(), LONGEST_NANOS));
        Question question = new Question(++questions, event, now.moment().plusNanos(limit));
        open.put(question.number, question);
        if (open.size() > MOST) {
            end(question);
        } else {
            askOrEnd(question, now);
        }
    }

    /** The node stops. */
    void shutdown() {
        List.copyOf(open.values()).forEach(this::end);
    }

    /** Anything else that is timed is none of its business. */
    void wake(Timed timed, Reading now) {
        if (timed instanceof Question question && open.containsKey(question.number)) {
            askOrEnd(question, now);
        }
    }

    private void askOrEnd(Question question, Reading now) {
        Claim claim = table.held(question.event.resource(), question.event.token());
        if (claim == null || !now.moment().isBefore(question.end) || !isMajorityReachable()) {
            end(question);
            return;
        }
        Nominate message = new Nominate(
                claim.resource, claim.incarnation, claim.lastCounter, question.number, question.event.node());
        context.broadcast(message);
        Moment again = now.moment().plusNanos(question.againNanos);
        question.againNanos *= 2;
        table.timers().set(question, Moment.earlier(again, question.end));
    }

    private boolean isMajorityReachable() {
        AcceptorSet reachable = new AcceptorSet(context.quorum());
        context.quorum().acceptors().stream().filter(isUnreachable.negate()).forEach(reachable::add);
        return reachable.isMajority();
    }

    void hear(NodeId from, Nominated answer) {
        Question question = open.get(answer.question());
        if (question == null || !question.event.resource().equals(answer.resource())) {
            return;
        }
        question.answers.put(from, answer.waiting());
        NodeId node = question.event.node();
        if (node == null ? isAnswered(question) : isQueued(question, node)) {
            end(question);
        }
    }

    private boolean isAnswered(Question question) {
        return isMajority(question, waiting -> true);
    }

    /** Whether a majority keeps its proposal. */
    private boolean isQueued(Question question, NodeId node) {
        return isMajority(question, waiting -> waiting.stream()
                .anyMatch(each -> each.queued() && each.node().equals(node)));
    }

    /** Of the acceptors that decide now: the members may have changed since the first answer. */
    private boolean isMajority(Question question, Predicate<List<Candidate>> counts) {
        Quorum quorum = context.quorum();
        AcceptorSet chosen = new AcceptorSet(quorum);
        question.answers.forEach((acceptor, waiting) -> {
            if (quorum.contains(acceptor) && counts.test(waiting)) {
                chosen.add(acceptor);
            }
        });
        return chosen.isMajority();
    }

    private void end(Question question) {
        open.remove(question.number);
        table.timers().set(question, null);
        Map<NodeId, Long> since = new TreeMap<>();
        question.answers
                .values()
                .forEach(waiting ->
                        waiting.forEach(each -> since.merge(each.node(), each.enqueuedCounter(), Math::max)));
        @Nullable NodeId only = question.event.node();
        List<Effect.Nominated.Waiting> waiting = since.entrySet().stream()
                .filter(each -> only == null || only.equals(each.getKey()))
                .map(each ->
                        new Effect.Nominated.Waiting(each.getKey(), each.getValue(), isQueued(question, each.getKey())))
                .toList();
        context.out().emit(new Effect.Nominated(question.event.requestId(), isAnswered(question), waiting));
    }
}
