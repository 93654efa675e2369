package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Generation;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * R6: a member and a new one were started with one content of the next generation while the store that the others read has another one. The
 * member stays connected with those that move by the store. They are no acceptors of what it runs: with one of them it would have both its
 * majorities, beside a majority of the list that they have sealed.
 */
public final class TwoContents implements Supplier<List<String>> {

    private static final Duration MAX = Duration.ofSeconds(3);
    /** Longer than three questions and the seal take. */
    private static final Duration CHANGE = Duration.ofSeconds(12);

    /** @return what is wrong; nothing when all is well */
    @Override
    public List<String> get() {
        Generation first = Generation.first(ChangingCell.list(MAX, "a", "b", "c"));
        Generation ofFile = new Generation(2, ChangingCell.list(MAX, "a", "b", "d"), first.current());
        Generation ofStore = new Generation(2, ChangingCell.list(MAX, "b", "c", "e"), first.current());
        ChangingCell cell = new ChangingCell();
        first.current().members().forEach(member -> cell.start(member.name(), first));
        cell.pass(CHANGE);
        cell.connect("ab", "ac", "bc", "ad", "be", "ce");
        cell.start("d", ofFile);
        cell.start("a", ofFile);
        cell.readsNext("b", ofStore, "c");
        cell.readsNext("c", ofStore, "b");
        cell.start("e", ofStore);
        cell.pass(CHANGE);
        if (cell.node("e").sealedGeneration() != 2) {
            return List.of("the members that read the store do not seal what it has");
        }
        cell.connect("ac", "ad", "bc", "be");
        return cell.conflict("a", "e", MAX);
    }
}
