package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.transport.ClientRequests;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * R4: a change is stored, the last of its members has not been started yet, and a client has taken the id of that one. It says that the change is
 * sealed. Believed, one of the members moves at once and decides with the new one, beside a majority of the list before.
 */
public final class SealOfAClient implements Supplier<List<String>> {

    private static final Duration MAX = Duration.ofSeconds(3);
    private static final Duration QUARANTINE = Duration.ofSeconds(4);

    /** @return what is wrong; nothing when all is well */
    @Override
    public List<String> get() {
        Generation first = Generation.first(ChangingCell.list(MAX, "a", "b", "c"));
        Generation next = new Generation(2, ChangingCell.list(MAX, "b", "d", "e"), first.current());
        ChangingCell cell = new ChangingCell();
        cell.connect("ab", "ac", "bc", "bd", "ad", "cd", "pa", "pc", "qb", "qd");
        first.current().members().forEach(member -> cell.start(member.name(), first));
        cell.start("d", next);
        cell.pass(QUARANTINE);
        cell.start("p", first);
        cell.start("q", next);
        first.current().members().forEach(member -> cell.readsNext(member.name(), next));
        cell.acquire("p", MAX);
        cell.pass(MAX.dividedBy(30));
        if (!"p".equals(cell.holder())) {
            return List.of("the list before does not decide");
        }
        PaxosMessage seal =
                new PaxosMessage.Standing(PaxosMessage.Standing.UNASKED, new Incarnation(6, 6), next, next.number());
        if (ClientRequests.contains(seal)) {
            cell.receive("e", "b", seal);
        }
        cell.acquire("q", MAX);
        try {
            cell.pass(MAX.dividedBy(3));
        } catch (AssertionError twoHolders) {
            return List.of(String.valueOf(twoHolders.getMessage()));
        }
        return List.of();
    }
}
