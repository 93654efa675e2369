package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * R7: a member is started with the first list after two changes. Before its quarantine is over it meets one of the others, which is two generations
 * ahead and does not talk to it, and then reaches only a member that has never moved. Both are a majority of the first list.
 */
public final class SealHeardBefore implements Supplier<List<String>> {

    private static final Duration MAX = Duration.ofSeconds(3);
    private static final Duration CHANGE = Duration.ofSeconds(12);

    /** @return what is wrong; nothing when all is well */
    @Override
    public List<String> get() {
        Generation first = Generation.first(ChangingCell.list(MAX, "a", "b", "c"));
        Generation second = new Generation(2, ChangingCell.list(MAX, "b", "c", "d"), first.current());
        Generation third = new Generation(3, ChangingCell.list(MAX, "b", "d", "e"), second.current());
        ChangingCell cell = new ChangingCell();
        first.current().members().forEach(member -> cell.start(member.name(), first));
        cell.pass(CHANGE);
        cell.connect("bc", "bd", "be", "cd", "ce", "de");
        List.of("d", "c", "b").forEach(member -> cell.start(member, second));
        cell.pass(CHANGE);
        List.of("e", "d", "b").forEach(member -> cell.start(member, third));
        cell.stop("c");
        cell.pass(CHANGE);
        if (cell.node("b").sealedGeneration() != 3) {
            return List.of("the members that change do not seal the third generation");
        }
        cell.connect("ac", "bd", "be", "de");
        long silence = first.timing(true).quarantineNanos();
        NodeId c = new NodeId("c");
        long moment = Duration.ofSeconds(1).toNanos();
        cell.start("c", first, new ConfigurationGuard(c, first.everyone(), silence, moment, moment));
        cell.step("c", new Event.Opened());
        cell.pass(MAX); // its quarantine is not over
        cell.node("c").view(cell.now());
        cell.step(
                "c",
                new Event.OtherConfiguration(
                        new NodeId("d"),
                        third.everyone(),
                        silence,
                        "the generations differ, 3 at 'd' but 1 at 'c'",
                        true));
        cell.pass(CHANGE);
        return cell.conflict("a", "b", MAX);
    }
}
