package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.MemberList;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * R3: a client with a lease of half a second starts shortly before the members move, hears of the change, and asks where acceptors stand before it
 * is connected with the new ones. Once it is, does it ask again before its lease is over?
 */
public final class ReachedLate implements Supplier<List<String>> {

    private static final Duration MAX = Duration.ofSeconds(4);
    private static final MemberList THREE = ChangingCell.list(MAX, "a", "b", "c");
    private static final Generation FIRST = Generation.first(THREE);
    private static final Generation SECOND = new Generation(2, ChangingCell.list(MAX, "a", "d", "e"), THREE);
    private static final Duration STEP = Duration.ofMillis(5);

    /** @return what is wrong; nothing when all is well */
    @Override
    public List<String> get() {
        int untilMove = 0;
        for (ChangingCell cell = begun(); cell.node("a").generation().number() == 1; untilMove++) {
            cell.pass(STEP);
        }
        ChangingCell cell = begun();
        cell.pass(STEP.multipliedBy(untilMove - 60));
        cell.start("z", FIRST);
        cell.acquireOwn("z", Duration.ofMillis(500));
        cell.pass(STEP.multipliedBy(10));
        cell.hears("z", "a", SECOND);
        cell.pass(STEP.multipliedBy(30));
        cell.connectAll();
        List.of("d", "e").forEach(late -> cell.reach("z", late));
        cell.pass(Duration.ofSeconds(3));
        return cell.ownGrants() == 1 && cell.losses() == 0 && cell.ownExtensions() > 0
                ? List.of()
                : List.of("z has lost its lease");
    }

    /** The members are about to move. */
    private static ChangingCell begun() {
        ChangingCell cell = new ChangingCell();
        cell.connect("ab", "ac", "bc", "ad", "ae", "bd", "be", "cd", "ce", "de", "za", "zb", "zc");
        THREE.members().forEach(id -> cell.start(id.name(), FIRST));
        List.of("d", "e").forEach(id -> cell.start(id, SECOND));
        cell.pass(Duration.ofSeconds(5));
        List.of("a", "b", "c").forEach(each -> cell.readsNext(each, SECOND));
        return cell;
    }
}
