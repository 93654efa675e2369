package io.paxoslease.exploration;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.paxos.CoreBounds;
import io.paxoslease.protocol.paxos.CoreCell;
import io.paxoslease.protocol.paxos.CoreExplorer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Section 9: changes of the members over the safety core alone, under any advice, any network and any number of restarts, to the end: no bound
 * on time, on restarts or on what the network does; the number of ballots is bounded. {@code -Dexploration.large=true} explores larger ones.
 */
@Tag("proof")
class CoreExplorationTest {

    private static final long ALL = 400_000_000;

    @TestFactory
    Stream<DynamicTest> noTwoNodesHoldOneLeaseWhileMembersChange() {
        boolean large = Depth.isLarge();
        List<CoreCell> cells = large ? CoreBounds.large() : CoreBounds.small();
        Map<String, CoreExplorer.Result> results = (large ? cells.stream() : cells.parallelStream())
                .collect(Collectors.toMap(cell -> cell.name, cell -> CoreExplorer.explore(cell, ALL)));
        return cells.stream()
                .map(cell -> DynamicTest.dynamicTest(cell.name, () -> {
                    CoreExplorer.Result result = Objects.requireNonNull(results.get(cell.name));
                    System.out.println(result);
                    assertThat(result.bad()).isNull();
                    assertThat(result.complete()).as("complete").isTrue();
                    DocumentedCounts.assertKnown(result.states());
                }));
    }

    /** R6: what the guard and the store keep from happening. */
    @Test
    void whereARestartChangesTheContentOfAGenerationThereAreTwoHolders() {
        CoreCell cell = CoreBounds.twoContents(1);
        cell.changesContents = true;
        assertThat(CoreExplorer.explore(cell, ALL).bad()).isNotNull();
    }

    @Test
    void theQuarantineIsExactlyTight() {
        CoreCell cell = CoreBounds.small().get(0);
        cell.quarantineShortBy = 1;
        assertThat(CoreExplorer.explore(cell, ALL).bad()).isNotNull();
    }
}
