package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.PaxosMessage.Standing;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * R6: a proposer asks both lists of one content of the next generation, and hears from a member of the list before that another one is sealed, of
 * which it has to ask both lists at first as well. The modes have the same number. No majority grants the first one any more.
 */
public final class AsksTheLost implements Supplier<List<String>> {

    private static final Duration MAX = Duration.ofSeconds(9);

    private static Reading at(long nanos) {
        return new Reading(new Moment(nanos), nanos / 1_000);
    }

    /** @return what is wrong; nothing when all is well */
    @Override
    public List<String> get() {
        MemberList old = ChangingCell.list(MAX, "a", "b", "c");
        Generation lost = new Generation(2, ChangingCell.list(MAX, "a", "b", "x"), old);
        Generation sealed = new Generation(2, ChangingCell.list(MAX, "a", "d", "e"), old);
        Generations proposer = new Generations(Generation.first(old), () -> new Incarnation(1, 1), at(0));
        proposer.met(new NodeId("a"), lost, 0);
        long nonce = proposer.ask(at(1)).nonce();
        for (String member : List.of("a", "b", "x")) {
            proposer.heard(new NodeId(member), new Standing(nonce, new Incarnation(1, 0), lost, 0), at(1));
        }
        change(proposer, at(1));
        if (proposer.quorum().content() != lost.content()) {
            return List.of("the first content is not asked though majorities of both lists have answered");
        }
        proposer.met(new NodeId("c"), sealed, 2);
        change(proposer, at(2));
        return proposer.quorum().content() == sealed.content()
                ? List.of()
                : List.of("it goes on asking " + proposer.quorum().acceptors());
    }

    private static void change(Generations generations, Reading now) {
        if (generations.isModeOver()) {
            generations.changeMode(now);
        }
    }
}
