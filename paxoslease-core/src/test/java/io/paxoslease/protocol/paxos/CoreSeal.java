package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * R4: what is known of the acceptors to a node that asks them. If it is answered at once, no node can know sooner that a generation is sealed. If
 * answers are late, it may find that out at any time from when it could.
 */
final class CoreSeal implements CorePart {

    /** What an acceptor has answered that is on its way. */
    private enum Answer {
        NONE(0),
        ELSEWHERE(1),
        THERE(2);

        private final int code;

        Answer(int code) {
            this.code = code;
        }
    }

    /** More than an answer takes that is heard. */
    private static final long MOST_UNITS = 4;
    /** How many states there are of what is late of one acceptor. */
    private static final long MOST_LATE = 1 << 9;

    private final Seal seal;
    /** Whose answers count. */
    private final List<NodeId> counted;

    private final boolean answersLate;
    /** For how long after the question. */
    private final long windowNanos;

    /** The number of the memory in which each acceptor has answered last. */
    private final long[] boots;
    /** In which it was when it was heard last. */
    private final long[] heardBoots;

    private final @Nullable Moment[] since;
    private final @Nullable Moment[] until;
    /** How long the answers took that these two are of: it must not matter. */
    private final long[] lag;

    private final long[] lastLag;
    private final @Nullable Moment[] asked;
    private final Answer[] answers;
    private Moment now = new Moment(0);
    private boolean sealed;

    CoreSeal(CoreCell cell, int content) {
        this.seal = new Seal(cell.content(content));
        this.counted = seal.missing();
        this.answersLate = cell.answersLate;
        this.windowNanos = Objects.requireNonNull(cell.content(content).previous())
                .maxLeaseTime()
                .toNanos();
        this.boots = new long[cell.acceptors()];
        this.heardBoots = new long[cell.acceptors()];
        this.since = new Moment[cell.acceptors()];
        this.until = new Moment[cell.acceptors()];
        this.lag = new long[cell.acceptors()];
        this.lastLag = new long[cell.acceptors()];
        this.asked = new Moment[cell.acceptors()];
        this.answers = new Answer[cell.acceptors()];
        Arrays.fill(answers, Answer.NONE);
    }

    boolean counts(int acceptor) {
        return counted.contains(CoreCell.id(acceptor));
    }

    boolean isSealed() {
        return sealed;
    }

    /** Whether the acceptor may answer now. */
    boolean awaits(int acceptor) {
        return !answersLate || (asked[acceptor] != null && answers[acceptor] == Answer.NONE);
    }

    /** Whether an answer of the acceptor may arrive now. */
    boolean isAnswered(int acceptor) {
        return answers[acceptor] != Answer.NONE;
    }

    @Override
    public List<PaxosMessage> step(int code, @Nullable PaxosMessage received, int from) {
        if (code == TICK) {
            now = now.plusNanos(CoreCell.UNIT);
            forgetOldQuestions();
        } else if (code == FIND) {
            sealed |= seal.isAged(CoreCell.reading(now));
        } else if (code >= ARRIVE) {
            arrive(code - ARRIVE);
        } else if (code >= ASK) {
            asked[code - ASK] = now;
            answers[code - ASK] = Answer.NONE;
        } else {
            int action = code >= ELSEWHERE ? ELSEWHERE : code >= HEAR_NEW ? HEAR_NEW : HEAR;
            int acceptor = code - action;
            boots[acceptor] += action == HEAR_NEW ? 1 : 0;
            answers[acceptor] = action == ELSEWHERE ? Answer.ELSEWHERE : Answer.THERE;
            if (!answersLate) {
                asked[acceptor] = now;
                arrive(acceptor);
            }
        }
        sealed |= !answersLate && seal.isAged(CoreCell.reading(now));
        return List.of();
    }

    /** What is not answered within this time is not heard (Generations.heard). */
    private void forgetOldQuestions() {
        for (int acceptor = 0; acceptor < asked.length; acceptor++) {
            Moment question = asked[acceptor];
            if (question != null && question.nanosUntil(now) >= windowNanos) {
                asked[acceptor] = null;
                answers[acceptor] = Answer.NONE;
            }
        }
    }

    private void arrive(int acceptor) {
        NodeId id = CoreCell.id(acceptor);
        Moment question = Objects.requireNonNull(asked[acceptor]);
        if (answers[acceptor] == Answer.ELSEWHERE) {
            seal.isElsewhere(id);
            since[acceptor] = null;
        } else {
            boolean isNew = since[acceptor] == null || heardBoots[acceptor] != boots[acceptor];
            seal.heard(
                    id, new Incarnation(acceptor, boots[acceptor]), CoreCell.reading(question), CoreCell.reading(now));
            since[acceptor] = isNew ? now : since[acceptor];
            until[acceptor] = question;
            lag[acceptor] = isNew ? units(question) : lag[acceptor];
            lastLag[acceptor] = units(question);
            heardBoots[acceptor] = boots[acceptor];
        }
        asked[acceptor] = null;
        answers[acceptor] = Answer.NONE;
    }

    @Override
    public List<Integer> codes() {
        List<Integer> codes = new ArrayList<>(List.of(TICK));
        for (int acceptor = 0; acceptor < boots.length; acceptor++) {
            if (counts(acceptor)) {
                codes.addAll(codes(acceptor));
            }
        }
        if (answersLate) {
            codes.add(FIND);
        }
        return codes;
    }

    private List<Integer> codes(int acceptor) {
        List<Integer> codes = new ArrayList<>();
        if (awaits(acceptor)) {
            codes.addAll(List.of(HEAR + acceptor, HEAR_NEW + acceptor, ELSEWHERE + acceptor));
        }
        if (isAnswered(acceptor)) {
            codes.add(ARRIVE + acceptor);
        }
        if (answersLate) { // what was under way is lost
            codes.add(ASK + acceptor);
        }
        return codes;
    }

    /** With what the next step about an acceptor may be. */
    @Override
    public List<Object> visible() {
        List<Object> visible = new ArrayList<>(List.of(sealed));
        for (int acceptor = 0; answersLate && acceptor < boots.length; acceptor++) {
            visible.addAll(List.of(awaits(acceptor), isAnswered(acceptor)));
        }
        return visible;
    }

    @Override
    public List<@Nullable Object> print() {
        return List.of(sealed);
    }

    /** What is longer than twice the age of a seal counts as that: which of two is longer matters within the age only. */
    @Override
    public long printOf(int acceptor) {
        Moment first = since[acceptor];
        Moment last = until[acceptor];
        long heard = sealed || first == null || last == null ? -1 : age(first) * (2 * seal.ageNanos() + 1) + age(last);
        return sealed || !answersLate ? heard : -2 - ((heard + 1) * MOST_LATE + late(acceptor));
    }

    private long late(int acceptor) {
        Moment question = asked[acceptor];
        boolean isHeard = since[acceptor] != null;
        boolean isSame = isHeard && heardBoots[acceptor] == boots[acceptor];
        long late = question == null ? 0 : 1 + units(question);
        late = late * Answer.values().length + answers[acceptor].code;
        late = late * MOST_UNITS + (isHeard ? lag[acceptor] : 0);
        return (late * MOST_UNITS + (isHeard ? lastLag[acceptor] : 0)) * 2 + (isSame ? 1 : 0);
    }

    private long units(Moment question) {
        return question.nanosUntil(now) / CoreCell.UNIT;
    }

    private long age(Moment moment) {
        return Math.min(2 * seal.ageNanos(), moment.nanosUntil(now));
    }
}
