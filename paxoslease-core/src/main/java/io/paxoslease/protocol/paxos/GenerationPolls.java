package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a node has lately asked acceptors about where they stand (section 9, R3, R4), and who has answered what. An answer may take longer
 * than the time to the next question: it counts with the moment of its own. Not thread-safe.
 */
final class GenerationPolls {

    private static final int MOST = 16;
    private static final long LONGEST_INTERVAL_NANOS = 1_000_000_000L;
    /** A life's questions are numbered from its incarnation on; those of an earlier one never reach that far. */
    private static final int BITS_FOR_NUMBERS = 24;
    /** So often within the time that a seal takes. */
    private static final int PARTS = 4;
    /** So many questions are asked sooner where an answer is urgent: a sixteenth of the interval after the last one, then an eighth, and so on. */
    private static final int SOON = 4;

    /** One question, and who has answered it: of the next generation or this one, and of this one. */
    static final class Question {
        private final long nonce;
        private final Reading askedAt;
        private final Set<NodeId> ready = new HashSet<>();
        private final Set<NodeId> behind = new HashSet<>();

        private Question(long nonce, Reading askedAt) {
            this.nonce = nonce;
            this.askedAt = askedAt;
        }

        Reading askedAt() {
            return askedAt;
        }

        /** That acceptor runs the generation that is asked about, or the one before it. */
        void isReady(NodeId acceptor) {
            ready.add(acceptor);
        }

        /** It runs the one before. */
        void isBehind(NodeId acceptor) {
            behind.add(acceptor);
        }

        /** R3: whether majorities of both lists have answered. */
        boolean isAnsweredByBoth(Generation next) {
            return isMajority(next.quorum(false), ready);
        }

        /** R4: whether a majority of the new list has, which is to decide alone. */
        boolean isAnsweredByNew(Generation next) {
            return isMajority(next.quorum(true), ready);
        }

        private static boolean isMajority(Quorum quorum, Set<NodeId> nodes) {
            AcceptorSet set = new AcceptorSet(quorum);
            nodes.stream().filter(quorum::contains).forEach(set::add);
            return set.isMajority();
        }
    }

    /** From one question about a generation to the next: needed at each event, and the exact arithmetic is slow. */
    private record Interval(Generation target, long nanos) {}

    private @Nullable Interval interval;

    /** The oldest first. */
    private final List<Question> asked = new ArrayList<>();

    private long nonce;
    /** So many questions come sooner than the interval says. */
    private int soon;

    /** How long after one question about that generation the next one is asked. */
    long intervalNanos(Generation target) {
        Interval known = interval;
        if (known == null || !known.target.equals(target)) {
            known = new Interval(
                    target,
                    Math.min(LONGEST_INTERVAL_NANOS, target.timing(false).quarantineNanos() / PARTS));
            interval = known;
        }
        return known.nanos;
    }

    /** A new question, from now on. */
    long ask(Reading now, long windowNanos) {
        soon = Math.max(0, soon - 1);
        asked.removeIf(question -> question.askedAt.longestNanosUntil(now) >= windowNanos);
        if (asked.size() == MOST) {
            asked.remove(0);
        }
        asked.add(new Question(++nonce, now));
        return nonce;
    }

    /**
     * The question that has been answered.
     *
     * @param windowNanos for how long answers count
     * @return null: it is too old, or none of this node's
     */
    @Nullable
    Question answered(long which, Reading now, long windowNanos) {
        for (Question question : asked) {
            if (question.nonce == which && question.askedAt.longestNanosUntil(now) < windowNanos) {
                return question;
            }
        }
        return null;
    }

    /**
     * The last one that a majority of the list before has answered, before it could move, and the list after has not, in a whole interval: the
     * next question may come much sooner.
     */
    boolean isAnsweredByOneOnly(Generation now, Generation next, Reading at) {
        for (int i = asked.size() - 1; i >= 0; i--) {
            Question question = asked.get(i);
            if (question.askedAt.moment().nanosUntil(at.moment()) < intervalNanos(next)) {
                continue;
            }
            if (question.isAnsweredByBoth(next)) {
                return false;
            } else if (Question.isMajority(now.quorum(true), question.behind)) {
                return true;
            }
        }
        return false;
    }

    /** The next few questions are asked after a part of the interval that doubles up to all of it. */
    void askSoon() {
        soon = SOON;
    }

    /** When to ask the next one about that generation; null: none counts that was asked before. */
    @Nullable
    Moment nextAt(Generation target) {
        if (asked.isEmpty()) {
            return null;
        }
        return asked.get(asked.size() - 1).askedAt.moment().plusNanos(intervalNanos(target) >> soon);
    }

    /** A life begins: what is still on its way to an earlier one of this node answers no question of it. */
    void begin(Incarnation life) {
        nonce = life.low() << BITS_FOR_NUMBERS;
    }

    /** No answer to an earlier question counts. */
    void clear() {
        asked.clear();
    }
}
