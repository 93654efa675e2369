package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** R4: what is known of the acceptors to one that asks them, and is answered at once: no node can know sooner that a generation is sealed. */
final class CoreSeal implements CorePart {

    private final Seal seal;
    /** Whose answers count. */
    private final List<NodeId> counted;

    private final long[] boots;
    private final @Nullable Moment[] since;
    private final @Nullable Moment[] until;
    private Moment now = new Moment(0);
    private boolean sealed;

    CoreSeal(CoreCell cell, int content) {
        this.seal = new Seal(cell.content(content));
        this.counted = seal.missing();
        this.boots = new long[cell.acceptors()];
        this.since = new Moment[cell.acceptors()];
        this.until = new Moment[cell.acceptors()];
    }

    boolean counts(int acceptor) {
        return counted.contains(CoreCell.id(acceptor));
    }

    boolean isSealed() {
        return sealed;
    }

    @Override
    public List<PaxosMessage> step(int code, @Nullable PaxosMessage received, int from) {
        if (code == TICK) {
            now = now.plusNanos(CoreCell.UNIT);
        } else if (code >= ELSEWHERE) {
            seal.isElsewhere(CoreCell.id(code - ELSEWHERE));
            since[code - ELSEWHERE] = null;
        } else {
            boolean isNew = code >= HEAR_NEW;
            int acceptor = code - (isNew ? HEAR_NEW : HEAR);
            NodeId id = CoreCell.id(acceptor);
            boots[acceptor] += isNew ? 1 : 0;
            seal.heard(id, new Incarnation(acceptor, boots[acceptor]), CoreCell.reading(now), CoreCell.reading(now));
            since[acceptor] = isNew || since[acceptor] == null ? now : since[acceptor];
            until[acceptor] = now;
        }
        sealed |= seal.isAged(CoreCell.reading(now));
        return List.of();
    }

    @Override
    public List<Integer> codes() {
        List<Integer> codes = new ArrayList<>(List.of(TICK));
        for (int acceptor = 0; acceptor < boots.length; acceptor++) {
            if (counts(acceptor)) {
                codes.addAll(List.of(HEAR + acceptor, HEAR_NEW + acceptor, ELSEWHERE + acceptor));
            }
        }
        return codes;
    }

    @Override
    public List<Object> visible() {
        return List.of(sealed);
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
        return sealed || first == null || last == null ? -1 : age(first) * (2 * seal.ageNanos() + 1) + age(last);
    }

    private long age(Moment moment) {
        return Math.min(2 * seal.ageNanos(), moment.nanosUntil(now));
    }
}
