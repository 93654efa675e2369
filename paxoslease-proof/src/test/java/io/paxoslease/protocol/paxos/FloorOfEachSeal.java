package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * O6: the members change to other hosts and back while they run. In between a lease is granted that the first members do not hear of, and runs out. After the second seal
 * they are asked by a client whose wall clock is behind: its counter is above what they knew at the first seal, and below the token of that lease.
 */
public final class FloorOfEachSeal implements Supplier<List<String>> {

    private static final Duration MAX = Duration.ofSeconds(3);
    private static final Duration QUARANTINE = Duration.ofMillis(3_700);
    /** Three questions before the move, and the seal. */
    private static final Duration CHANGE = QUARANTINE.plusSeconds(5);

    private static final MemberList HERE = ChangingCell.list(MAX, "a", "b", "c");
    private static final MemberList THERE = ChangingCell.list(MAX, "d", "e", "f");
    private static final Generation FIRST = Generation.first(HERE);
    private static final Generation SECOND = new Generation(2, THERE, HERE);
    private static final Generation THIRD = new Generation(3, HERE, THERE);
    private static final String LATE = "late";

    private final ChangingCell cell = new ChangingCell();

    /** @return what is wrong; nothing when all is well */
    @Override
    public List<String> get() {
        start(HERE, FIRST);
        cell.start("p", FIRST);
        cell.pass(QUARANTINE);
        start(THERE, SECOND);
        cell.pass(QUARANTINE);
        change(SECOND);
        propose(Quorum.joint(2), SECOND, new PaxosMessage.Propose("another", of(1), MAX.toNanos(), 1));
        cell.pass(Duration.ofSeconds(20));
        cell.acquire("p", MAX);
        cell.pass(Duration.ofMillis(100));
        if (!"p".equals(cell.holder())) {
            return List.of("the lease is not granted");
        }
        cell.stop("p"); // a release would tell all members its token
        cell.pass(MAX);
        change(THIRD);
        return proposed();
    }

    private void start(MemberList members, Generation generation) {
        members.members().forEach(id -> cell.start(id.name(), generation));
    }

    private void change(Generation next) {
        next.everyone().forEach(id -> cell.readsNext(id.name(), next));
        cell.pass(CHANGE);
        boolean isSealed =
                next.everyone().stream().allMatch(id -> cell.node(id.name()).sealedGeneration() == next.number());
        if (!isSealed) {
            throw new IllegalStateException("generation " + next.number() + " is not sealed");
        }
    }

    private static Ballot of(long counter) {
        return new Ballot(counter, new Incarnation(9, 9));
    }

    /** To the first members; at the first seal they notice it by a request that is late. */
    private void propose(int mode, Generation generation, PaxosMessage.Propose propose) {
        for (NodeId member : HERE.members()) {
            cell.receive(LATE, member.name(), new PaxosMessage.InMode(mode, generation.content(), propose));
        }
        cell.pass(Duration.ofMillis(100));
    }

    private List<String> proposed() {
        cell.undelivered().clear();
        Ballot below = of(cell.granted().get(0) - 1);
        propose(Quorum.alone(3), THIRD, new PaxosMessage.Propose("r", below, MAX.toNanos(), 1));
        long accepted = cell.undelivered().stream()
                .filter(answer -> answer instanceof PaxosMessage.Accepted)
                .count();
        long stale = cell.undelivered().stream()
                .filter(answer -> answer instanceof PaxosMessage.Stale)
                .count();
        return accepted + stale < HERE.members().size()
                ? List.of("the members do not answer: " + cell.undelivered())
                : accepted > 0 ? List.of("a token is granted that is below the last one") : List.of();
    }
}
