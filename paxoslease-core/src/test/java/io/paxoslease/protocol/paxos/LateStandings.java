package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage.AskStanding;
import io.paxoslease.protocol.paxos.PaxosMessage.Standing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * R4: a new member asks the others where they stand, and neither its questions nor the answers arrive before it is restarted. One that answered
 * has gone back meanwhile, which it may before a seal. Then the answers arrive, again and again, while the new process asks questions of its own:
 * do they count for a seal that never was?
 */
public final class LateStandings implements Supplier<List<String>> {

    private static final Duration MAX = Duration.ofSeconds(3);
    private static final Duration QUARANTINE = Duration.ofMillis(3_700);
    private static final Duration SEAL = Duration.ofSeconds(20);
    private static final NodeId D = new NodeId("d");

    /** @return what is wrong; nothing when all is well */
    @Override
    public List<String> get() {
        MemberList old = ChangingCell.list(MAX, "a", "b", "c");
        Generation first = Generation.first(old);
        Generation second = new Generation(2, ChangingCell.list(MAX, "a", "b", "d"), old);
        ChangingCell cell = new ChangingCell();
        cell.connect("ac", "pa", "pc");
        old.members().forEach(member -> cell.start(member.name(), first));
        cell.start("d", second);
        List<AskStanding> asked = questions(cell);
        cell.start("b", second);
        cell.start("a", second);
        cell.pass(QUARANTINE);
        List<Standing> ofA = answers(cell, "a", asked);
        List<Standing> ofB = answers(cell, "b", asked);
        if (ofA.isEmpty() || ofB.isEmpty()) {
            return List.of("the questions are not answered");
        }

        cell.start("a", first);
        cell.start("d", second);
        for (long ends = SEAL.toMillis(); ends > 0 && cell.node("d").sealedGeneration() < 2; ends -= 5) {
            cell.pass(Duration.ofMillis(5));
            ofA.forEach(answer -> cell.receive("a", "d", answer));
            ofB.forEach(answer -> cell.receive("b", "d", answer));
        }
        return cell.node("d").sealedGeneration() < 2 ? List.of() : twoHolders(cell, first, second);
    }

    /** What the first process of d asks, as its node alone knows. */
    private static List<AskStanding> questions(ChangingCell cell) {
        List<AskStanding> asked = new ArrayList<>();
        cell.onSend(D, message -> {
            if (message instanceof AskStanding question) {
                asked.add(question);
            }
        });
        cell.pass(SEAL);
        return asked.stream().distinct().toList();
    }

    private static List<Standing> answers(ChangingCell cell, String member, List<AskStanding> asked) {
        return asked.stream()
                .flatMap(question ->
                        OneByOne.of(cell.node(member).step(new Event.Received(D, question), cell.now())).stream())
                .flatMap(effect -> effect instanceof Effect.Send send && send.message() instanceof Standing standing
                        ? Stream.of(standing)
                        : Stream.empty())
                .filter(standing -> !standing.isUnasked())
                .toList();
    }

    /** What follows from the seal that never was. */
    private static List<String> twoHolders(ChangingCell cell, Generation first, Generation second) {
        cell.pass(QUARANTINE);
        cell.connect("ac", "pa", "pc", "bd", "qb", "qd");
        cell.reach("b", "d");
        cell.pass(Duration.ofSeconds(1));
        cell.start("p", first);
        cell.start("q", second);
        return cell.conflict("p", "q", MAX);
    }
}
