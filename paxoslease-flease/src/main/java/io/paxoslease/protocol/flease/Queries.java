package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Looks at registers without disturbing who uses them. What a majority has under one round is decided. */
final class Queries {

    private static final long PATIENCE = 500_000_000L;

    /** One question to all acceptors, about a few resources. */
    private record Query(long requestId, List<String> resources, Moment end, Map<NodeId, List<Stored>> answers) {}

    private final Quorum quorum;
    private final MajorityCache knowledge;
    private final LongConsumer answered;
    /** By number, the oldest first. */
    private final Map<Long, Query> open = new LinkedHashMap<>();

    private long ids;

    /**
     * @param firstId drawn, so that no answer to an earlier life of this node is taken for one to this
     * @param answered told the request that everything has been learnt for that can be
     */
    Queries(Quorum quorum, MajorityCache knowledge, long firstId, LongConsumer answered) {
        this.ids = firstId;
        this.quorum = quorum;
        this.knowledge = knowledge;
        this.answered = answered;
    }

    /** The questions to be sent to every acceptor. */
    List<FleaseMessage.Query> begin(long requestId, List<String> resources, Reading now) {
        List<FleaseMessage.Query> questions = new ArrayList<>();
        for (int from = 0; from < resources.size(); from += FleaseMessage.Query.MAX_RESOURCES) {
            List<String> batch =
                    resources.subList(from, Math.min(from + FleaseMessage.Query.MAX_RESOURCES, resources.size()));
            open.put(++ids, new Query(requestId, batch, now.moment().plusNanos(PATIENCE), new HashMap<>()));
            questions.add(new FleaseMessage.Query(ids, batch));
        }
        if (questions.isEmpty()) {
            answered.accept(requestId);
        }
        return questions;
    }

    /** An answer counts once per sender. */
    void onKnown(NodeId from, FleaseMessage.Known known, Set<NodeId> absent) {
        Query query = open.get(known.id());
        if (query == null || known.stored().size() != query.resources.size()) {
            return;
        }
        query.answers.putIfAbsent(from, known.stored());
        for (int i = 0; i < query.resources.size(); i++) {
            learn(query, i);
        }
        endWhatIsAnswered(absent);
    }

    private void learn(Query query, int place) {
        Stored latest = Stored.NOTHING;
        int have = 0;
        for (List<Stored> answer : query.answers.values()) {
            Stored stored = answer.get(place);
            if (stored.written().isAbove(latest.written())) {
                latest = stored;
                have = 0;
            }
            have += stored.written().equals(latest.written()) ? 1 : 0;
        }
        if (have >= quorum.majority() && !latest.written().equals(Round.NONE)) {
            knowledge.learn(query.resources.get(place), latest);
        }
    }

    /** Ends the questions that every acceptor within reach has answered. */
    void endWhatIsAnswered(Set<NodeId> absent) {
        endIf(query -> quorum.acceptors().stream()
                .allMatch(acceptor -> absent.contains(acceptor) || query.answers.containsKey(acceptor)));
    }

    void wake(Reading now) {
        endIf(query -> !now.moment().isBefore(query.end));
    }

    void endAll() {
        endIf(query -> true);
    }

    private void endIf(Predicate<Query> condition) {
        for (Iterator<Query> i = open.values().iterator(); i.hasNext(); ) {
            Query query = i.next();
            if (condition.test(query)) {
                i.remove();
                if (open.values().stream().noneMatch(other -> other.requestId == query.requestId)) {
                    answered.accept(query.requestId);
                }
            }
        }
    }

    @Nullable
    Moment nextDeadline() {
        return open.isEmpty() ? null : open.values().iterator().next().end;
    }
}
