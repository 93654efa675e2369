package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Generation;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * R5: a new member was started with a file that names another list as the one before than the cell has. With one member of the cell it would have
 * majorities of both its lists, beside a majority of the list that decides.
 */
public final class ListOfItsOwn implements Supplier<List<String>> {

    private static final Duration MAX = Duration.ofSeconds(3);
    private static final Duration START = Duration.ofSeconds(12);

    /** @return what is wrong; nothing when all is well */
    @Override
    public List<String> get() {
        Generation first = Generation.first(ChangingCell.list(MAX, "a", "b", "c"));
        Generation wrong =
                new Generation(2, ChangingCell.list(MAX, "a", "d", "e"), ChangingCell.list(MAX, "a", "b", "d"));
        ChangingCell cell = new ChangingCell();
        first.current().members().forEach(member -> cell.start(member.name(), first));
        cell.start("d", wrong);
        cell.pass(START);
        cell.connect("ad", "bc");
        return cell.conflict("d", "b", MAX);
    }
}
