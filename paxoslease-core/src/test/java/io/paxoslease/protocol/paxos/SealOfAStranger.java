package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * R4: a node that no list before names introduces itself as the only member of a next generation that it has made up, and as one that knows it to
 * be sealed. Believed, it would be a majority by itself.
 */
public final class SealOfAStranger implements Supplier<List<String>> {

    private static final Duration MAX = Duration.ofSeconds(9);

    /** @return what is wrong; nothing when all is well */
    @Override
    public List<String> get() {
        Generation first = Generation.first(ChangingCell.list(MAX, "a", "b", "c"));
        Generation forged = new Generation(2, ChangingCell.list(MAX, "web"), first.current());
        Generations generations = new Generations(first, () -> new Incarnation(1, 1), new Reading(new Moment(0), 0));
        generations.met(new NodeId("web"), forged, 2);
        generations.met(new NodeId("b"), forged, -1); // which has heard of it, and tells of it
        generations.met(new NodeId("web"), forged, 2);
        return generations.sealed() == 1 ? List.of() : List.of("a list that a stranger has made up decides alone");
    }
}
