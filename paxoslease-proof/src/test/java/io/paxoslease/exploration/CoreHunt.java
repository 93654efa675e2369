package io.paxoslease.exploration;

import io.paxoslease.protocol.paxos.CoreBounds;
import io.paxoslease.protocol.paxos.CoreCell;
import io.paxoslease.protocol.paxos.CoreExplorer;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/** Explores a world of {@link CoreBounds} from within the loader that holds the classes of a mutant. */
public final class CoreHunt implements Function<String, List<String>> {

    private static final long LIMIT = 20_000_000;

    /**
     * @param mutant its id
     * @return a shortest schedule of two holders, an event a line; nothing when there is none
     */
    @Override
    public List<String> apply(String mutant) {
        CoreCell cell = Objects.requireNonNull(CoreBounds.mutants().get(mutant));
        List<String> bad = CoreExplorer.explore(cell, LIMIT).bad();
        return bad == null ? List.of() : bad;
    }
}
